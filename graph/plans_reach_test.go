package graph

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/graph/planned"
	"github.com/uplinehq/upline/graph/resolve"
)

// unplanned are the fields that have no plan, each with the reason. What can be reached
// through them only has none either.
var unplanned = map[string]string{
	"Agent.users":       "has a scope of its own; it leads to users",
	"Agent.application": "has a scope of its own; it leads to applications",
	"Agent.recruits":    "has a scope of its own; it leads to applications",
	"Agent.auditLog":    "entries are read, and narrowed to what the caller may see, by the audit trail",

	"Query.node": "the resolver of each type checks its own scope", "Query.nodes": "as node",
	"Query.agencyHistory": "numbers of the whole agency, counted by the area", "Query.hierarchyDiff": "compared by the area; its agents are of two days",
	"Query.tenantSettings": "the tenant is in hand", "Query.viewer": "is the token's, not a row's", "Query.events": "the feed holds events as they were sent",
	"Query.auditLog": "as Agent.auditLog", "Query.auditTrailCheck": "reads the whole trail",
	"Query.user": users, "Query.users": users, "Query.role": users, "Query.roles": users, "Query.clients": users, "Query.client": users,
	"Query.application": form, "Query.applications": form, "Query.applicationValidation": form,
	"Query.appConfiguration": content, "Query.backgroundQuestions": content, "Query.contract": content, "Query.contractVersion": content, "Query.contractCovenants": content,
	"Query.insightQueries": insight, "Query.insight": insight, "Query.leaderboard": insight, "Query.licenseExpirations": insight,
	"Query.reportRecipe": insight, "Query.reportRecipes": insight, "Query.agencyRecipes": insight,
	"Query.export": "a job, not a row of the agency", "Query.webhookSubscription": hook, "Query.webhookSubscriptions": hook,
	"Query.webhookDelivery": hook, "Query.webhookDeliveries": hook, "Query.webhookEventTypes": hook,
}

const (
	users   = "few rows, read by identity, with agents that need another scope"
	form    = "a form is sealed as one piece, and opened by onboarding"
	content = "one published version, kept by onboarding as a document"
	insight = "a report is one statement of its area"
	hook    = "headers and payloads are kept by webhooks as documents"
)

// Every field that a query can reach has a plan, or a reason why not. No directive runs
// around a field of a plan below its root: none that has a guard may have one. @sensitive
// guards nothing by itself: the resolver's answer, masked or not, is the plan's.
func TestEveryFieldHasAPlan(t *testing.T) {
	s := Schema()
	all := planned.New(&resolve.Resolver{}).Types
	type place struct{ root, before, after string }
	seen := map[string]bool{}
	reached := map[string]bool{}
	var visit func(of *ast.Definition, at place)
	visit = func(of *ast.Definition, at place) {
		for _, f := range of.Fields {
			name := of.Name + "." + f.Name
			if strings.HasPrefix(f.Name, "__") || reached[name] {
				continue
			}
			reached[name] = true
			below := s.Types[f.Type.Name()]
			here := place{at.root, at.before + f.Name + requiredArguments(f), at.after}
			if of == s.Query {
				here.root = f.Name
			}
			document := "{ " + here.before + here.after + " }"
			if !below.IsLeafType() {
				document = "{ " + here.before + " { __typename }" + here.after + " }"
			}
			doc, errs := gqlparser.LoadQueryWithRules(s, document, rules.NewDefaultRules())
			if errs != nil {
				t.Fatalf("%s: %v", document, errs)
			}
			field := all.Roots[[2]string{"Query", here.root}]
			planned := field != nil && plan.New(field, doc.Operations[0].SelectionSet[0].(*ast.Field), nil) != nil
			switch {
			case planned && of != s.Query && f.Directives.ForName("hasScope") != nil:
				t.Errorf("%s has @hasScope, and a plan", name)
			case planned == (unplanned[name] != ""):
				t.Errorf("%s has a plan: %t, but a reason why it has none: %q", name, planned, unplanned[name])
			}
			if planned && !below.IsLeafType() && !seen[below.Name] {
				seen[below.Name] = true
				visit(below, place{here.root, here.before + " { ", " }" + here.after})
			}
		}
	}
	visit(s.Query, place{})
	for name := range unplanned {
		if !reached[name] {
			t.Errorf("%s is not in the schema, or cannot be reached", name)
		}
	}
	if len(reached) < 250 {
		t.Errorf("%d fields were reached, want those of the schema", len(reached))
	}
}

// requiredArguments are some for a field that has to have them.
func requiredArguments(f *ast.FieldDefinition) string {
	var given []string
	for _, a := range f.Arguments {
		if !a.Type.NonNull || a.DefaultValue != nil {
			continue
		}
		value := map[string]string{"Int": "1", "Date": `"2026-01-01"`, "DateTime": `"2026-01-01T00:00:00Z"`}[a.Type.Name()]
		switch {
		case a.Type.Elem != nil:
			value = "[]"
		case value == "" && Schema().Types[a.Type.Name()].Kind == ast.Enum:
			value = Schema().Types[a.Type.Name()].EnumValues[0].Name
		case value == "" && Schema().Types[a.Type.Name()].Kind == ast.InputObject:
			value = "{}"
		case value == "":
			value = `"1"`
		}
		given = append(given, a.Name+": "+value)
	}
	if len(given) == 0 {
		return ""
	}
	return "(" + strings.Join(given, ", ") + ")"
}
