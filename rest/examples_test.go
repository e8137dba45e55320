package rest_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/uplinehq/upline/rest/resttest"
)

var update = flag.Bool("update", false, "write the examples of the OpenAPI document anew")

const examplesPath = "examples.json"

// recording is examples.json: what the transcripts show first of each operation and
// status.
type recording struct {
	Operations map[string]*recordedOperation
	Problems   map[string]any

	ids map[string]string
}

type recordedOperation struct {
	Parameters map[string]string `json:",omitempty"`
	Request    any               `json:",omitempty"`
	Responses  map[string]any    `json:",omitempty"`
}

func newRecording() *recording {
	return &recording{Operations: map[string]*recordedOperation{}, Problems: map[string]any{}, ids: map[string]string{}}
}

// add records an exchange. Only the transcript of an operation shows it.
func (r *recording) add(t *testing.T, server http.Handler, x resttest.Exchange) {
	t.Helper()
	if len(r.ids) == 0 {
		for path, o := range operations(t) {
			r.ids[path] = o.OperationID
		}
	}
	id := r.ids[x.Operation]
	if id != path.Base(t.Name()) {
		return
	}
	status := strconv.Itoa(x.Response.Code)
	body := steady(x.Response.Body.Bytes())
	if x.Response.Code >= 400 {
		keepFirst(r.Problems, status, body)
		return
	}
	o := r.Operations[id]
	if o == nil {
		o = &recordedOperation{Parameters: map[string]string{}, Responses: map[string]any{}}
		r.Operations[id] = o
	}
	o.parameters(x)
	switch query := x.Request.URL.Query(); {
	case query.Get("dryRun") == "true":
		keepFirst(o.Responses, "preview", body)
	case x.Request.Header.Get("Accept") == "text/csv":
	case body != nil:
		keepFirst(o.Responses, status, body)
		o.csv(server, x)
	}
	if o.Request == nil && x.Body != "" {
		o.Request = steady([]byte(x.Body))
	}
}

// csv asks for a list again, as CSV.
func (o *recordedOperation) csv(server http.Handler, x resttest.Exchange) {
	request := x.Request.Clone(x.Request.Context())
	request.Header.Set("Accept", "text/csv")
	if w := httptest.NewRecorder(); x.Request.Method == http.MethodGet && o.Responses["csv"] == nil {
		if server.ServeHTTP(w, request); w.Code == http.StatusOK {
			o.Responses["csv"] = steady(w.Body.Bytes())
		}
	}
}

// parameters keeps those of the path, the query and the header that have not been
// seen before.
func (o *recordedOperation) parameters(x resttest.Exchange) {
	_, template, _ := strings.Cut(x.Operation, " ")
	parts := strings.Split(x.Request.URL.Path, "/")
	for i, part := range strings.Split(template, "/") {
		if strings.HasPrefix(part, "{") {
			keepFirst(o.Parameters, strings.Trim(part, "{}"), steadyText(parts[i]))
		}
	}
	for name, values := range x.Request.URL.Query() {
		keepFirst(o.Parameters, name, steadyText(values[0]))
	}
	for from, through := range o.Parameters { // of requests that had but one of them
		if last := pairOf(from); o.Parameters[last] != "" && o.Parameters[last] < through {
			o.Parameters[from], o.Parameters[last] = o.Parameters[last], through
		}
	}
	for _, name := range []string{"Idempotency-Key", "If-Match", "If-None-Match"} {
		if value := x.Request.Header.Get(name); value != "" {
			keepFirst(o.Parameters, name, steadyText(value))
		}
	}
}

// pairOf returns the name of the parameter with the end of what one begins, "" for none.
func pairOf(from string) string {
	for begin, end := range map[string]string{"from": "through", "From": "Through", "min": "max"} {
		if strings.HasSuffix(from, begin) || begin == "min" && strings.HasPrefix(from, begin) {
			return strings.Replace(from, begin, end, 1)
		}
	}
	return ""
}

// What begins is no later than its end, in the examples as in any request.
func TestExamplesOfPeriods(t *testing.T) {
	text, err := os.ReadFile(examplesPath)
	if err != nil {
		t.Fatal(err)
	}
	var shown recording
	if err := json.Unmarshal(text, &shown); err != nil {
		t.Fatal(err)
	}
	pairs := 0
	for id, o := range shown.Operations {
		for name, from := range o.Parameters {
			if through, ok := o.Parameters[pairOf(name)]; ok {
				if pairs++; through < from {
					t.Errorf("%s: %s is %s, after its end, %s", id, name, from, through)
				}
			}
		}
	}
	if pairs < 8 {
		t.Errorf("only %d pairs", pairs)
	}
}

func keepFirst[V any](m map[string]V, name string, value V) {
	if _, ok := m[name]; !ok {
		m[name] = value
	}
}

// random is what differs from run to run: secrets, ids, versions.
var random = []struct {
	pattern *regexp.Regexp
	steady  string
}{
	{regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`), "whsec_c2VjcmV0IG9mIGFuIGV4YW1wbGUsIG5vIG1vcmU="},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "0195586d-8500-7000-8000-000000000001"},
	{regexp.MustCompile(`"[A-Za-z0-9+/]{43}="`), `"c2VjcmV0IG9mIGFuIGV4YW1wbGUsIG9mIDMyIGJ5dGVzIQ=="`},
	{regexp.MustCompile(`\b[0-9a-f]{32}\b`), "4bf92f3577b34da6a3ce929d0e0e4736"},
	{regexp.MustCompile(`"id": ?[0-9]+`), `"id":7`}, // PostgreSQL's sequences have gaps
	{regexp.MustCompile(`"[0-9a-z]{10}-[0-9A-Za-z_-]{12}"`), `"hg8sczbpc0-5wLzpQqkrT99"`},
}

func steadyText(text string) string {
	for _, r := range random {
		text = r.pattern.ReplaceAllString(text, r.steady)
	}
	return text
}

// steady returns a body with what is random replaced: JSON decoded, other text as
// text, nil for none.
func steady(body []byte) any {
	text := steadyText(string(body))
	var value any
	switch err := json.Unmarshal([]byte(text), &value); {
	case text == "":
		return nil
	case err != nil:
		return text
	}
	return value
}

// compare demands that the examples are what was recorded, or writes them. ran is
// how many transcripts did: fewer than all show nothing.
func (r *recording) compare(t *testing.T, ran int) {
	t.Helper()
	if t.Failed() || ran < len(operations(t)) || len(r.Operations) < ran-20 {
		return
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	if err := encoder.Encode(r); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(examplesPath, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(examplesPath)
	if err != nil {
		t.Fatal(err)
	}
	if want, got := strings.Split(string(committed), "\n"), strings.Split(text.String(), "\n"); !slices.Equal(want, got) {
		for i := range want {
			if i >= len(got) || want[i] != got[i] {
				t.Fatalf("%s is out of date from line %d (go test ./rest -run TestTranscripts -update): %s", examplesPath, i+1, want[i])
			}
		}
		t.Fatalf("%s is out of date (go test ./rest -run TestTranscripts -update)", examplesPath)
	}
}
