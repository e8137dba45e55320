package graph_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/insights/recipe"
)

// asKnownQuestions ask each field of Query that takes an instant, about the day $on where it
// takes one.
var asKnownQuestions = map[string]string{
	"agent": `agent(agentCode: "A1", onDate: $on, asKnownAt: $at) { displayName isActive upline { agentCode displayName } uplineChain(maxDepth: 4) { agent { agentCode lastName } }
		payee { isPayable missing w9 { name } } certifications(first: 9) { nodes { status note } } }`,
	"agents": `agents(first: 9, onDate: $on, asKnownAt: $at, filter: {query: "smi"}) { totalCount nodes { agentCode lastName } }
		phones: agents(first: 9, onDate: $on, asKnownAt: $at, filter: {query: "5550100"}) { totalCount nodes { agentCode } }
		named: agents(first: 9, onDate: $on, asKnownAt: $at, filter: {or: [{query: "sam test"}, {query: "x2"}], not: {query: "v4"}}, orderBy: [{field: AGENT_CODE}]) { totalCount nodes { agentCode } }`,
	"certification":   `certification(id: $licence, onDate: $on, asKnownAt: $at) { status note agent { lastName } }`,
	"certifications":  `certifications(first: 9, onDate: $on, asKnownAt: $at) { totalCount nodes { status note agent { agentCode } } }`,
	"team":            `team(onDate: $on, asKnownAt: $at) { memberCount roots(first: 9) { nodes { agentCode } } }`,
	"downlineMembers": `downlineMembers(first: 9, filter: {agentCode: "A0"}, onDate: $on, asKnownAt: $at) { nodes { depth descendant { agentCode lastName } } }`,
	"uplineMembers":   `uplineMembers(first: 9, filter: {agentCode: "A3"}, onDate: $on, asKnownAt: $at) { nodes { depth ancestor { agentCode lastName } } }`,
	"hierarchyDiff": `hierarchyDiff(maxChanges: 9, fromDate: "2026-04-01", toDate: $day, asKnownAt: $at) { totals { added removed moved levelChanged } added { agentCode lastName } removed { agentCode }
			moved { agent { agentCode } fromUpline { agentCode } toUpline { agentCode lastName } effectiveFrom initiator } levelChanged { agent { agentCode isActive } fromLevel toLevel effectiveFrom } }
		below: hierarchyDiff(maxChanges: 9, fromDate: "2026-05-10", toDate: $day, rootAgentCode: "A0", asKnownAt: $at) { totals { added removed moved levelChanged } moved { agent { agentCode } initiator } }`,
	"leaderboard":         `leaderboard(from: "2026-05-01", through: $day, asKnownAt: $at) { rank value policyCount agent { agentCode lastName asKnownAt @skip(if: true) } }`,
	"licenseExpirations":  `licenseExpirations(withinDays: 60, asKnownAt: $at) { daysRemaining certification { status note } agent { agentCode lastName } }`,
	"productRules":        `productRules(onDate: $on, asKnownAt: $at) { rule certificationTypes requiresActiveStatus uplineDepth effectiveFrom effectiveThrough }`,
	"salesAuthorizations": `salesAuthorizations(products: ["TERM"], jurisdictions: ["US-TX"], first: 20, onDate: $on, asKnownAt: $at) { totalCount nodes { agentCode status through validThrough reasons { code agentCode depth } } }`,
	"explain":             `explain(of: $agent, field: "lastName", onDate: $on, asKnownAt: $at) { sequence } status: explain(of: $agent, field: "status", onDate: $on, asKnownAt: $at) { sequence }`,
}

// ofNow are the fields that take a day, or days, and no instant, with the reason.
var ofNow = map[string]string{
	"Scenario.difference":      "a scenario is tried on what is known now",
	"ScenarioTrial.difference": "a scenario is tried on what is known now",
	"Query.scenarioTrial":      "a scenario is tried on what is known now",
	"Query.insight":            "its parameter asKnownAt, which insightQueries has",
	// The days of filters are those of rows, which the instant beside the filter selects.
}

// reportsOfNow are the curated queries and datasets that do not answer as it was known.
var reportsOfNow = []string{"onboarding-funnel", "recruiting", "webhook-health", "applications", "webhookDeliveries"}

// given are the parameters that curated queries need.
var given = map[string]object{"eligibility": {"agentCode": "A3"}, "sales-authorizations": {"product": "TERM", "jurisdiction": "US-TX"}, "authorization-expirations": {"product": "TERM"}}

