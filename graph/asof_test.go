package graph_test

import (
	"net/http"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// family registers TOP, MID below it and LOW below that, each with a history.
// Today is June 15, 2026.
func family(t *testing.T, w *apptest.World) *apptest.Caller {
	t.Helper()
	c := w.As(apptest.Acme)
	newAgent(t, c, "TOP", "", "2024-01-01")
	newAgent(t, c, "MID", "TOP", "2024-02-01")
	newAgent(t, c, "LOW", "MID", "2025-01-01")
	succeed(t, c, applyStatus, object{"input": object{"agentCode": "MID", "status": "Suspended", "effectiveFrom": "2026-03-01", "initiator": "x"}})
	succeed(t, c, applyLevel, object{"input": object{"agentCode": "LOW", "level": 20, "effectiveFrom": "2026-03-01", "initiator": "x"}})
	succeed(t, c, applyUpline, object{"input": object{"agentCode": "LOW", "uplineAgentCode": "TOP", "effectiveFrom": "2026-09-01", "initiator": "x"}})
	licence := object{"agentCode": "MID", "type": "AML", "isResidentCertification": false, "isVerified": true, "initiator": "x"}
	for _, p := range []object{{"status": "ACTIVE", "effectiveFrom": "2024-03-01", "effectiveThrough": "2026-12-31"}, {"status": "EXPIRED", "effectiveFrom": "2027-01-01"}} {
		for name, value := range licence {
			p[name] = value
		}
		succeed(t, c, upsert, object{"input": p})
	}
	w.RebuildNow(t, apptest.Acme)
	return c
}

const portrait = `query($on: Date) { agent(agentCode: "LOW", onDate: $on) { agentCode asOf isActive payStatus { name }
	membership { directUpline { agentCode asOf } level { value } uplineSince levelSince }
	upline { agentCode asOf isActive payStatus { name }
		upline { agentCode asOf }
		certifications { nodes { asOf status effectiveFrom effectiveThrough daysRemaining agent { asOf payStatus { name } } } } }
	uplineChain { depth since agent { agentCode asOf } }
	uplinePeriods { nodes { isCurrent effectiveFrom agent { asOf } upline { asOf agentCode } } } } }`

// The day is given once, at the root, and inherited by everything below;
// asOf echoes it, and where no period covers it the answer is null.
func TestDateIsInherited(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := family(t, w)
		for _, test := range []struct {
			on   any
			want object
		}{
			{nil, object{
				"asOf": "2026-06-15", "isActive": true, "payStatus.name": "Active",
				"membership.directUpline.agentCode": "MID", "membership.directUpline.asOf": "2026-06-15", "membership.level.value": number("20"),
				"membership.uplineSince": "2025-01-01", "membership.levelSince": "2026-03-01",
				"upline.agentCode": "MID", "upline.isActive": false, "upline.payStatus.name": "Suspended", "upline.upline.agentCode": "TOP",
				"upline.certifications.nodes.0.status": "ACTIVE", "upline.certifications.nodes.0.daysRemaining": number("199"),
				"uplineChain.0.agent.agentCode": "MID", "uplineChain.1.agent.agentCode": "TOP", "uplineChain.1.since": "2024-02-01", "uplineChain.1.depth": number("2"),
				"uplinePeriods.nodes.0.isCurrent": true, "uplinePeriods.nodes.1.isCurrent": false,
			}},
			{"2025-06-01", object{
				"asOf": "2025-06-01", "membership.level.value": number("10"), "membership.levelSince": "2025-01-01",
				"upline.isActive": true, "upline.payStatus.name": "Active", "upline.asOf": "2025-06-01", "upline.upline.asOf": "2025-06-01",
				"upline.certifications.nodes.0.asOf": "2025-06-01", "upline.certifications.nodes.0.agent.asOf": "2025-06-01",
				"upline.certifications.nodes.0.agent.payStatus.name": "Active", "uplineChain.1.agent.asOf": "2025-06-01",
				"uplinePeriods.nodes.0.agent.asOf": "2025-06-01", "uplinePeriods.nodes.0.upline.asOf": "2025-06-01",
			}},
			{"2026-09-01", object{
				"upline.agentCode": "TOP", "upline.upline": nil, "uplineChain.0.agent.agentCode": "TOP", "uplineChain.1": nil,
				"membership.uplineSince": "2026-09-01", "uplinePeriods.nodes.0.isCurrent": false, "uplinePeriods.nodes.1.isCurrent": true,
			}},
			// "An agent that exists is returned even before its start date".
			{"2024-12-31", object{
				"agentCode": "LOW", "asOf": "2024-12-31", "isActive": false, "payStatus": nil, "upline": nil, "uplineChain.0": nil,
				"membership.directUpline": nil, "membership.level": nil, "membership.uplineSince": nil, "membership.levelSince": nil,
			}},
		} {
			agent := apptest.At(c.Query(t, portrait, object{"on": test.on}), "agent")
			for path, want := range test.want {
				if got := apptest.At(agent, path); got != want {
					t.Errorf("on %v: %s is %v, want %v", test.on, path, got, want)
				}
			}
		}
		data := c.Query(t, `{ agent(agentCode: "NOBODY") { agentCode } certifications(onDate: "2024-02-29") { nodes { id } }
			later: certifications(onDate: "2027-01-01") { nodes { status effectiveThrough daysRemaining } }
			agents(onDate: "2026-02-28", filter: {isActive: true}) { nodes { agentCode asOf } } }`, nil)
		equal(t, "unknown code", apptest.At(data, "agent"), nil)
		equal(t, "certifications without a status that day", len(apptest.At(data, "certifications.nodes").([]any)), 0)
		equal(t, "certifications on their last period", apptest.At(data, "later.nodes.0"), object{"status": "EXPIRED", "effectiveThrough": nil, "daysRemaining": nil})
		equal(t, "agents active that day", apptest.Each(data, "agents.nodes", "agentCode"), list("LOW", "MID", "TOP"))
		equal(t, "asOf in a list", apptest.At(data, "agents.nodes.0.asOf"), "2026-02-28")
	})
}

