package graph_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// Texts that a database cannot hold are refused as bad input, not with a fault
// of the server.
func TestTextsNoDatabaseHolds(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "A1", "", "2025-01-01")
		nul := "A\x00"
		data, errs := c.GraphQL(t, `query($s: String!) { agent(agentCode: $s) { id } }`, object{"s": nul})
		equal(t, "agent", apptest.At(data, "agent"), nil)
		notAFault(t, "agent", errs)
		for _, filter := range []object{{"agentCodes": list(nul)}, {"firstName": nul}, {"email": nul}, {"jurisdiction": nul}, {"npn": nul}, {"governmentIdentifier": nul},
			{"payStatus": list(nul)}, {"uplineAgentCode": nul}} {
			_, errs := c.GraphQL(t, `query($f: AgentFilter) { agents(filter: $f) { nodes { id } } }`, object{"f": filter})
			for name := range filter {
				notAFault(t, name, errs)
			}
		}
		for name, mutation := range map[string]string{
			"upline": `agentMembershipUpdate(input: {agentCode: "A1", membership: {directUpline: $s}, initiator: "x"})`,
			"update": `agentUpdate(input: {agentCode: $s, initiator: "x"})`,
			"delete": `agentDelete(input: {agentCode: $s, initiator: "x"})`,
			"status": `payStatusPeriodApply(input: {agentCode: "A1", status: $s, effectiveFrom: "2026-01-01", initiator: "x"})`,
		} {
			data, errs := c.GraphQL(t, `mutation($s: String!) { result: `+mutation+` { userErrors { code } } }`, object{"s": nul})
			notAFault(t, name, errs)
			equal(t, name+": refused", len(errs) == 1 && errs[0].Code() == "BAD_USER_INPUT" && data == nil, true)
		}
		for name, query := range map[string]string{
			"argument of a plan": `query($s: String!) { agent(agentCode: "A1") { membership(team: $s) { level { value } } } }`,
			"literal":            `{ agent(agentCode: "A1") { membership(team: "A\u0000") { level { value } } } }`,
			"literal in braces":  `{ agent(agentCode: "A1") { ...more } } fragment more on Agent { uplineChain(team: "A\u{0}") { depth } }`,
			"literal in a list":  `{ agents(filter: {agentCodes: ["A1", "A\u0000"]}) { totalCount } }`,
			"default":            `query($t: String = "\u0000") { agent(agentCode: "A1") { membership(team: $t) { level { value } } } }`,
		} {
			data, errs := c.GraphQL(t, query, object{"s": nul})
			equal(t, name+": refused", len(errs) == 1 && errs[0].Code() == "BAD_USER_INPUT" && data == nil && strings.Contains(errs[0].Message, "U+0000"), true)
		}
		c.Query(t, `{ agent(agentCode: "A1") { membership(team: "\u0064efault") { level { value } } } }`, nil)
		for _, path := range []string{"/agents/%00", "/agents/%FF", "/agents?firstName=%FF", "/agents?email=%00", "/agents?agentCodes=%FF"} {
			if status, _, body := c.REST(t, http.MethodGet, path, nil); status >= http.StatusInternalServerError {
				t.Errorf("GET %s: %d %s", path, status, body)
			}
		}
		r := c.Send(t, http.MethodGet, apptest.GraphQLPath+"?query="+url.QueryEscape("{ agent(agentCode: \"A\xff\") { id } }"), nil, nil)
		if r.Code >= http.StatusInternalServerError {
			t.Errorf("invalid UTF-8 in a query: %d %s", r.Code, r.Body)
		}

		c = w.As(apptest.Acme, "business-insights:queries:execute")
		for _, slug := range []string{"eligibility", "leaderboard"} {
			data, errs := c.GraphQL(t, `query($slug: String!, $p: JSON) { insight(slug: $slug, parameters: $p) { totalCount } }`, object{"slug": slug, "p": object{"agentCode": nul}})
			equal(t, slug, fmt.Sprint(data, errs[0].Code(), errs[0].Extensions["field"]), "<nil>BAD_USER_INPUT[parameters agentCode]")
			for _, code := range []string{"A%00", "A%FF"} {
				if r := c.Send(t, http.MethodGet, "/business-insights/acme/queries/"+slug+"?agentCode="+code, nil, nil); r.Code != http.StatusBadRequest {
					t.Errorf("%s of %s: %d %s", slug, code, r.Code, r.Body)
				}
			}
		}
	})
}

func notAFault(t *testing.T, what string, errs []apptest.Error) {
	t.Helper()
	for _, e := range errs {
		if e.Code() == "INTERNAL_SERVER_ERROR" {
			t.Errorf("%s: %+v", what, e)
		}
	}
}

// The last day that can be written leaves no part after it: 10000-01-01 is no
// date of the specification (YYYY-MM-DD).
func TestPeriodThroughTheLastDay(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "U1", "", "2025-01-01")
		newAgent(t, c, "A1", "", "2025-01-01")
		for name, test := range map[string]struct {
			mutation, periods string
			input             object
		}{
			"upline": {applyUpline, "uplinePeriods", object{"uplineAgentCode": "U1"}},
			"level":  {applyLevel, "levelPeriods", object{"level": 20}},
			"status": {applyStatus, "payStatusPeriods", object{"status": "Suspended"}},
		} {
			test.input["agentCode"], test.input["initiator"] = "A1", "x"
			test.input["effectiveFrom"], test.input["effectiveThrough"] = "2026-01-01", "9999-12-31"
			_, errs := c.GraphQL(t, test.mutation, object{"input": test.input})
			notAFault(t, name, errs)
			data, errs := c.GraphQL(t, `{ agent(agentCode: "A1") { periods: `+test.periods+` { nodes { effectiveFrom effectiveThrough } } } }`, nil)
			notAFault(t, name, errs)
			for _, day := range apptest.Each(data, "agent.periods.nodes", "effectiveFrom") {
				if len(day.(string)) != len("2006-01-02") {
					t.Errorf("%s: a period starts on %v", name, day)
				}
			}
		}
	})
}

// "Today" is the day it is in the tenant's zone, also where it is tomorrow
// already.
func TestTodayIsTheTenants(t *testing.T) {
	for zone, want := range map[string]string{"Pacific/Kiritimati": "2026-06-16", "UTC": "2026-06-15", "Etc/GMT+12": "2026-06-15"} {
		onEachIn(t, zone, func(t *testing.T, w *apptest.World) {
			c := w.As(apptest.Acme)
			newAgent(t, c, "A1", "", "2025-01-01")
			data := c.Query(t, `{ viewer { today timeZone } agent(agentCode: "A1") { asOf } }`, nil)
			equal(t, zone, data, object{"viewer": object{"today": want, "timeZone": zone}, "agent": object{"asOf": want}})
		})
	}
}

// A root has a place in the team since the first day of its period.
func TestMembershipOfARoot(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "TOP", "", "2025-01-01")
		data := c.Query(t, `{ agent(agentCode: "TOP") { membership { directUpline { id } uplineSince levelSince } } }`, nil)
		equal(t, "membership", apptest.At(data, "agent.membership"), object{"directUpline": nil, "uplineSince": "2025-01-01", "levelSince": "2025-01-01"})
	})
}