// TestWhoeverTakesADayTakesTheInstant walks the schema, the curated queries and the datasets:
// what answers for a day answers as it was known, or is named here with its reason.
func TestWhoeverTakesADayTakesTheInstant(t *testing.T) {
	text, err := os.ReadFile("../schema.graphql")
	if err != nil {
		t.Fatal(err)
	}
	schema := gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphql", Input: string(text)})
	listed := maps.Clone(ofNow)
	for name, def := range schema.Types {
		for _, f := range def.Fields {
			takes := slices.ContainsFunc(f.Arguments, func(a *ast.ArgumentDefinition) bool { return a.Type.Name() == "Date" })
			known := f.Arguments.ForName("asKnownAt") != nil
			if _, named := ofNow[name+"."+f.Name]; takes && known == named {
				t.Errorf("%s.%s takes a day: it takes asKnownAt, too, or is listed with a reason", name, f.Name)
			}
			delete(listed, name+"."+f.Name)
			if known && name == "Query" && asKnownQuestions[f.Name] == "" {
				t.Errorf("%s takes asKnownAt: it needs a question here", f.Name)
			}
		}
	}
	for name := range listed {
		t.Errorf("there is no field %s", name)
	}
	for _, q := range insights.Queries() {
		known := slices.ContainsFunc(q.AllParameters(), func(p insights.Parameter) bool { return p.Name == "asKnownAt" })
		if known == slices.Contains(reportsOfNow, q.Slug) {
			t.Errorf("%s answers as it was known, or is listed", q.Slug)
		}
	}
}

// What any field, curated query, dataset or saved query answered at an instant, it answers
// ever after, asKnownAt that instant, whatever was written since.
func TestEverythingIsAsKnown(t *testing.T) {
	for seed := range *ledgers {
		onEach(t, func(t *testing.T, w *apptest.World) { knowsEverything(t, w, rand.New(rand.NewPCG(11, uint64(seed)))) })
	}
}

func knowsEverything(t *testing.T, w *apptest.World, dice *rand.Rand) {
	c := w.As(apptest.Acme, append(slices.Clone(apptest.Agency), "write:production", "write:recipes", "business-insights:queries:execute", "business-insights:report-recipes:read", "agent-onboarding:applications:read", "read:webhook-subscriptions")...)
	k := asking{t: t, c: c, reports: map[string]string{}}
	k.begin()
	w.RebuildNow(t, apptest.Acme)
	type told struct {
		at      time.Time
		answers object
	}
	var all []told
	last := 4
	remember := func() {
		w.Clock.Move(time.Second)
		w.RebuildNow(t, apptest.Acme)
		all = append(all, told{w.Clock.Now(), k.everything(nil)})
	}
	remember()
	for range 8 {
		w.Clock.Move(time.Second + time.Duration(dice.IntN(1e6))*time.Microsecond)
		last = writeValue(t, c, dice, last)
		k.writeFact(dice)
		for range 3 {
			w.Clock.Move(time.Second)
			writePeriod(t, c, dice)
		}
		remember()
	}
	w.Clock.Move(time.Hour)
	differ := map[string]bool{}
	for _, then := range all {
		at := then.at.Format(time.RFC3339Nano)
		for name, got := range k.everything(at) {
			if !same(got, then.answers[name]) {
				t.Fatalf("%s as known at %s: %s", name, at, firstDifference(encoded(t, got), encoded(t, then.answers[name])))
			}
			if !same(got, all[len(all)-1].answers[name]) {
				differ[name] = true
			}
		}
	}
	if len(differ) < len(all[0].answers)/2 {
		t.Errorf("of %d questions only %d were answered otherwise before", len(all[0].answers), len(differ))
	}
	k.refused()
}

// asking asks everything that can be asked.
type asking struct {
	t              *testing.T
	c              *apptest.Caller
	agent, licence any
	// reports are the ids of recipes, by their dataset.
	reports map[string]string
}

func (k *asking) begin() {
	t, c := k.t, k.c
	c.Query(t, `mutation { providerCompanyUpsert(input: {code: "ACO", name: "Aco", initiator: "x"}) { applied } productCreate(input: {code: "TERM", name: "Term"}) { applied } }`, nil)
	for _, name := range []string{"GOLD", "VIP"} {
		c.Query(t, `mutation($n: String!) { tagCreate(input: {name: $n, initiator: "x"}) { applied } }`, object{"n": name})
	}
	for i, upline := range []string{"", "A0", "A1", "A1"} {
		newAgent(t, c, fmt.Sprint("A", i), upline, "2026-05-01")
	}
	k.agent = apptest.At(c.Query(t, `{ agent(agentCode: "A1") { id } }`, nil), "agent.id")
	k.licence = apptest.At(succeed(t, c, upsert, object{"input": object{"agentCode": "A2", "type": "LIFE", "jurisdiction": "US-TX", "isResidentCertification": false, "isVerified": true,
		"effectiveFrom": "2026-05-10", "effectiveThrough": "2026-07-20", "initiator": "x"}}), "result.certification.id")
	k.writeFact(rand.New(rand.NewPCG(1, 1)))
	create := func(dataset string, definition object) {
		answer := c.Query(t, `mutation($in: AgencyRecipeCreateInput!) { m: agencyRecipeCreate(input: $in) { reportRecipe { id } userErrors { message field } } }`,
			object{"in": object{"name": dataset, "dataset": dataset, "definition": definition}})
		id, ok := apptest.At(answer, "m.reportRecipe.id").(string)
		if !ok {
			t.Fatal(answer)
		}
		k.reports[dataset] = id
	}
	for _, d := range recipe.Datasets() {
		columns := []any{}
		for _, f := range d.Fields {
			if f.Name != "lastModified" { // is of now
				columns = append(columns, object{"field": f.Name, "label": f.Name})
			}
		}
		create(d.Name, object{"columns": columns, "sort": []any{}, "asOf": "today"})
	}
	create("graphql", object{"graphql": `query($first: Int, $after: String, $onDate: Date, $asKnownAt: DateTime) { agents(first: $first, after: $after, onDate: $onDate, asKnownAt: $asKnownAt)
		{ nodes { agentCode lastName payStatus { name } } pageInfo { hasNextPage endCursor } totalCount } }`, "connectionPath": "agents",
		"columns": []any{object{"field": "agentCode", "label": "Agent"}, object{"field": "lastName", "label": "Name"}, object{"field": "payStatus.name", "label": "Status"}}})
}

