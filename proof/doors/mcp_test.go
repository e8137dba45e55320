package doors_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/mcp"
	"github.com/uplinehq/upline/rest"
)

// tokenSender sends a token with each request.
type tokenSender struct{ token string }

func (b tokenSender) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// assistant is a session of the SDK's own client, which is offered every tool.
type assistant struct {
	*sdk.ClientSession
	*apptest.Caller
	offered map[string]*sdk.Tool
}

// everyTool asks for the tools of all purposes.
var everyTool = "?tools=" + strings.Join(rest.Purposes(), ",")

func connect(t *testing.T, w *apptest.World, c *apptest.Caller, query string) (*sdk.ClientSession, error) {
	t.Helper()
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	return client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: server.URL + "/mcp/" + apptest.Acme + query, HTTPClient: &http.Client{Transport: tokenSender{c.Token(t)}}, DisableStandaloneSSE: true, MaxRetries: -1}, nil)
}

// newAssistant connects with a token that stays the same: a new one would be a new row.
func newAssistant(t *testing.T, w *apptest.World, scopes ...string) assistant {
	t.Helper()
	c := w.WithToken(apptest.Acme, w.As(apptest.Acme, scopes...).Token(t))
	session, err := connect(t, w, c, everyTool)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	a := assistant{ClientSession: session, Caller: c}
	a.offered = a.tools(t)
	return a
}

// call returns what a tool answers, and whether it is a refusal.
func (a assistant) call(t *testing.T, tool string, arguments object) (answer string, refused bool) {
	t.Helper()
	result, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil || len(result.Content) == 0 {
		t.Fatalf("%s: %v %v", tool, result, err)
	}
	if offered := a.offered[tool]; offered != nil && offered.OutputSchema != nil && !result.IsError {
		if err := compiled(t, offered.OutputSchema).Validate(result.StructuredContent); err != nil {
			t.Errorf("%s answers what its schema does not say: %v", tool, err)
		}
		same(t, tool, result.StructuredContent, decoded(t, []byte(result.Content[0].(*sdk.TextContent).Text)))
	}
	return result.Content[0].(*sdk.TextContent).Text, result.IsError
}

// must is call for what is not refused.
func (a assistant) must(t *testing.T, tool string, arguments object) any {
	t.Helper()
	answer, refused := a.call(t, tool, arguments)
	if refused {
		t.Fatalf("%s is refused: %s", tool, answer)
	}
	return decoded(t, []byte(answer))
}

// refused demands that a tool refuses, with a code and a text.
func (a assistant) refused(t *testing.T, tool string, arguments object, path, code, text string) {
	t.Helper()
	answer, refused := a.call(t, tool, arguments)
	if got := apptest.At(decoded(t, []byte(answer)), path); !refused || got != code || !strings.Contains(answer, text) {
		t.Errorf("%s %v: refused %v with %s; want %s, %q", tool, arguments, refused, answer, code, text)
	}
}

// compiled returns a schema that holds.
func compiled(t *testing.T, schema any) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("mem:///tool", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("mem:///tool")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func (a assistant) tools(t *testing.T) map[string]*sdk.Tool {
	t.Helper()
	tools := map[string]*sdk.Tool{}
	for tool, err := range a.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		tools[tool.Name] = tool
	}
	return tools
}

