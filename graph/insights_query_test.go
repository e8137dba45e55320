package graph_test

import (
	"fmt"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

var insightScopes = []string{"read:agents", "write:agents", "write:production", "business-insights:queries:execute", "business-insights:report-recipes:read", "business-insights:report-recipes:write"}

// The typed queries say what the curated ones say, and lead on to the agents.
func TestTypedInsights(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, insightScopes...)
		newAgent(t, c, "TOP", "", "2025-01-01")
		newAgent(t, c, "A1", "TOP", "2025-01-01")
		newAgent(t, c, "A2", "", "2025-01-01")
		c.Query(t, `mutation { providerCompanyUpsert(input: {code: "ACO", name: "Aco", initiator: "x"}) { applied } }`, nil)
		for i, p := range []struct{ agent, day, premium string }{{"A1", "2026-05-10", "100.50"}, {"A1", "2026-04-10", "7"}, {"A2", "2026-05-11", "20"}} {
			c.Query(t, `mutation($in: ProductionRecordUpsertInput!) { productionRecordUpsert(input: $in) { applied } }`, object{"in": object{"agentCode": p.agent, "providerCompany": "ACO",
				"policyNumber": fmt.Sprint(i), "issuedOn": p.day, "annualPremium": p.premium, "initiator": "x"}})
		}
		for agent, through := range map[string]string{"A1": "2026-06-20", "A2": "2026-08-01"} {
			data := c.Query(t, upsert, object{"input": object{"agentCode": agent, "type": "AML", "isResidentCertification": true, "isVerified": true,
				"effectiveFrom": "2026-01-01", "effectiveThrough": through, "identifier": "L" + agent, "initiator": "x"}})
			equal(t, fmt.Sprint(data), apptest.At(data, "result.applied"), true)
		}

		data := c.Query(t, `{ leaderboard(from: "2026-05-01", through: "2026-05-31") { rank previousRank value previousValue policyCount agent { agentCode } }
			below: leaderboard(from: "2026-05-01", through: "2026-05-31", rootAgentCode: "TOP", metric: POLICY_COUNT, top: 1) { value agent { agentCode } }
			insight(slug: "leaderboard", parameters: {from: "2026-05-01", through: "2026-05-31"}) { rows } }`, nil)
		equal(t, "leaderboard", apptest.At(data, "leaderboard"), list(
			object{"rank": number("1"), "previousRank": number("1"), "value": "100.50", "previousValue": "7.00", "policyCount": number("1"), "agent": object{"agentCode": "A1"}},
			object{"rank": number("2"), "previousRank": nil, "value": "20.00", "previousValue": nil, "policyCount": number("1"), "agent": object{"agentCode": "A2"}}))
		equal(t, "below", apptest.At(data, "below"), list(object{"value": "1", "agent": object{"agentCode": "A1"}}))
		for i := range 2 {
			typed, row := fmt.Sprintf("leaderboard.%d.", i), fmt.Sprintf("insight.rows.%d.", i)
			for _, key := range []string{"rank", "previousRank", "value", "previousValue", "policyCount"} {
				equal(t, "as the curated query: "+key, apptest.At(data, typed+key), apptest.At(data, row+key))
			}
			equal(t, "the agent", apptest.At(data, typed+"agent.agentCode"), apptest.At(data, row+"agentCode"))
		}

		data = c.Query(t, `{ licenseExpirations { daysRemaining bucket agent { agentCode } certification { identifier } }
			soon: licenseExpirations(withinDays: 30, type: "AML") { bucket } below: licenseExpirations(rootAgentCode: "A2") { agent { agentCode } } second: licenseExpirations(first: 1, offset: 1) { bucket } }`, nil)
		equal(t, "licences", apptest.At(data, "licenseExpirations"), list(
			object{"daysRemaining": number("5"), "bucket": "0-30", "agent": object{"agentCode": "A1"}, "certification": object{"identifier": "LA1"}},
			object{"daysRemaining": number("47"), "bucket": "31-60", "agent": object{"agentCode": "A2"}, "certification": object{"identifier": "LA2"}}))
		equal(t, "soon", apptest.At(data, "soon"), list(object{"bucket": "0-30"}))
		equal(t, "below", apptest.At(data, "below"), list(object{"agent": object{"agentCode": "A2"}}))
		equal(t, "the second", apptest.At(data, "second"), list(object{"bucket": "31-60"}))
	})
}

// What is refused of a typed query is named as its arguments are.
func TestRefusedTypedInsights(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, insightScopes...)
		for query, want := range map[string]string{
			`leaderboard(from: "2026-05-01", through: "2026-05-31", rootAgentCode: "NOBODY") { rank }`: "UNKNOWN_AGENT[rootAgentCode]",
			`leaderboard(from: "2026-05-01", through: "2026-05-31", rootAgentCode: "") { rank }`:       "INVALID_FORMAT[rootAgentCode]",
			`leaderboard(from: "2026-05-01", through: "2026-05-31", top: 501) { rank }`:                "PAGE_SIZE_EXCEEDED[top]",
			`leaderboard(from: "2026-05-31", through: "2026-05-01") { rank }`:                          "OUT_OF_RANGE[through]",
			`licenseExpirations(rootAgentCode: " ") { bucket }`:                                        "INVALID_FORMAT[rootAgentCode]",
			`licenseExpirations(type: "NONE") { bucket }`:                                              "OUT_OF_RANGE[type]",
			`licenseExpirations(first: 501) { bucket }`:                                                "PAGE_SIZE_EXCEEDED[first]",
			`insight(slug: "leaderboard", parameters: "x") { totalCount }`:                             "INVALID_FORMAT[parameters]",
			`insight(slug: "leaderboard", parameters: [1]) { totalCount }`:                             "INVALID_FORMAT[parameters]",
		} {
			_, errs := c.GraphQL(t, "{ "+query+" }", nil)
			got := ""
			if len(errs) > 0 {
				got = fmt.Sprint(errs[0].Extensions["reason"], errs[0].Extensions["field"])
			}
			if got != want || len(errs) > 1 {
				t.Errorf("%s: %+v; want %s", query, errs, want)
			}
		}
		stored, errs := c.GraphQL(t, `mutation { reportRecipeCreate(input: {name: "X", dataset: "agents", definition: 5}) { applied } }`, nil)
		notAFault(t, "a definition that is no object", errs)
		equal(t, "stored", stored, nil)
	})
}