// writeFact writes production, a payment or a rule of the product.
func (k *asking) writeFact(dice *rand.Rand) {
	agent, day := fmt.Sprint("A", dice.IntN(4)), fmt.Sprintf("2026-05-%02d", 1+dice.IntN(28))
	for name, in := range map[string]object{
		"productionRecordUpsert":  {"agentCode": agent, "providerCompany": "ACO", "policyNumber": fmt.Sprint(dice.IntN(2)), "issuedOn": day, "annualPremium": fmt.Sprint(1 + dice.IntN(99))},
		"commissionPaymentRecord": {"agentCode": agent, "paidOn": day, "amount": fmt.Sprint(1 + dice.IntN(99))},
		"productRuleApply": {"product": "TERM", "rule": "Licence", "certificationTypes": []any{[]string{"AML", "LIFE"}[dice.IntN(2)]}, "uplineDepth": dice.IntN(3),
			"requiresActiveStatus": dice.IntN(2) == 0, "effectiveFrom": day},
	} {
		input := strings.ToUpper(name[:1]) + name[1:] + "Input"
		k.c.Query(k.t, "mutation($in: "+input+"!) { "+name+"(input: $in) { applied } }", object{"in": in})
	}
}

const rowsOf = "{ totalCount rows columns { key } }"

// everything answers all questions, each by its name.
func (k *asking) everything(at any) object {
	all := object{}
	ask := func(name, declared, field string, variables object) {
		variables["at"] = at
		all[name] = k.c.Query(k.t, "query($at: DateTime"+declared+") { "+field+" }", variables)
	}
	for _, day := range []any{nil, "2026-05-20"} {
		for name, field := range asKnownQuestions {
			variables, declared := object{}, ""
			for v, of := range map[string]object{"on": {"Date": day}, "day": {"Date!": "2026-06-10"}, "licence": {"ID!": k.licence}, "agent": {"ID!": k.agent}} {
				for kind, value := range of {
					if strings.Contains(field, "$"+v) {
						declared, variables[v] = declared+", $"+v+": "+kind, value
					}
				}
			}
			ask(fmt.Sprint(name, day), declared, field, variables)
		}
		for _, q := range insights.Queries() {
			if slices.Contains(reportsOfNow, q.Slug) {
				continue
			}
			for _, scope := range []object{{}, {"agentCode": "A1"}} {
				parameters := maps.Clone(scope)
				maps.Copy(parameters, given[q.Slug])
				for _, p := range q.AllParameters() {
					if p.Name == "onDate" && day != nil {
						parameters["onDate"] = day
					}
				}
				if at != nil {
					parameters["asKnownAt"] = at
				}
				all[fmt.Sprint(q.Slug, scope, day)] = k.c.Query(k.t, "query($slug: String!, $p: JSON) { insight(slug: $slug, parameters: $p) "+rowsOf+" }", object{"slug": q.Slug, "p": parameters})
			}
		}
		for dataset, id := range k.reports {
			if !slices.Contains(reportsOfNow, dataset) {
				ask(fmt.Sprint(dataset, day), ", $id: ID!, $on: Date", "reportRecipe(id: $id) { run(onDate: $on, asKnownAt: $at) "+rowsOf+" }", object{"id": id, "on": day})
			}
		}
	}
	return all
}

// refused: what cannot be answered as it was known is refused, by the name of the argument.
func (k *asking) refused() {
	for _, name := range reportsOfNow {
		query, variables := "query($name: String!) { insight(slug: $name, parameters: {asKnownAt: \"2026-06-01T00:00:00Z\"}) { rows } }", object{"name": name}
		if id := k.reports[name]; id != "" {
			query, variables = "query($name: ID!) { reportRecipe(id: $name) { run(asKnownAt: \"2026-06-01T00:00:00Z\") { rows } } }", object{"name": id}
		}
		_, errs := k.c.GraphQL(k.t, query, variables)
		if len(errs) != 1 || !strings.Contains(fmt.Sprint(errs), "asKnownAt") {
			k.t.Errorf("%s as it was known: %v", name, errs)
		}
	}
}
