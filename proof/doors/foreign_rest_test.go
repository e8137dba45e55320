package doors_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// The document lists every path, so no operation is left out.
type openAPI struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct{ Schemas map[string]schemaObject }
}

type schemaObject struct {
	Ref                  string `json:"$ref"`
	Type                 any
	Required             []string
	Properties           map[string]schemaObject
	Items                *schemaObject
	Enum                 []any
	AdditionalProperties any
}

type restOperation struct {
	method, path string
	RequestBody  *struct {
		Content map[string]struct{ Schema schemaObject }
	}
	Parameters []struct {
		Name, In string
		Ref      string `json:"$ref"`
	}
}

func documented(t *testing.T, c *apptest.Caller) (doc openAPI, operations []restOperation) {
	t.Helper()
	w := c.Send(t, http.MethodGet, "/openapi.json", nil, nil)
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			if !slices.Contains([]string{"get", "post", "patch", "put", "delete"}, method) {
				continue
			}
			op := restOperation{method: strings.ToUpper(method), path: path}
			if err := json.Unmarshal(doc.Paths[path][method], &op); err != nil {
				t.Fatal(err)
			}
			operations = append(operations, op)
		}
	}
	return doc, operations
}

// body makes a request body with umbra's keys wherever a property takes one.
func (d openAPI) body(t *testing.T, f *foreign, s schemaObject) any {
	t.Helper()
	if s.Ref != "" {
		return d.body(t, f, d.Components.Schemas[s.Ref[strings.LastIndex(s.Ref, "/")+1:]])
	}
	made := object{}
	for name, p := range s.Properties {
		key, isKey := f.keys[name]
		if !isKey && !slices.Contains(s.Required, name) {
			continue
		}
		made[name] = d.value(t, f, name, key, p)
	}
	return made
}

func (d openAPI) value(t *testing.T, f *foreign, name string, key any, p schemaObject) any {
	t.Helper()
	if p.Ref != "" {
		return d.value(t, f, name, key, d.Components.Schemas[p.Ref[strings.LastIndex(p.Ref, "/")+1:]])
	}
	switch {
	case len(p.Enum) > 0:
		return p.Enum[0]
	case p.Items != nil:
		return []any{d.value(t, f, name, key, *p.Items)}
	case key != nil:
		return key
	case p.Properties != nil:
		return d.body(t, f, p)
	case p.AdditionalProperties != nil:
		return object{"default": object{"directUpline": "UMBRA1"}}
	case strings.HasPrefix(name, "effective"):
		return "2026-06-01"
	case strings.HasPrefix(name, "is"):
		return true
	case name == "code" || name == "id":
		return "AC-ME"
	default:
		return "acme " + name
	}
}

// A foreign tenant's keys are "not found" on every documented path, and a list
// never shows anything of it.
func TestForeignTenantOverREST(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		f := newForeign(t, w)
		before := f.state(t)
		c := w.As(apptest.Acme, allScopes...)
		doc, operations := documented(t, c)
		for _, op := range operations {
			f.tryREST(t, c, doc, op)
		}
		if len(operations) < 57 || f.filters < 20 {
			t.Errorf("only %d operations, %d filters", len(operations), f.filters)
		}
		if after := f.state(t); after != before {
			t.Errorf("acme changed umbra:\n%s\nwas\n%s", after, before)
		}
	})
}

// pathKeys are umbra's keys of the records that paths name, by the path before
// the parameter.
func (f *foreign) pathKeys() map[string]any {
	return map[string]any{
		"/agents/": f.keys["agentCode"], "/members/": f.keys["agentCode"], "/certifications/": f.keys["certification"], "/aliases/": f.keys["alias"],
		"/certification-types/": f.keys["type"], "/jurisdictions/": f.keys["jurisdiction"], "/pay-statuses/": f.keys["status"],
		"/tags/": f.keys["tag"], "/agent-levels/": f.keys["level"], "/subscriptions/": f.keys["subscriptionId"], "/users/": f.keys["username"],
		"/contract/versions/": f.keys["contractVersion"],
		"/applications/":      f.keys["application"],
		"/report-recipes/":    f.keys["recipe"],
	}
}

