package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/insights/recipe"
	"github.com/uplinehq/upline/internal/problem"
)

var savedScopes = []string{"business-insights:report-recipes:read", "business-insights:report-recipes:write", "business-insights:queries:execute", "read:agents", "write:agents"}

// savedAgents is a saved query over agents, with more variables, arguments, fields
// of the query and fields of the connection.
func savedAgents(variables, arguments, fields, more string) string {
	return "query($first: Int, $after: String" + variables + ") { " + fields + " agents(first: $first, after: $after" + arguments + ") { nodes { agentCode } " + more + " } }"
}

const pagingFields = "pageInfo { hasNextPage endCursor } totalCount"

func savedDefinition(document string, variables object) object {
	return object{"graphql": document, "variables": variables, "connectionPath": "agents", "columns": list(object{"field": "agentCode"})}
}

// saveQuery stores a recipe and returns its id, or what is wrong with it.
func saveQuery(t *testing.T, c *apptest.Caller, name string, definition any) (id string, refused []string) {
	t.Helper()
	data := c.Query(t, `mutation($in: ReportRecipeCreateInput!) { m: reportRecipeCreate(input: $in) { reportRecipe { id } userErrors { code field message } } }`,
		object{"in": object{"name": name, "dataset": "graphql", "definition": definition}})
	id, _ = apptest.At(data, "m.reportRecipe.id").(string)
	errs, _ := apptest.At(data, "m.userErrors").([]any)
	for _, e := range errs {
		refused = append(refused, fmt.Sprint(apptest.At(e, "code"), apptest.At(e, "field"), " ", apptest.At(e, "message")))
	}
	return id, refused
}

// "The rejected value is never echoed" (api, Errors), and a bad parameter is named: of
// a definition its variable, of a run the tenant's parameter.
func TestSavedQueriesNameWhatIsWrongAndEchoNothing(t *testing.T) {
	const secret = "523456781"
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, savedScopes...)
		for name, test := range map[string]struct {
			document  string
			variables object
			want      string
		}{
			"a literal":           {savedAgents("", ", filter: {email: "+secret+"}", "", pagingFields), nil, "INVALID_FORMAT[input definition graphql] "},
			"a literal, no query": {savedAgents("", "", "", pagingFields) + ` "` + secret + `"`, nil, "INVALID_FORMAT[input definition graphql] "},
			"an enum":             {savedAgents("", "", `leaderboard(metric: X`+secret+`, from: "2026-01-01", through: "2026-01-31") { rank }`, pagingFields), nil, "INVALID_FORMAT[input definition graphql] "},
			"a variable":          {savedAgents(", $email: String", ", filter: {email: $email}", "", pagingFields), object{"email": object{"x": secret}}, "INVALID_FORMAT[input definition variables email] "},
			"a variable's field":  {savedAgents(", $filter: AgentFilter", ", filter: $filter", "", pagingFields), object{"filter": object{"firstName": list(object{"x": secret})}}, "INVALID_FORMAT[input definition variables filter firstName] "},
			"an unknown field":    {savedAgents(", $filter: AgentFilter", ", filter: $filter", "", pagingFields), object{"filter": object{"ssn" + secret: 1}}, "INVALID_FORMAT[input definition variables filter ?] "},
			"a missing variable":  {savedAgents(", $filter: AgentFilter!", ", filter: $filter", "", pagingFields), nil, "REQUIRED[input definition variables filter] is required"},
			"two queries":         {"query A" + strings.TrimPrefix(savedAgents("", "", "", pagingFields), "query") + " query B { viewer { subject } }", nil, "NOT_APPLICABLE[input definition graphql] must hold one operation, a query"},
		} {
			_, refused := saveQuery(t, c, name, savedDefinition(test.document, test.variables))
			if len(refused) != 1 || !strings.HasPrefix(refused[0], test.want) || strings.Contains(refused[0], secret) {
				t.Errorf("%s: %q; want %s", name, refused, test.want)
			}
		}
		id, refused := saveQuery(t, c, "Q", savedDefinition(savedAgents(", $metric: LeaderboardMetric, $days2: Int!, $filter: AgentFilter", ", filter: $filter",
			`leaderboard(metric: $metric, from: "2026-01-01", through: "2026-01-31") { rank } licenseExpirations(withinDays: $days2) { bucket }`, pagingFields), nil))
		if refused != nil {
			t.Fatal(refused)
		}
		for _, test := range []struct {
			parameters object
			want       string
		}{
			{object{"days2": 1, "metric": secret}, "INVALID_FORMAT[tenantParameters metric]"},
			{object{"days2": "x" + secret}, "INVALID_FORMAT[tenantParameters days2]"},
			{object{}, "REQUIRED[tenantParameters days2]"},
			{object{"days2": nil}, "REQUIRED[tenantParameters days2]"},
			{object{"days2": 1, "filter": object{"agentCodes": list(object{"x": secret})}}, "INVALID_FORMAT[tenantParameters filter agentCodes 0]"},
		} {
			_, errs := c.GraphQL(t, `query($id: ID!, $p: JSON) { reportRecipe(id: $id) { run(tenantParameters: $p) { rows } } }`, object{"id": id, "p": test.parameters})
			if len(errs) != 1 || fmt.Sprint(errs[0].Extensions["reason"], errs[0].Extensions["field"]) != test.want || strings.Contains(fmt.Sprintf("%+v", errs), secret) || errs[0].Code() != "BAD_USER_INPUT" {
				t.Errorf("%v: %+v; want %s", test.parameters, errs, test.want)
			}
		}
	})
}

