package graph_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// groupedBy says, for each connection with groups, where a row has its values of each kind.
var groupedBy = map[string]map[string]func(row any) []any{
	"agents": {
		"LEVEL": one("membership.level.value"), "PAY_STATUS": one("payStatus.name"), "HOME_JURISDICTION": one("homeAddress.jurisdiction.code"),
		"UPLINE": one("membership.directUplineCode"),
		"TAG": func(row any) []any {
			if tags := apptest.Each(row, "tags", "name"); len(tags) > 0 {
				return tags
			}
			return []any{nil}
		},
	},
	"certifications": {
		"TYPE": one("type.code"), "STATUS": one("status"), "JURISDICTION": one("jurisdiction.code"), "PROVIDER_COMPANY": one("providerCompany.code"), "AGENT": one("agent.agentCode"),
	},
	"applications": {"STATUS": one("status"), "RECRUITER": one("recruiterAgentCode")},
}

var selectedOf = map[string]string{
	"agents":         "membership { directUplineCode level { value } } payStatus { name } homeAddress { jurisdiction { code } } tags { name }",
	"certifications": "type { code } status jurisdiction { code } providerCompany { code } agent { agentCode }",
	"applications":   "status recruiterAgentCode",
}

func one(path string) func(row any) []any {
	return func(row any) []any { return []any{apptest.At(row, path)} }
}

// byHand counts rows by their values, the largest groups first, none last.
func byHand(rows []any, connection string, by []string, first int) []string {
	type group struct {
		values []any
		n      int
	}
	counted := map[string]*group{}
	var add func(row any, rest []string, values []any)
	add = func(row any, rest []string, values []any) {
		if len(rest) == 0 {
			key := fmt.Sprint(values)
			if counted[key] == nil {
				counted[key] = &group{values: slices.Clone(values)}
			}
			counted[key].n++
			return
		}
		for _, v := range groupedBy[connection][rest[0]](row) {
			add(row, rest[1:], append(values[:len(values):len(values)], v))
		}
	}
	for _, row := range rows {
		add(row, by, nil)
	}
	var all []*group
	for _, g := range counted {
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b *group) int {
		order := cmp.Compare(b.n, a.n)
		for i := range by {
			order = cmp.Or(order, cmp.Compare(text(a.values[i]), text(b.values[i])))
		}
		return order
	})
	lines := []string{}
	for _, g := range all[:min(first, len(all))] {
		line := fmt.Sprint(g.n)
		for i, v := range g.values {
			line += fmt.Sprintf(" %s=%v", by[i], v)
		}
		lines = append(lines, line)
	}
	return lines
}

// text has none behind everything else, and numbers in their order.
func text(v any) string {
	if v == nil {
		return "\U0010FFFF"
	}
	if n, isNumber := v.(json.Number); isNumber {
		return fmt.Sprintf("%9s", n)
	}
	return fmt.Sprint(v)
}