// What is below an agent is read as of the same day, from the closure today
// and live on any other day.
func TestDownlineAsOfADay(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := family(t, w)
		const query = `query($on: Date) { agent(agentCode: "TOP", onDate: $on) {
			downline { totalCount edges { depth path node { agentCode asOf payStatus { name } } } }
			downlineTree { asOf truncated nodeCount build { version } nodes { agentCode parentAgentCode depth hasMore agent { asOf } } }
			downlineSummary { totalCount activeCount directCount maxDepth } }
			team(onDate: $on) { asOf memberCount roots { nodes { agentCode asOf } } } }`
		data := c.Query(t, query, nil)
		equal(t, "today", apptest.Each(data, "agent.downline.edges", "node.agentCode"), list("MID", "LOW"))
		equal(t, "depths today", apptest.Each(data, "agent.downline.edges", "depth"), list(number("1"), number("2")))
		equal(t, "paths today", apptest.Each(data, "agent.downline.edges", "path"), list(list("TOP", "MID"), list("TOP", "MID", "LOW")))
		nested := c.Query(t, `{ agents(first: 2, filter: {agentCodes: ["MID", "TOP"]}, orderBy: [{field: AGENT_CODE, direction: ASC}]) { nodes { downline(first: 3) { edges { path } } } } }`, nil)
		equal(t, "paths below each of several", apptest.Each(nested, "agents.nodes", "downline.edges"),
			list(list(object{"path": list("MID", "LOW")}), list(object{"path": list("TOP", "MID")}, object{"path": list("TOP", "MID", "LOW")})))
		known := c.Query(t, `query($at: DateTime) { agent(agentCode: "TOP", asKnownAt: $at) { downline(minDepth: 2) { edges { path } } } }`, object{"at": w.Clock.Now()})
		equal(t, "paths as known now", apptest.Each(known, "agent.downline.edges", "path"), list(list("TOP", "MID", "LOW")))
		equal(t, "parents today", apptest.Each(data, "agent.downlineTree.nodes", "parentAgentCode"), list(nil, "TOP", "MID"))
		equal(t, "the build is named", apptest.At(data, "agent.downlineTree.build.version") != nil, true)
		equal(t, "summary today", apptest.At(data, "agent.downlineSummary"), object{"totalCount": number("2"), "activeCount": number("1"), "directCount": number("1"), "maxDepth": number("2")})

		data = c.Query(t, query, object{"on": "2026-09-01"})
		equal(t, "later", apptest.Each(data, "agent.downline.edges", "depth"), list(number("1"), number("1")))
		equal(t, "paths later", apptest.Each(data, "agent.downline.edges", "path"), list(list("TOP", "MID"), list("TOP", "LOW")))
		equal(t, "parents later", apptest.Each(data, "agent.downlineTree.nodes", "parentAgentCode"), list(nil, "TOP", "TOP"))
		equal(t, "read live", apptest.At(data, "agent.downlineTree.build"), nil)
		equal(t, "asOf later", apptest.At(data, "agent.downlineTree.nodes.1.agent.asOf"), "2026-09-01")
		equal(t, "asOf of roots", apptest.At(data, "team.roots.nodes.0.asOf"), "2026-09-01")

		data = c.Query(t, query, object{"on": "2024-01-15"})
		equal(t, "before", apptest.At(data, "agent.downline.totalCount"), number("0"))
		equal(t, "members before", apptest.At(data, "team.memberCount"), number("1"))
	})
}

// The header As-Of-Date is the default of onDate for the whole request.
func TestAsOfDateHeader(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := family(t, w)
		on := func(day string) http.Header { return http.Header{"As-Of-Date": {day}} }
		r := c.GraphQLWith(t, on("2025-06-01"), `{ agent(agentCode: "LOW") { asOf membership { level { value } } }
			other: agent(agentCode: "LOW", onDate: "2026-06-15") { asOf membership { level { value } } } certifications { nodes { asOf } } team { asOf } }`, nil)
		equal(t, "errors", len(r.Errors), 0)
		equal(t, "the header", apptest.At(r.Data, "agent"), object{"asOf": "2025-06-01", "membership": object{"level": object{"value": number("10")}}})
		equal(t, "the argument comes first", apptest.At(r.Data, "other.membership.level.value"), number("20"))
		equal(t, "lists", apptest.At(r.Data, "certifications.nodes.0.asOf"), "2025-06-01")
		equal(t, "team", apptest.At(r.Data, "team.asOf"), "2025-06-01")
		for _, day := range []string{"yesterday", "2025-02-30", "2025-6-1"} {
			if status := c.Send(t, "POST", apptest.GraphQLPath, on(day), []byte(`{"query": "{ viewer { today } }"}`)).Code; status != http.StatusBadRequest {
				t.Errorf("As-Of-Date: %s was answered with %d", day, status)
			}
		}
	})
}