// What pages a saved query is found by its name: nothing else may have it.
func TestPagingFieldsOfSavedQueriesAreThemselves(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, savedScopes...)
		for _, more := range []string{
			"pageInfo { hasNextPage endCursor } totalCount: __typename",
			"pageInfo { hasNextPage: hasPreviousPage endCursor } totalCount",
			"pageInfo { hasNextPage endCursor: startCursor } totalCount",
			"info: pageInfo { hasNextPage endCursor } totalCount",
		} {
			_, refused := saveQuery(t, c, "Q", savedDefinition(savedAgents("", "", "", more), nil))
			if len(refused) != 1 || !strings.HasPrefix(refused[0], "REQUIRED[input definition graphql]") {
				t.Errorf("%s: %q", more, refused)
			}
		}
		edges := strings.Replace(savedAgents("", "", "", pagingFields), "nodes { agentCode }", "nodes: edges { node { agentCode } }", 1)
		if _, refused := saveQuery(t, c, "Q", savedDefinition(edges, nil)); len(refused) != 1 || !strings.HasPrefix(refused[0], "REQUIRED[input definition graphql]") {
			t.Errorf("%q", refused)
		}
	})
}

// A query is stored when its largest page is within the cost of a document; one whose
// cost has risen since still runs in pages that are.
func TestSavedQueriesAreCheckedForTheirPages(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		ctx := w.Context(t, apptest.Acme)
		q := &recipe.SavedQuery{Document: strings.Replace(savedAgents("", "", "", pagingFields), "agentCode", "agentCode downline(first: 100) { nodes { certifications(first: 100) { nodes { status } } } }", 1),
			Path: "agents", Columns: []insights.Column{{Key: "agentCode"}}}
		refused, err := w.Graph.CheckQuery(ctx, q)
		if err != nil || len(refused) == 0 {
			t.Errorf("%v %v", refused, err)
		}
		if _, err := w.Graph.RunQuery(ctx, q, insights.Request{First: new(1)}); err != nil {
			t.Error(err)
		}
		if _, err := w.Graph.RunQuery(ctx, q, insights.Request{First: new(100)}); !problem.Has(err, problem.InvalidFormat) {
			t.Errorf("a page that costs too much: %v", err)
		}
	})
}

// "parameters" are those in force, defaults included: of the run, of the recipe, and
// of the document.
func TestParametersOfASavedQuery(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, savedScopes...)
		id, refused := saveQuery(t, c, "Q", savedDefinition(savedAgents(`, $last: String = "Test", $status: [String!], $code: [String!], $onDate: Date = "2026-01-01", $npn: String`,
			", onDate: $onDate, filter: {lastName: $last, payStatus: $status, agentCodes: $code, npn: $npn}", "", pagingFields), object{"status": list("Active"), "code": list("A1")}))
		if refused != nil {
			t.Fatal(refused)
		}
		data := c.Query(t, `query($id: ID!) { reportRecipe(id: $id) { stored: run { parameters } given: run(tenantParameters: {code: ["A2"]}, onDate: "2026-02-01") { parameters } } }`, object{"id": id})
		equal(t, "stored", apptest.At(data, "reportRecipe.stored.parameters"), object{"last": "Test", "status": list("Active"), "code": list("A1"), "onDate": "2026-01-01"})
		equal(t, "given", apptest.At(data, "reportRecipe.given.parameters"), object{"last": "Test", "status": list("Active"), "code": list("A2"), "onDate": "2026-02-01"})
	})
}

// A column through a list has all values of it, as one text; of none it is null.
func TestColumnsThroughLists(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, savedScopes...)
		newAgent(t, c, "A1", "", "2026-01-01")
		newAgent(t, c, "A2", "", "2026-01-01")
		for _, name := range []string{"GOLD", "VIP"} {
			succeed(t, c, `mutation($n: String!) { tagCreate(input: {name: $n}) { userErrors { code } } }`, object{"n": name})
			succeed(t, c, `mutation($n: String!) { agentTagsUpdate(input: {agentCode: "A1", tags: [{tag: $n, operation: ASSIGN}]}) { userErrors { code } } }`, object{"n": name})
		}
		definition := savedDefinition(`query($first: Int, $after: String) { agents(first: $first, after: $after) { nodes { agentCode tags { name } levelPeriods(first: 3) { nodes { level { value } } } } `+pagingFields+" } }", nil)
		definition["columns"] = list(object{"field": "agentCode"}, object{"field": "tags.name"}, object{"field": "levelPeriods.nodes.level.value"})
		id, refused := saveQuery(t, c, "Tags", definition)
		if len(refused) > 0 {
			t.Fatal(refused)
		}
		run := apptest.At(c.Query(t, `query($id: ID!) { reportRecipe(id: $id) { run(first: 5) { columns { key type } rows } } }`, object{"id": id}), "reportRecipe.run")
		if got, want := fmt.Sprint(apptest.At(run, "columns")), "[map[key:agentCode type:TEXT] map[key:tags.name type:TEXT] map[key:levelPeriods.nodes.level.value type:TEXT]]"; !strings.EqualFold(got, want) {
			t.Errorf("the columns are %s, want %s", got, want)
		}
		want := list(object{"agentCode": "A1", "tags.name": "GOLD, VIP", "levelPeriods.nodes.level.value": "10"}, object{"agentCode": "A2", "tags.name": nil, "levelPeriods.nodes.level.value": "10"})
		if rows := apptest.At(run, "rows"); !same(rows, want) {
			t.Errorf("the rows are %v, want %v", rows, want)
		}
		definition["columns"] = list(object{"field": "tags"})
		if _, refused := saveQuery(t, c, "Objects", definition); len(refused) != 1 || !strings.Contains(refused[0], "must lead to a value") {
			t.Errorf("a column of objects: %v", refused)
		}
	})
}
