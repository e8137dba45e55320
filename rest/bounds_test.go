package rest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

const boundsPath = "bounds.json"

// TestBounds sends far too much of everything to every operation, and records the bounds
// that are named in the refusals: those are what the OpenAPI document says. What is just
// inside is not refused for it, what is just outside is.
func TestBounds(t *testing.T) {
	text, err := printed()
	if err != nil {
		t.Fatal(err)
	}
	document, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{Now: transcriptsBegin, Development: true})
	w.LoadDemo(t, apptest.Acme, 50)
	token := w.As(apptest.Acme, bearer.TenantScopes()...).Token(t)
	recorded := map[string]map[string]any{}
	for _, o := range operationsOf(document) {
		for _, p := range placesOf(o.Operation) {
			ask := func(value any) refusal { return p.ask(t, w, token, o, value) }
			bounds := p.bounds(ask)
			p.demand(t, o.OperationID, bounds, ask)
			for name, value := range bounds {
				if known, ok := recorded[p.name][name]; ok && known != value {
					t.Errorf("%s: the %s of %s is %v, elsewhere %v", o.OperationID, name, p.name, value, known)
				}
				if recorded[p.name] == nil {
					recorded[p.name] = map[string]any{}
				}
				recorded[p.name][name] = value
			}
		}
	}
	keepBounds(t, recorded)
	if !*update { // The document still has the bounds of before.
		demandPublished(t, document, recorded)
	}
}

// keepBounds compares what was recorded with the file, or writes that.
func keepBounds(t *testing.T, recorded map[string]map[string]any) {
	t.Helper()
	text, err := json.MarshalIndent(recorded, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update && !t.Failed() {
		if err := os.WriteFile(boundsPath, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if committed, err := os.ReadFile(boundsPath); err != nil || !bytes.Equal(committed, text) {
		t.Errorf("%s is out of date (go test ./rest -run TestBounds -update): %v", boundsPath, err)
	}
}

// demandPublished demands of every place in the document the bounds that were recorded
// of it, and no others.
func demandPublished(t *testing.T, document *openapi3.T, recorded map[string]map[string]any) {
	t.Helper()
	for _, o := range operationsOf(document) {
		for _, p := range placesOf(o.Operation) {
			text, err := json.Marshal(p.schema)
			if err != nil {
				t.Fatal(err)
			}
			var published map[string]any
			if err := json.Unmarshal(text, &published); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"maxLength", "maxItems", "minimum", "maximum", "pattern"} {
				if published[name] != recorded[p.name][name] {
					t.Errorf("%s: the %s of %s is %v in the document, and %v was recorded", o.OperationID, name, p.name, published[name], recorded[p.name][name])
				}
			}
		}
	}
}

// refusal is what a server says of a place: nothing when it takes what it is sent.
type refusal struct {
	code    string
	details map[string]any
}

// ask sends the example of an operation with a value at a place, as a dry run where
// there are any, so that no question changes the answer to another.
func (p place) ask(t *testing.T, server http.Handler, token string, o located, value any) refusal {
	t.Helper()
	path, query := o.path, url.Values{}
	for _, parameter := range o.Parameters {
		switch v := parameter.Value; {
		case v.In == "path":
			path = strings.ReplaceAll(path, "{"+v.Name+"}", url.PathEscape(fmt.Sprint(v.Example)))
		case v.Name == "dryRun":
			query.Set(v.Name, "true")
		}
	}
	var body []byte
	if list, ok := value.([]any); p.query && ok {
		for _, item := range list {
			query.Add(p.path[0].(string), fmt.Sprint(item))
		}
	} else if p.query {
		query.Set(p.path[0].(string), fmt.Sprint(value))
	} else {
		media := o.RequestBody.Value.Content["application/json"]
		var err error
		if body, err = json.Marshal(putAt(media.Schema, media.Example, p.path, value)); err != nil {
			t.Fatal(err)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), o.method, path+"?"+query.Encode(), bytes.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	var problem struct {
		Details map[string]any
		Errors  []struct{ Field, Code string }
	}
	if w.Code < 400 {
		return refusal{}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || w.Code >= 500 {
		t.Fatalf("%s: %d %s", o.OperationID, w.Code, w.Body)
	}
	field := strings.Trim(strings.ReplaceAll(fmt.Sprint(p.path), " ", "."), "[]")
	for i, e := range problem.Errors {
		if e.Field == field && i == 0 {
			return refusal{e.Code, problem.Details}
		}
		if e.Field == field {
			return refusal{e.Code, nil}
		}
	}
	return refusal{}
}

// badForm fits no form that a text must have.
const badForm = "-é/"

// bounds returns those of a place.
func (p place) bounds(ask func(any) refusal) map[string]any {
	bounds := map[string]any{}
	note := func(name string, of refusal, key, code string) {
		if of.code == code && of.details[key] != nil {
			bounds[name] = of.details[key]
		}
	}
	switch p.kind() {
	case "string":
		longest := 70_000
		if p.query {
			longest = 2_000
		}
		note("maxLength", ask(p.sized(longest)), "max", "TOO_LONG")
		note("pattern", ask(badForm), "pattern", "INVALID_FORMAT")
		if form, ok := bounds["pattern"]; ok && ask("").code == "" {
			bounds["pattern"] = fmt.Sprint("^$|", form) // Nothing stands for null.
		}
	case "array":
		most := 1_001
		if p.query {
			most = 300
		}
		note("maxItems", ask(p.sized(most)), "max", "OUT_OF_RANGE")
	case "integer":
		note("maximum", ask(math.MaxInt32), "max", "OUT_OF_RANGE")
		note("minimum", ask(math.MinInt32), "min", "OUT_OF_RANGE")
	}
	return bounds
}

// demand asks just inside and just outside of the bounds.
func (p place) demand(t *testing.T, operation string, bounds map[string]any, ask func(any) refusal) {
	t.Helper()
	for name, value := range bounds {
		limit, ok := value.(float64)
		if !ok {
			continue
		}
		beyond, code := 1, "OUT_OF_RANGE"
		switch name {
		case "maxLength":
			code = "TOO_LONG"
		case "minimum":
			beyond = -1
		}
		if got := ask(p.sized(int(limit))); got.code == code {
			t.Errorf("%s: %s: the %s %v itself is refused", operation, p.name, name, limit)
		}
		if got := ask(p.sized(int(limit) + beyond)); got.code != code {
			t.Errorf("%s: %s: more than the %s %v: %q, want %s", operation, p.name, name, limit, got.code, code)
		}
	}
}