func groupsIn(groups any) []string {
	lines := []string{}
	for _, g := range groups.([]any) {
		line := fmt.Sprint(apptest.At(g, "count"))
		for _, k := range apptest.At(g, "keys").([]any) {
			line += fmt.Sprintf(" %v=%v", apptest.At(k, "by"), apptest.At(k, "value"))
			if (apptest.At(k, "label") == nil) != (apptest.At(k, "value") == nil) && apptest.At(k, "by") != "UPLINE" && apptest.At(k, "by") != "RECRUITER" {
				line += " without a label"
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// Groups are what counting the rows by hand gives: for random filters, on days past,
// present and to come, and for a limited user, who counts what it sees.
func TestGroupsAreAsCounted(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 90)
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		boss := apptest.At(c.Query(t, "{ team { roots(first: 1) { nodes { downline(first: 3) { nodes { agentCode } } } } } }", nil), "team.roots.nodes").([]any)
		manager := apptest.Each(boss[0], "downline.nodes", "agentCode")[0].(string)
		limited := w.AsUser(t, apptest.Acme, w.AddUser(t, apptest.Acme, "boss", manager, "Agent"))
		dice := rand.New(rand.NewPCG(7, 7))
		total := 0
		for i := range 60 {
			caller, who := c, "whole"
			if i%3 == 2 {
				caller, who = limited, "limited"
			}
			names := []string{"agents", "certifications", "applications"}
			name := names[dice.IntN(len(names))]
			var by []string
			for kind := range groupedBy[name] {
				by = append(by, kind)
			}
			slices.Sort(by)
			dice.Shuffle(len(by), func(i, j int) { by[i], by[j] = by[j], by[i] })
			by = by[:1+dice.IntN(min(3, len(by)))]
			first := 1 + dice.IntN(30)
			filter, day := randomFilter(dice, name, manager), ""
			if name != "applications" {
				day = []string{"", `, onDate: "2025-03-01"`, `, onDate: "2030-01-01"`, `, onDate: "2019-01-01"`}[dice.IntN(4)]
			}
			query := fmt.Sprintf("{ %s(filter: {%s}%s, first: 100) { totalCount nodes { %s } groups(by: [%s], first: %d) { keys { by value label } count } } }",
				name, filter, day, selectedOf[name], strings.Join(by, ", "), first)
			data, errs := caller.GraphQL(t, query, nil)
			if len(errs) > 0 {
				if who == "limited" && name == "applications" {
					continue // whose scope the role has not
				}
				t.Fatal(query, errs)
			}
			rows := apptest.At(data, name+".nodes").([]any)
			for len(rows) < 100000 && fmt.Sprint(len(rows)) != fmt.Sprint(apptest.At(data, name+".totalCount")) {
				more := caller.Query(t, strings.Replace(query, "first: 100)", fmt.Sprintf("first: 100, offset: %d)", len(rows)), 1), nil)
				rows = append(rows, apptest.At(more, name+".nodes").([]any)...)
			}
			total += len(rows)
			equal(t, who+" "+query, groupsIn(apptest.At(data, name+".groups")), byHand(rows, name, by, first))
		}
		const above = `{ agents(filter: {query: "A1000"}) { nodes { agentCode } } }`
		equal(t, "found by who sees it", apptest.Each(c.Query(t, above, nil), "agents.nodes", "agentCode")[0], any("A1000"))
		equal(t, "found by who does not", len(apptest.Each(limited.Query(t, above, nil), "agents.nodes", "agentCode")), 0)
		if total < 1000 {
			t.Errorf("only %d rows were counted", total)
		}
	})
}

func randomFilter(dice *rand.Rand, name, manager string) string {
	choices := map[string][]string{
		"agents": {"", "isActive: true", `downlineOf: "` + manager + `"`, `query: "a"`, "level: [10, 20]", `not: {query: "a"}`, `or: [{isActive: false}, {homeJurisdiction: "US-TX"}]`,
			`holds: {status: [ACTIVE]}`, `lacks: {jurisdiction: "US-TX"}`, `query: "ma", isActive: true`},
		"certifications": {"", "status: [ACTIVE]", `jurisdiction: "US-TX"`, "isVerified: true"},
		"applications":   {"", "status: [ACTIVE, COMPLETE]"},
	}[name]
	return choices[dice.IntN(len(choices))]
}

// The groups of lists that belong to rows are those of each, and come with one statement.
func TestGroupsOfEach(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 40)
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		const query = `{ agents(first: 15) { nodes { certifications(first: 20) { nodes { type { code } status jurisdiction { code } providerCompany { code } agent { agentCode } } %s }
			recruits(first: 20) { nodes { status recruiterAgentCode } %s } } } team { roots(first: 100) { nodes { membership { directUplineCode level { value } } payStatus { name } homeAddress { jurisdiction { code } } tags { name } } %s } } }`
		const groups = "groups(by: [%s], first: 5) { keys { by value label } count }"
		data := c.Query(t, fmt.Sprintf(query, fmt.Sprintf(groups, "TYPE, STATUS"), fmt.Sprintf(groups, "STATUS"), fmt.Sprintf(groups, "LEVEL, PAY_STATUS")), nil)
		counted := 0
		for _, agent := range apptest.At(data, "agents.nodes").([]any) {
			for name, by := range map[string][]string{"certifications": {"TYPE", "STATUS"}, "recruits": {"STATUS"}} {
				of := map[string]string{"certifications": "certifications", "recruits": "applications"}[name]
				rows := apptest.At(agent, name+".nodes").([]any)
				counted += len(rows)
				equal(t, name, groupsIn(apptest.At(agent, name+".groups")), byHand(rows, of, by, 5))
			}
		}
		equal(t, "roots", groupsIn(apptest.At(data, "team.roots.groups")), byHand(apptest.At(data, "team.roots.nodes").([]any), "agents", []string{"LEVEL", "PAY_STATUS"}, 5))
		if counted < 50 {
			t.Errorf("%d rows", counted)
		}
		const page = "{ agents(first: 10) { nodes { agentCode certifications(first: 2) { nodes { status } %s } } %s } }"
		without, _ := statements(t, w, fmt.Sprintf(page, "", ""), nil)
		with, _ := statements(t, w, fmt.Sprintf(page, fmt.Sprintf(groups, "TYPE"), fmt.Sprintf(groups, "TAG")), nil)
		equal(t, "statements for two fields of groups", with-without, int64(2))
	})
}

// What cannot be grouped by is refused at its field.
func TestRefusedGroups(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		for query, want := range map[string]string{
			"{ agents { groups(by: []) { count } } }":                                "by",
			"{ agents { groups(by: [TAG, LEVEL, TAG]) { count } } }":                 "by 2",
			"{ agents { groups(by: [TAG, LEVEL, UPLINE, PAY_STATUS]) { count } } }":  "by",
			"{ agents { groups(by: TAG, first: 0) { count } } }":                     "first",
			"{ certifications { groups(by: TYPE, first: 101) { count } } }":          "first",
			"{ applications { groups(by: [STATUS], first: 101) { count } } }":        "first",
			`{ agents(filter: {or: []}) { groups(by: [TAG]) { count } } }`:           "filter or",
			`{ agents(filter: {not: {level: 11}}) { groups(by: [TAG]) { count } } }`: "filter not level",
		} {
			_, errs := c.GraphQL(t, query, nil)
			if len(errs) != 1 || strings.Trim(fmt.Sprint(errs[0].Extensions["field"]), "[]") != want {
				t.Errorf("%s: %+v, want one at %q", query, errs, want)
			}
		}
		_, errs := c.GraphQL(t, "query($by: [AgentGroupBy!]!) { agents { groups(by: $by) { count keys { by } } } }", object{"by": list("TAG", "LEVEL")})
		equal(t, "by a variable", len(errs), 0)
	})
}