// An assistant sees a tool for each operation that its token may read, and a dry run
// of each change that has one; without the scope for it nothing that writes. Their schemas
// hold, and what fits them not is refused by the operation, with the problem that REST
// answers.
func TestToolsAreTheStoredOperations(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		all := newAssistant(t, w, slices.DeleteFunc(slices.Clone(allScopes), func(scope string) bool { return scope == assistantWrites })...)
		var document struct {
			Paths map[string]map[string]struct {
				OperationID string `json:"operationId"`
			}
		}
		if err := json.Unmarshal(all.Send(t, http.MethodGet, "/openapi.json", nil, nil).Body.Bytes(), &document); err != nil {
			t.Fatal(err)
		}
		tools := all.offered
		for path, item := range document.Paths {
			for method, operation := range item {
				if tool := tools[operation.OperationID]; (tool != nil) != (method == "get" || strings.HasSuffix(path, "/validation")) {
					t.Errorf("%s %s has the tool %v", method, path, tool)
				}
			}
		}
		previews := 0
		for name, tool := range tools {
			if strings.HasPrefix(name, "preview") {
				previews++
			}
			compiled(t, tool.InputSchema)
			if tool.Description == "" || !tool.Annotations.ReadOnlyHint {
				t.Errorf("%s: %+v", name, tool)
			}
			withoutSchema := []string{"applicationValidation", "backgroundQuestions", "contractCovenants"} // they answer no object
			if got := tool.OutputSchema == nil; got != slices.Contains(withoutSchema, name) {
				t.Errorf("%s has no schema of its answer: %v", name, got)
			}
		}
		if previews != 8 || tools["previewAgentDelete"] != nil || tools["graphql"] == nil || tools["insight"] == nil {
			t.Errorf("%d previews among %d tools", previews, len(tools))
		}
		properties := tools["agents"].InputSchema.(object)["properties"].(object)
		if properties["pageSize"] == nil || properties["onDate"] == nil || properties["tenantIdentifier"] != nil || properties["If-None-Match"] != nil {
			t.Errorf("agents takes %v", properties)
		}
		few := newAssistant(t, w, "read:agents").offered
		if few["agents"] == nil || few["graphql"] == nil || few["users"] != nil || few["previewPayStatusPeriodApply"] != nil {
			t.Errorf("with read:agents there are %d tools", len(few))
		}
		read := newAssistant(t, w, "read:agents")
		read.refused(t, "users", nil, "code", "FORBIDDEN", "read:users")
		read.refused(t, "previewPayStatusPeriodApply", object{"body": object{"agentCode": "A1", "status": "Active", "effectiveFrom": "2026-08-01", "initiator": "hr"}}, "code", "FORBIDDEN", "write:agents")
		read.refused(t, "agent", object{"agentCode": "nobody"}, "code", "NOT_FOUND", "")
		read.refused(t, "agent", nil, "errors.0.field", "agentCode", "is required")
		read.refused(t, "agents", object{"agentCodes": "A1", "agentCod": "A1"}, "code", "UNKNOWN_FIELD", "did you mean agentCodes?")
		read.refused(t, "agents", object{"pageSize": []any{1, 2}}, "errors.0.field", "pageSize", "more than once")
		read.refused(t, "agents", object{"agentCodes": []any{}}, "errors.0.field", "agentCodes", "empty")
		read.refused(t, "agents", object{"agentCodes": object{}}, "errors.0.field", "agentCodes", "must not be an object")
		read.refused(t, "agents", object{"pageSize": 1000}, "errors.0.field", "pageSize", "")
	})
}

// What tools answer is what REST answers, page by page, and what the catalogue lists
// can be run.
func TestAssistantReads(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		agency := w.LoadDemo(t, apptest.Acme, 12)
		a := newAssistant(t, w, "read:agents", "write:agents", runReports)
		code := agency.Agents[3].Code
		_, _, levels := a.REST(t, http.MethodGet, "/teams/default/assigned-levels?agentCode="+code, nil)
		same(t, "levels", a.must(t, "levelPeriods", object{"team": "default", "agentCode": code}), decoded(t, levels))
		if got := apptest.At(a.must(t, "agent", object{"agentCode": code}), "agentCode"); got != code {
			t.Errorf("agent is %v; want %s", got, code)
		}
		var codes []string
		for page := 1; page <= 3; page++ {
			list := a.must(t, "agents", object{"pageSize": 4, "pageIndex": page, "sort": "agentCode"})
			if total := fmt.Sprint(apptest.At(list, "totalCount")); total != "12" {
				t.Errorf("%s agents", total)
			}
			for _, row := range apptest.Each(list, "items", "agentCode") {
				codes = append(codes, row.(string))
			}
		}
		if !slices.IsSorted(codes) || len(slices.Compact(codes)) != 12 {
			t.Errorf("the pages are %v", codes)
		}
		downline, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: "downlineMembers", Arguments: object{"team": "default", "agentCode": code}})
		if err != nil || len(downline.Content) != 2 || !strings.Contains(downline.Content[1].(*sdk.TextContent).Text, "Hierarchy-Stale: ") {
			t.Errorf("a downline that does not say how old it is: %v %v", downline, err)
		}
		slugs := apptest.Each(a.must(t, "insightQueries", nil), "data.insightQueries", "slug")
		if !slices.Contains(slugs, any("headcount")) {
			t.Errorf("the catalogue is %v", slugs)
		}
		a.Query(t, `mutation { scenarioCreate(input: {name: "Up", effectiveFrom: "2026-09-01", moves: [{agentCode: "`+code+`", newUplineAgentCode: null}]}) { userErrors { message } } }`, nil)
		planned := a.must(t, "scenarios", object{"first": 1})
		if moved := apptest.At(planned, "data.scenarios.nodes.0.evaluation.moves.0.agent.agentCode"); moved != code {
			t.Errorf("the plans are %v", planned)
		}
		sold := a.must(t, "salesAuthorizations", object{"status": "AUTHORIZED", "first": 5})
		if rows := apptest.Each(sold, "data.salesAuthorizations.nodes", "status"); len(rows) == 0 || rows[0] != "AUTHORIZED" {
			t.Errorf("who may sell: %v", sold)
		}
		got := a.must(t, "insight", object{"slug": "headcount", "parameters": object{"from": "2026-01-01"}, "pageSize": 2})
		if apptest.At(got, "slug") != "headcount" || apptest.At(got, "parameters.from") != "2026-01-01" || len(apptest.At(got, "items").([]any)) == 0 {
			t.Errorf("headcount is %v", got)
		}
		schema, err := a.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: mcp.SchemaURI})
		if err != nil || !strings.Contains(schema.Contents[0].Text, "type Agent ") {
			t.Errorf("the schema: %v", err)
		}
	})
}

