package rest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/rest/paths"
	"github.com/uplinehq/upline/rest/record"
)

const period = `{"agentCode":"A1","status":"Active","effectiveFrom":"2026-03-01","initiator":"hr"}`

// "REST gets it as an additive ?dryRun=true": 200 with what would change, enum
// values spelled as elsewhere and codes as those of errors.
func TestDryRunAnswersTheChanges(t *testing.T) {
	b := newBench(t)
	b.Graph(`{"payStatusPeriodApply":{"period":null,"applied":false,"userErrors":[],"changes":{
		"before":[{"effectiveFrom":"2026-01-01","effectiveThrough":null,"value":"On Hold"}],"after":[],
		"operations":[{"kind":"SHORTENED","existing":null,"results":[]}],
		"warnings":[{"code":"SPLIT_SAME_VALUE","message":"m"}]}}}`)
	w := b.call(http.MethodPost, "/payees/assigned-statuses?dryRun=true", period)
	want := `{"applied":false,"changes":{"before":[{"effectiveFrom":"2026-01-01","effectiveThrough":null,"value":"On Hold"}],"after":[],` +
		`"operations":[{"kind":"Shortened","existing":null,"results":[]}],"warnings":[{"code":"SPLIT_SAME_VALUE","message":"m"}]}}`
	if w.Code != 200 || w.Body.String() != want {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if got := b.Variables["dryRun"]; got != true {
		t.Errorf("the operation ran with dryRun %v", got)
	}
}

func TestDryRunIsTrueOrFalse(t *testing.T) {
	b := newBench(t)
	for _, query := range []string{"dryRun=", "dryRun=yes", "dryRun=True", "dryRun=true&dryRun=true", "dryRun=1"} {
		p := problemOf(t, b.call(http.MethodPost, "/payees/assigned-statuses?"+query, period))
		if got := strings.Join(fields(p), ", "); p.Status != 400 || got != "dryRun INVALID_FORMAT" {
			t.Errorf("%s: %d %s", query, p.Status, got)
		}
	}
	if b.Calls != 0 {
		t.Error("an operation ran")
	}
	b.Data(`{"payStatusPeriodApply":{"_":{"id":"1","status":{"name":"Active"}},"applied":true,"userErrors":[]}}`)
	if w := b.call(http.MethodPost, "/payees/assigned-statuses?dryRun=false", period); w.Code != 201 {
		t.Errorf("dryRun=false: %d %s", w.Code, w.Body)
	}
}

// A path without a preview refuses the parameter: ignored, it would make the
// change.
func TestDryRunIsNeverIgnored(t *testing.T) {
	b := newBench(t)
	for _, e := range allEndpoints(t) {
		if e.route.Method == http.MethodGet || e.preview != nil {
			continue
		}
		path := strings.Replace(e.api.Base, "{tenantIdentifier}", "demo", 1) + e.route.Path
		for _, name := range pathNames(path) {
			path = strings.Replace(path, "{"+name+"}", "1", 1)
		}
		body := ""
		if e.request.body != nil {
			body = "{}"
		}
		p := problemOf(t, b.send(e.route.Method, path+"?dryRun=true", body))
		if got := strings.Join(fields(p), ", "); p.Status != 400 || !strings.Contains(got, "dryRun NOT_APPLICABLE") {
			t.Errorf("%s %s: %d %s", e.route.Method, e.route.Path, p.Status, got)
		}
	}
	if b.Calls != 0 {
		t.Error("an operation ran")
	}
}

// Every mutation that can tell what it would change offers that over REST.
func TestEveryPreviewIsOffered(t *testing.T) {
	for _, e := range allEndpoints(t) {
		field := e.operation.Root.Definition
		changes := func(f *ast.FieldDefinition) bool { return f.Type.Name() == record.ChangeSetType }
		can := false
		for _, f := range e.schema.Types[field.Type.Name()].Fields {
			can = can || changes(f)
		}
		if can = can && field.Arguments.ForName("dryRun") != nil; can != (e.preview != nil) {
			t.Errorf("%s: the mutation has a preview: %t, the path: %t", e.route.Operation, can, e.preview != nil)
		}
	}
}

func allEndpoints(t testing.TB) []*endpoint {
	t.Helper()
	endpoints, err := newEndpoints(sdl(), paths.All)
	if err != nil {
		t.Fatal(err)
	}
	return endpoints
}
