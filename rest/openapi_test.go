package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"
	"pgregory.net/rapid"

	"github.com/uplinehq/upline/graph/selection"
	"github.com/uplinehq/upline/rest/operations"
	"github.com/uplinehq/upline/rest/paths"
	"github.com/uplinehq/upline/rest/record"
	"github.com/uplinehq/upline/rest/resttest"
)

func published(t testing.TB, b *bench) []byte {
	t.Helper()
	w := httptest.NewRecorder()
	b.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("status %d", w.Code)
	}
	return w.Body.Bytes()
}

// The document is public and a valid OpenAPI 3.1 document.
func TestOpenAPIDocumentIsValid(t *testing.T) {
	document, err := openapi3.NewLoader().LoadFromData(published(t, newBench(t)))
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Validate(context.Background(), openapi3.IsOpenAPI31OrLater()); err != nil {
		t.Fatal(err)
	}
}

// The same is published in 3.0, for generators that know no other: with the same
// operations and schemas, and nothing that only 3.1 has.
func TestOlderDocumentIsTheSame(t *testing.T) {
	b := newBench(t)
	document, err := openapi3.NewLoader().LoadFromData(published(t, b))
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, httptest.NewRequest(http.MethodGet, OlderDocumentPath, nil))
	old, err := openapi3.NewLoader().LoadFromData(w.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := old.Validate(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, only := range []string{`"null"`, `"const"`, `"identifier":"Apache`} {
		if strings.Contains(w.Body.String(), only) {
			t.Errorf("3.0 has no %s", only)
		}
	}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			if same := old.Paths.Value(path).GetOperation(method); same == nil || same.Description != operation.Description || len(same.Parameters) != len(operation.Parameters) {
				t.Errorf("%s %s differs", method, path)
			}
		}
	}
	for name, schema := range document.Components.Schemas {
		same := cmp.Or(old.Components.Schemas[name], old.Components.Schemas["Nullable"+name]).Value
		for property, value := range schema.Value.Properties {
			if got := same.Properties[property].Value; nullAllowed(value.Value) != (got.Nullable || len(got.AllOf) == 1 && got.AllOf[0].Value.Nullable) || value.Value.Description != got.Description {
				t.Errorf("%s.%s differs", name, property)
			}
		}
	}
}

// nullAllowed reports whether a schema of 3.1 takes null.
func nullAllowed(s *openapi3.Schema) bool {
	return s.Type.Includes("null") || len(s.AnyOf) == 2
}

// What upline schema --openapi prints is what a server publishes.
func TestOpenAPIIsWhatAServerPublishes(t *testing.T) {
	document, err := OpenAPI(sdl(), "")
	if err != nil {
		t.Fatal(err)
	}
	if string(document) != string(published(t, newBench(t))) {
		t.Error("the two documents differ")
	}
	if _, err := OpenAPI(schemaWithout("agentDelete"), ""); err == nil {
		t.Error("a schema that an operation does not fit is accepted")
	}
}

// "DELETE /agents/{agentCode} requires delete:agents, separate from
// write:agents" (specification, Authentication, 1); every operation names its
// scope.
func TestOpenAPIOperationsNameTheirScope(t *testing.T) {
	document, err := openapi3.NewLoader().LoadFromData(published(t, newBench(t)))
	if err != nil {
		t.Fatal(err)
	}
	want := resttest.PathScopes(t, sdl())
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			scope := want[method+" "+path]
			if got := (*operation.Security)[0]["oauth2"]; !slices.Equal(got, []string{scope}) {
				t.Errorf("%s %s: scopes %v, not %s", method, path, got, scope)
			}
		}
	}
}

// Each operation carries its GraphQL document, so that an integrator can open
// any path in the playground.
func TestOpenAPIOperationsCarryTheirDocument(t *testing.T) {
	document, err := openapi3.NewLoader().LoadFromData(published(t, newBench(t)))
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			text, _ := operation.Extensions["x-graphql"].(string)
			if _, errs := gqlparser.LoadQueryWithRules(sdl(), text, rules.NewDefaultRules()); len(errs) > 0 {
				t.Errorf("%s %s: %v", method, path, errs)
			}
		}
	}
}

