package graph_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
)

// A dry run's payload shows the record as it would be, and nothing of it stays: what is
// then really done shows the same.
func TestDryRunShowsTheRecord(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "A0", "", "2026-01-01")
		newAgent(t, c, "A1", "A0", "2026-01-01")
		newAgent(t, c, "A2", "A1", "2026-01-01")
		const agent = `agent { agentCode lastName isActive payStatus { name } upline { agentCode } uplineChain { depth agent { agentCode } } membership { level { value } } downline { totalCount } payee { w9 { name } } }`
		for _, m := range []struct {
			mutation, input, shown string
			in                     object
		}{
			{"agentRegister", "AgentRegisterInput", agent, object{"agentCode": "N1", "firstName": "New", "lastName": "Agent", "status": "Active",
				"teams": list(object{"membership": object{"level": 20, "directUpline": "A1"}})}},
			{"agentMembershipUpdate", "AgentMembershipUpdateInput", agent, object{"agentCode": "A2", "membership": object{"directUpline": "A0", "level": 20}}},
			{"payStatusPeriodApply", "PayStatusPeriodApplyInput", `period { effectiveFrom status { name } agent { isActive payStatusPeriods { nodes { effectiveFrom effectiveThrough } } } }`,
				object{"agentCode": "A1", "status": "Suspended", "effectiveFrom": "2026-06-01"}},
			{"levelPeriodApply", "LevelPeriodApplyInput", `period { level { value } agent { membership { level { value } } } }`, object{"agentCode": "A1", "level": 30, "effectiveFrom": "2026-06-01"}},
			{"uplinePeriodApply", "UplinePeriodApplyInput", `period { upline { agentCode downline { totalCount } } agent { uplineChain { agent { agentCode } } } }`,
				object{"agentCode": "A1", "uplineAgentCode": nil, "effectiveFrom": "2026-06-01"}},
			{"certificationUpsert", "CertificationUpsertInput", `certification { note status type { code } agent { certifications { totalCount } } }`,
				object{"agentCode": "A1", "type": "AML", "isResidentCertification": false, "isVerified": true, "note": "n", "effectiveFrom": "2026-05-10"}},
			{"certificationUpdate", "CertificationUpdateInput", `certification { note isVerified }`, object{"id": "ID", "note": "other"}},
			{"certificationPeriodApply", "CertificationPeriodApplyInput", `period { status certification { status } }`, object{"certificationId": "ID", "status": "EXPIRED", "effectiveFrom": "2026-06-01"}},
			{"agentPayeeUpdate", "AgentPayeeUpdateInput", agent, object{"agentCode": "A1", "w9": object{"name": "A", "taxClassification": "INDIVIDUAL", "address": object{"streetAddress": "1 Elm", "city": "Austin", "state": "TX", "zipCode": "78701"},
				"taxpayerIdentifier": "123-45-6789", "signature": "A", "signatureDate": "2026-06-01"}}},
			{"reorgApply", "ReorgApplyInput", `moves { agent { agentCode upline { agentCode } } } `, object{"effectiveFrom": "2026-06-01", "moves": list(object{"agentCode": "A2", "newUplineAgentCode": "A0"})}},
		} {
			m.in["initiator"] = "x"
			for _, field := range []string{"id", "certificationId"} {
				if m.in[field] != nil { // the ids of PostgreSQL have gaps
					m.in[field] = apptest.At(apptest.At(c.Query(t, "{ certifications { nodes { id } } }", nil), "certifications.nodes").([]any)[0], "id")
				}
			}
			run := func(dryRun bool) any {
				t.Helper()
				data := c.Query(t, "mutation($in: "+m.input+"!, $try: Boolean!) { result: "+m.mutation+"(input: $in, dryRun: $try) { applied userErrors { code field message } "+m.shown+" } after: __typename }",
					object{"in": m.in, "try": dryRun})
				if wrong := apptest.At(data, "result.userErrors").([]any); len(wrong) > 0 || apptest.At(data, "result.applied") == dryRun {
					t.Fatalf("%s: %v", m.mutation, data)
				}
				shown := apptest.At(data, "result").(object)
				delete(shown, "applied")
				return shown
			}
			const everything = `{ agents(first: 20) { nodes { agentCode lastName isActive upline { agentCode } membership { level { value } } certifications(first: 3) { nodes { note status } } } } hierarchyBuild { version } changes(first: 1) { totalCount } }`
			before := c.Query(t, everything, nil)
			tried := run(true)
			if after := c.Query(t, everything, nil); !same(before, after) {
				t.Fatalf("%s has left something:\n%v\nbefore:\n%v", m.mutation, after, before)
			}
			if done := run(false); !same(tried, done) {
				t.Errorf("%s would be:\n%v\nis:\n%v", m.mutation, tried, done)
			}
			w.RebuildNow(t, apptest.Acme)
			w.Clock.Move(time.Second)
		}
	})
}

// Dry runs and changes of one request follow one another: each sees what those before it
// did, and none what was tried.
func TestDryRunsInOneRequest(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "A1", "", "2026-01-01")
		data := c.Query(t, `mutation {
			a: levelPeriodApply(input: {agentCode: "A1", level: 20, effectiveFrom: "2026-06-01"}, dryRun: true) { ...shown }
			b: levelPeriodApply(input: {agentCode: "A1", level: 30, effectiveFrom: "2026-07-01"}) { ...shown }
			c: levelPeriodApply(input: {agentCode: "A1", level: 40, effectiveFrom: "2026-08-01"}, dryRun: true) { ...shown }
			d: levelPeriodApply(input: {agentCode: "NOBODY", level: 40, effectiveFrom: "2026-08-01"}, dryRun: true) { ...shown }
			e: agentUpdate(input: {agentCode: "A1", lastName: "Done"}) { agent { lastName levelPeriods { nodes { level { value } } } } }
		} fragment shown on LevelPeriodApplyPayload { userErrors { code } period { agent { levelPeriods { nodes { level { value } } } } } }`, nil)
		for alias, want := range map[string][]any{"a.period.agent": {"10", "20"}, "b.period.agent": {"10", "30"}, "c.period.agent": {"10", "30", "40"}, "e.agent": {"10", "30"}} {
			var got []any
			for _, n := range apptest.At(data, alias+".levelPeriods.nodes").([]any) {
				got = append(got, fmt.Sprint(apptest.At(n, "level.value")))
			}
			if !same(got, want) {
				t.Errorf("%s has the levels %v, want %v", alias, got, want)
			}
		}
		if wrong := apptest.At(data, "d.userErrors").([]any); len(wrong) != 1 {
			t.Errorf("nobody's level: %v", data)
		}
	})
}