// The tool graphql runs queries as their own door does, within the same limits, and
// nothing but queries.
func TestAssistantQueries(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		apptest.Register(t, w.As(apptest.Acme), "A1", nil)
		a := newAssistant(t, w, "read:agents", "write:agents", "delete:agents")
		data := a.must(t, "graphql", object{"query": "query A { none: viewer { subject } } query B($code: String!, $n: Int) { agent(agentCode: $code) { lastName certifications(first: $n) { totalCount } } }",
			"operationName": "B", "variables": object{"code": "A1", "n": 2}})
		if apptest.At(data, "data.agent.lastName") != "Lee" {
			t.Errorf("the answer is %v", data)
		}
		const deep = "{ agents(first: 100) { nodes { downline(first: 100) { nodes { downline(first: 100) { nodes { downline(first: 100) { nodes { agentCode } } } } } } } } }"
		before := tables(t, w)
		a.refused(t, "graphql", object{"query": deep}, "errors.0.extensions.code", "COST_LIMIT_EXCEEDED", "cost")
		a.refused(t, "graphql", object{"query": "{ users { totalCount } }"}, "errors.0.extensions.code", "FORBIDDEN", "read:users")
		a.refused(t, "graphql", object{"query": `mutation { agentDelete(input: {agentCode: "A1"}) { applied } }`}, "errors.0.extensions.reason", "NOT_APPLICABLE", "this is a mutation")
		a.refused(t, "graphql", object{"query": `subscription { agentChanged { __typename } }`}, "errors.0.extensions.code", "BAD_USER_INPUT", "this is a subscription")
		a.refused(t, "graphql", object{"document": "{ __typename }"}, "code", "INVALID_FORMAT", "query")
		if !reflect.DeepEqual(before, tables(t, w)) {
			t.Error("a refused operation changed something")
		}
	})
}

// A change is only ever tried: its tool answers what a dry run of REST answers, and no
// row of any table is another afterwards, those of the audit trail among them.
func TestAssistantTriesChanges(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		apptest.Register(t, w.As(apptest.Acme), "A1", nil)
		a := newAssistant(t, w, "read:agents", "write:agents")
		period := object{"agentCode": "A1", "status": "Suspended", "effectiveFrom": "2026-08-01", "initiator": "hr"}
		before := tables(t, w)
		_, _, want := a.REST(t, http.MethodPost, "/payees/assigned-statuses?dryRun=true", period)
		got := a.must(t, "previewPayStatusPeriodApply", object{"body": period})
		same(t, "the preview", got, decoded(t, want))
		if apptest.At(got, "applied") != false || len(apptest.At(got, "changes.operations").([]any)) == 0 {
			t.Errorf("the preview is %v", got)
		}
		a.refused(t, "previewPayStatusPeriodApply", object{"body": period, "dryRun": false}, "errors.0.field", "dryRun", "always a dry run")
		a.refused(t, "previewPayStatusPeriodApply", nil, "errors.0.field", "body", "is required")
		if !reflect.DeepEqual(before, tables(t, w)) {
			t.Error("a preview changed something")
		}
	})
}

// Sensitive values are masked, whatever the token may see at other doors: so no entry
// of a reveal is due, and none is written. None is found by its value either.
func TestAssistantSeesMasks(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		a := newTrail(t, w, "REST")
		registerWithSecrets(t, a.Caller)
		count := len(a.entries(t, "REVEAL"))
		s := newAssistant(t, w, allScopes...)
		const revealing = `{ agents { nodes { agentCode governmentIdentifier(reveal: true) payee { w9 { taxpayerIdentifier(reveal: true) signature(reveal: true) }
			directDeposit { accountNumber(reveal: true) routingNumber(reveal: true) } } } } }`
		for tool, arguments := range map[string]object{"agent": {"agentCode": "R1"}, "agents": nil, "w9Periods": nil, "graphql": {"query": revealing}} {
			answer, refused := s.call(t, tool, arguments)
			if refused || !strings.Contains(answer, "R1") {
				t.Fatalf("%s: %s", tool, answer)
			}
			masked(t, tool, answer)
		}
		s.refused(t, "agents", object{"governmentIdentifier": "523-45-6781"}, "errors.0.field", "governmentIdentifier", "")
		s.refused(t, "applications", object{"governmentIdentifier": "523-45-6781"}, "errors.0.field", "governmentIdentifier", "it is sensitive")
		searches(t, w, func(t *testing.T, query string, variables object) {
			if answer, refused := s.call(t, "graphql", object{"query": query, "variables": variables}); !refused || !strings.Contains(answer, "FORBIDDEN") {
				t.Errorf("%s: %s", query, answer)
			}
		})
		if n := len(a.entries(t, "REVEAL")); n != count {
			t.Errorf("masked reads left %d entries", n-count)
		}
		for _, secret := range secrets {
			if strings.Contains(w.Logged(), secret) {
				t.Errorf("the log holds %q", secret)
			}
		}
	})
}