// Whatever the schema allows an operation to answer, the OpenAPI document
// describes the response of its path.
func TestEveryPossibleResponseIsDescribed(t *testing.T) {
	b := newBench(t)
	document, err := resttest.NewDocument(published(t, b))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		r := rapid.SampledFrom(paths.All[0].Routes).Draw(rt, "route")
		b.Answer = anything(rt, b)
		path := examplePath(r)
		w := b.call(r.Method, path, minimalBodies[r.Operation])
		if w.Code >= 500 || w.Code == http.StatusBadRequest && b.Calls == 0 {
			rt.Fatalf("%s %s: %d %s; %s", r.Method, path, w.Code, w.Body, b.logged)
		}
		if !json.Valid(w.Body.Bytes()) && w.Code != http.StatusNoContent {
			rt.Fatalf("%s %s: not JSON: %s", r.Method, path, w.Body)
		}
		operation, err := document.Check(r.Method, base+path, w.Code, w.Header().Get("Content-Type"), w.Body.Bytes())
		if err != nil {
			rt.Fatalf("%v\n%s", err, w.Body)
		}
		if want := r.Method + " /agency-management/{tenantIdentifier}" + r.Path; operation != want {
			rt.Fatalf("checked %s instead of %s", operation, want)
		}
	})
}

// examplePath returns a path that fits a row of the table.
func examplePath(r paths.Route) string {
	return strings.NewReplacer("{onDate}", "2026-01-31", "{value}", "10", "{team}", "default",
		"{agentCode}", "A1", "{id}", "7", "{code}", "LIFE", "{name}", "Active", "{username}", "ana").Replace(r.Path)
}

const onlyInitiator = `{"initiator":"test"}`

// minimalBodies are the smallest bodies that pass, by operation.
var minimalBodies = map[string]string{
	"insights/reportRecipeCreate":        `{"name":"x","dataset":"agents","definition":{}}`,
	"insights/reportRecipeReplace":       `{"name":"x","dataset":"agents","definition":{}}`,
	"onboarding/applicationCreate":       `{"recruiterAgentCode":"A1","firstName":"Ana","lastName":"Diaz","emailAddress":"ana@example.com"}`,
	"onboarding/applicationReplace":      `{"recruiterAgentCode":"A1","firstName":"Ana","lastName":"Diaz","emailAddress":"ana@example.com"}`,
	"identity/userCreate":                `{"username":"ana"}`,
	"identity/userUpdate":                `{}`,
	"webhooks/webhookSubscriptionCreate": `{"url":"https://example.com","events":["AgentCreated"]}`,
	"webhooks/webhookSubscriptionUpdate": `{}`,
	"agency/agentContactUpdate":          `{"initiator":"test"}`,
	"agency/agentPayeeUpdate":            `{"initiator":"test"}`,
	"agency/w9PeriodApply":               `{"agentCode":"A1","w9":{"name":"A","taxClassification":"Individual"},"effectiveFrom":"2026-01-01","initiator":"test"}`,
	"agency/agentTagsUpdate":             `{"tags":[{"operation":"Assign","tag":"Veteran"}],"initiator":"test"}`,
	"agency/aliasCreate":                 `{"identifier":"77120","initiator":"test"}`,
	"agency/tagCreate":                   `{"name":"Veteran","initiator":"test"}`,
	"agency/tagUpdate":                   onlyInitiator,
	"agency/agentRegister":               `{"firstName":"Ana","lastName":"Diaz","status":"Active","teams":{"default":{}},"initiator":"test"}`,
	"agency/agentUpdate":                 onlyInitiator,
	"agency/agentMembershipUpdate":       `{"membership":{},"initiator":"test"}`,
	"agency/certificationUpsert":         `{"agentCode":"A1","type":"LIFE","isResidentCertification":true,"isVerified":false,"initiator":"test"}`,
	"agency/certificationUpdate":         onlyInitiator,
	"agency/certificationPeriodApply":    `{"status":"Active","effectiveFrom":"2026-01-01","initiator":"test"}`,
	"agency/uplinePeriodApply":           `{"agentCode":"A1","effectiveFrom":"2026-01-01","initiator":"test"}`,
	"agency/levelPeriodApply":            `{"agentCode":"A1","level":10,"effectiveFrom":"2026-01-01","initiator":"test"}`,
	"agency/payStatusPeriodApply":        `{"agentCode":"A1","status":"Active","effectiveFrom":"2026-01-01","initiator":"test"}`,
	"agency/agentLevelCreate":            `{"value":10,"name":"Ten","initiator":"test"}`,
	"agency/agentLevelUpdate":            onlyInitiator,
	"agency/certificationTypeCreate":     `{"code":"LIFE","name":"Life","initiator":"test"}`,
	"agency/certificationTypeUpdate":     onlyInitiator,
	"agency/jurisdictionCreate":          `{"id":"US-TX","name":"Texas","initiator":"test"}`,
	"agency/jurisdictionUpdate":          onlyInitiator,
	"agency/payStatusCreate":             `{"name":"On leave","isActive":true,"initiator":"test"}`,
	"agency/payStatusUpdate":             onlyInitiator,
}