// fill puts umbra's keys into the path of an operation; named tells whether there
// was one to put in.
func (f *foreign) fill(t *testing.T, op restOperation) (path string, named bool) {
	t.Helper()
	path = strings.Replace(op.path, "{tenantIdentifier}", "{tenant}", 1)
	// Keys that are the same for every tenant.
	path = strings.NewReplacer("{team}", "default", "{onDate}", "2026-06-15", "{slug}", "leaderboard").Replace(path)
	for before, key := range f.pathKeys() {
		if i := strings.Index(path, before+"{"); i >= 0 {
			start := i + len(before)
			end := start + strings.Index(path[start:], "}") + 1
			text, _ := key.(string)
			if n, ok := key.(json.Number); ok {
				text = n.String()
			} else if n, ok := key.(float64); ok {
				encoded, _ := json.Marshal(n)
				text = string(encoded)
			}
			path, named = path[:start]+url.PathEscape(text)+path[end:], true
		}
	}
	if strings.Count(path, "{") > 1 {
		t.Errorf("%s %s: no key for %s", op.method, op.path, path)
	}
	return path, named
}

func (f *foreign) tryREST(t *testing.T, c *apptest.Caller, doc openAPI, op restOperation) {
	t.Helper()
	path, named := f.fill(t, op)
	var body any
	if op.RequestBody != nil {
		body = doc.body(t, f, op.RequestBody.Content["application/json"].Schema)
	}
	status, header, answer := sendTo(t, c, op.method, path, body)
	what := op.method + " " + op.path
	switch {
	case leaks(answer), leaks([]byte(header.Get("Location"))):
		t.Errorf("%s answers with something of umbra: %d %s", what, status, answer)
	case named && status != http.StatusNotFound:
		t.Errorf("%s: %d %s; want 404", what, status, answer)
	case op.method == http.MethodPost && refersToAgent(body) && status != http.StatusNotFound && status != http.StatusBadRequest:
		t.Errorf("%s with umbra's agent: %d %s", what, status, answer)
	}
	if op.method == http.MethodGet && !named && strings.HasPrefix(path, "/agency-management/") {
		f.tryFilters(t, c, path, op)
	}
}

// sendTo sends a request to a path from the root.
func sendTo(t *testing.T, c *apptest.Caller, method, path string, body any) (status int, header http.Header, answer []byte) {
	t.Helper()
	var encoded []byte
	if body != nil {
		var err error
		if encoded, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	w := c.Send(t, method, path, nil, encoded)
	return w.Code, w.Header(), w.Body.Bytes()
}

func refersToAgent(body any) bool {
	fields, _ := body.(object)
	return fields["agentCode"] == "UMBRA1"
}

// identifying are the filters of lists that name an agent or something of one.
var identifying = []string{"agentCode", "agentCodes", "email", "governmentIdentifier", "npn", "identifier", "uplineAgentCode", "downlineAgentCode"}

// tryFilters asks a list for what only umbra has.
func (f *foreign) tryFilters(t *testing.T, c *apptest.Caller, path string, op restOperation) {
	t.Helper()
	for _, p := range op.Parameters {
		if p.In != "query" || !slices.Contains(identifying, p.Name) {
			continue
		}
		key := f.keys[strings.TrimSuffix(p.Name, "s")]
		if key == nil {
			key = f.keys[p.Name]
		}
		f.filters++
		status, _, answer := sendTo(t, c, http.MethodGet, path+"?"+url.Values{p.Name: {key.(string)}}.Encode(), nil)
		if status != http.StatusOK || leaks(answer) {
			t.Errorf("GET %s?%s: %d %s", path, p.Name, status, answer)
		}
	}
}
