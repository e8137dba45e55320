package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/graph/limits"
)

var budgetAgents = flag.Int("budget-agents", 50_000, "agents of BenchmarkBudget")

// minuteOfBudget is what upline serve gives a client, in points: what flows back in a
// minute.
const minuteOfBudget = 60 * limits.MaxCost

// BenchmarkBudget sends single operations of a kilobyte that have the database work for
// long, and says for how many seconds of its caller's budget each pays, and how much
// CPU time of this process and of PostgreSQL it takes for one of these: "None may take
// more than a second per second of budget it costs."
//
//	go test ./bench -run '^$' -bench Budget -benchtime 3x -timeout 20m
func BenchmarkBudget(b *testing.B) {
	for _, database := range []string{"sqlite", "postgres"} {
		b.Run(database, func(b *testing.B) {
			a := newTrial(b, database, *budgetAgents)
			a.analyze(b)
			recipe := a.recipe(b, "Active downlines")
			for _, q := range a.dear(recipe) {
				b.Run(q.name, func(b *testing.B) { a.pays(b, q) })
			}
		})
	}
}

// dearOne is an operation and its variables.
type dearOne struct {
	name, query string
	variables   map[string]any
}

// dear are operations that look cheaper than they are.
func (a *trial) dear(recipe string) []dearOne {
	twenty := func(format string) string {
		var q strings.Builder
		for i := 10; i < 10+limits.MaxRootFields; i++ {
			fmt.Fprintf(&q, " f%d: "+format, i, i)
		}
		return q.String()
	}
	values := make([]string, 2000) // 20 lists of 7,000 cost too much to be run
	for i := range values {
		values[i] = fmt.Sprint("Status ", i)
	}
	downline := fmt.Sprintf("agent(agentCode: %q) { downline(first: 1, offset: %%d) { totalCount } }", a.top.code)
	return []dearOne{
		{"unlicensed-active-agents", `{ insight(slug: "unlicensed-active-agents", first: 50) { totalCount rows } }`, nil},
		{"active-downlines", fmt.Sprintf(`{ reportRecipe(id: %q) { run(first: 100) { totalCount rows } } }`, recipe), nil},
		{"lists-of-2000", "query($v: [String!]) {" + twenty("agents(first: 1, offset: %d, filter: {payStatus: $v}) { totalCount }") + " }", map[string]any{"v": values}},
		{"20-counts", "{" + twenty("certificationPeriods(first: 1, offset: %d) { totalCount }") + " }", nil},
		{"20-deep-pages", "{" + twenty("certificationPeriods(first: 1, offset: 200%d) { nodes { status } }") + " }", nil},
		{"20-searches", "{" + twenty(`agents(first: 1, offset: %d, filter: {lastName: "a"}, orderBy: [{field: LAST_MODIFIED}]) { totalCount }`) + " }", nil},
		{"20-licenseExpirations", "{" + twenty("licenseExpirations(withinDays: 3%d, first: 5) { daysRemaining }") + " }", nil},
		{"20-leaderboards", "{" + twenty(`leaderboard(from: "2020-01-%d", through: "2028-01-01", top: 5) { rank }`) + " }", nil},
		{"20-downlines", "{" + twenty(downline) + " }", nil},
	}
}

// recipe stores a recipe of the demo and returns its id.
func (a *trial) recipe(b *testing.B, name string) string {
	b.Helper()
	text, err := os.ReadFile("../cmd/upline/demo_recipes.json")
	must(b, err)
	var all struct{ Shared []map[string]any }
	must(b, json.Unmarshal(text, &all))
	for _, recipe := range all.Shared {
		if recipe["name"] == name {
			c := a.As(apptest.Acme, "business-insights:report-recipes:read", "business-insights:report-recipes:write")
			made := c.Query(b, "mutation($input: ReportRecipeCreateInput!) { reportRecipeCreate(input: $input) { reportRecipe { id } } }", map[string]any{"input": recipe})
			return apptest.At(made, "reportRecipeCreate.reportRecipe.id").(string)
		}
	}
	b.Fatalf("the demo has no recipe %s", name)
	return ""
}

// pays sends an operation again and again. The clock stands, so that nothing flows back
// into the budget meanwhile.
func (a *trial) pays(b *testing.B, q dearOne) {
	scopes := append([]string{"business-insights:queries:execute", "business-insights:report-recipes:read"}, apptest.Agency...)
	c := a.WithToken(apptest.Acme, a.As(apptest.Acme, scopes...).Token(b))
	var elapsed, cpu, seconds, ratio []float64
	var foreseen float64
	for b.Loop() {
		before := a.left(b, c)
		used, began := a.used(b), time.Now()
		answer, status := a.ask(b, c, q)
		took := time.Since(began)
		used = a.used(b) - used
		paid := before - a.left(b, c)
		if status < http.StatusServiceUnavailable && len(answer.Errors) > 0 { // a long one may be ended, or turned away
			b.Fatalf("%d %+v", status, answer.Errors[0])
		}
		foreseen = number(answer, "requested")
		elapsed, cpu = append(elapsed, float64(took.Milliseconds())), append(cpu, float64(used.Milliseconds()))
		seconds = append(seconds, paid/limits.MaxCost)
		ratio = append(ratio, used.Seconds()/(paid/limits.MaxCost))
		a.Clock.Move(time.Minute) // the budget is whole again
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(elapsed), "ms")
	b.ReportMetric(median(cpu), "cpu-ms")
	b.ReportMetric(foreseen, "points-foreseen")
	b.ReportMetric(median(seconds)*1000, "budget-ms")
	b.ReportMetric(median(ratio), "cpu/budget")
}

// left is what remains of the budget of a caller.
func (a *trial) left(b *testing.B, c *apptest.Caller) float64 {
	b.Helper()
	answer, _ := a.ask(b, c, dearOne{query: "{ __typename }"})
	return number(answer, "remaining")
}

func (a *trial) ask(b *testing.B, c *apptest.Caller, q dearOne) (answer apptest.Response, status int) {
	b.Helper()
	body, err := json.Marshal(map[string]any{"query": q.query, "variables": q.variables, "extensions": map[string]any{"cost": true}})
	must(b, err)
	r := c.Send(b, http.MethodPost, apptest.GraphQLPath, nil, body)
	must(b, json.Unmarshal(r.Body.Bytes(), &answer))
	return answer, r.Code
}

// number is one of the cost of an answer.
func number(answer apptest.Response, name string) float64 {
	cost, _ := answer.Extensions["cost"].(map[string]any)
	n, _ := cost[name].(float64)
	return n
}