// anything answers an operation with random data of the types it selects.
func anything(rt *rapid.T, b *bench) func(string, map[string]any) *graphql.Response {
	return func(string, map[string]any) *graphql.Response {
		op, err := operations.Parse(sdl(), b.Document)
		if err != nil {
			rt.Fatal(err)
		}
		var text strings.Builder
		writeAny(rt, &text, op.Definition.SelectionSet)
		return &graphql.Response{Data: json.RawMessage(text.String())}
	}
}

func writeAny(rt *rapid.T, w *strings.Builder, set ast.SelectionSet) {
	w.WriteByte('{')
	for i, f := range selection.Fields(set) {
		if i > 0 {
			w.WriteByte(',')
		}
		fmt.Fprintf(w, "%q:", f.Alias)
		writeAnyValue(rt, w, f, f.Definition.Type)
	}
	w.WriteByte('}')
}

func writeAnyValue(rt *rapid.T, w *strings.Builder, f *ast.Field, t *ast.Type) {
	// What a mutation answers is there when it was not refused.
	required := t.NonNull || f.Alias == record.SpreadAlias || f.Alias == "isNew"
	if f.Alias == "userErrors" {
		w.WriteString("[]")
		return
	}
	if !required && rapid.Bool().Draw(rt, "null") {
		w.WriteString("null")
		return
	}
	if t.Elem != nil {
		w.WriteByte('[')
		for i := range rapid.IntRange(0, 3).Draw(rt, "length") {
			if i > 0 {
				w.WriteByte(',')
			}
			writeAnyValue(rt, w, f, t.Elem)
		}
		w.WriteByte(']')
		return
	}
	switch def := sdl().Types[t.NamedType]; def.Kind {
	case ast.Enum:
		fmt.Fprintf(w, "%q", rapid.SampledFrom(def.EnumValues).Draw(rt, "enum").Name)
	case ast.Object:
		writeAny(rt, w, f.SelectionSet)
	default:
		w.WriteString(anyScalar(rt, t.NamedType))
	}
}

func anyScalar(rt *rapid.T, name string) string {
	switch name {
	case "Int", "Long":
		return fmt.Sprint(rapid.IntRange(0, 1000).Draw(rt, "int"))
	case "Boolean":
		return fmt.Sprint(rapid.Bool().Draw(rt, "boolean"))
	case "Date":
		return `"2026-01-31"`
	case "DateTime":
		return `"2026-01-31T12:00:00.5Z"`
	default:
		text, err := json.Marshal(rapid.StringN(1, 8, -1).Draw(rt, "text"))
		if err != nil {
			rt.Fatal(err)
		}
		return string(text)
	}
}

// The document says what the engine adds to each kind of path: ETags, conditions,
// keys, previews and CSV.
func TestOpenAPIDescribesWhatTheEngineAdds(t *testing.T) {
	document, err := openapi3.NewLoader().LoadFromData(published(t, newBench(t)))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range allEndpoints(t) {
		operation := document.Paths.Value(e.api.Base + e.route.Path).GetOperation(e.route.Method)
		// What is published never changes, and has no lastModified.
		published := []string{"/app-configuration", "/contract", "/contract/versions/{id}"}
		tagged := slices.Contains([]paths.Outcome{paths.Found, paths.Created, paths.Changed, paths.Upserted}, e.route.Outcome) && e.api.Versioned && !slices.Contains(published, e.route.Path)
		keyed := e.route.Method == http.MethodPost && e.route.Outcome != paths.Valid
		writes := e.route.Method != http.MethodGet
		success := operation.Responses.Status(successes[e.route.Outcome][0])
		if success == nil {
			t.Errorf("%s %s: no success", e.route.Method, e.route.Path)
			continue
		}
		rows := e.route.Outcome == paths.Listed || e.route.Outcome == paths.Tabled
		for what, is := range map[string]bool{
			"ETag": tagged, "If-None-Match": tagged && e.route.Outcome == paths.Found, "304": tagged && e.route.Outcome == paths.Found,
			"If-Match": e.conditional(), "412": e.conditional(),
			"Idempotency-Key": keyed, "422": keyed, "409": writes && e.route.Outcome != paths.Valid, "406": true,
			"text/csv": rows, "Total-Count": rows, "dryRun": e.preview != nil,
			"Idempotency-Replayed": keyed,
		} {
			status, _ := strconv.Atoi(what)
			more, _ := success.Value.Extensions["x-content"].(map[string]any)
			described := more[what] != nil || operation.Parameters.GetByInAndName("header", what) != nil || operation.Parameters.GetByInAndName("query", what) != nil ||
				success.Value.Headers[what] != nil || status > 0 && operation.Responses.Status(status) != nil
			if described != is {
				t.Errorf("%s %s: %s is described: %t", e.route.Method, e.route.Path, what, described)
			}
		}
	}
}
