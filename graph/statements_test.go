package graph_test

import (
	"fmt"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// Statements per operation do not grow with the number of rows returned: each
// operation takes as many for a page of 100 as for one of 20.
func TestStatementsDoNotGrowWithRows(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 150)
		labels(t, w, apptest.Acme)
		for _, c := range []struct {
			name, query string
			// rows is where the rows of the answer are.
			rows string
			// want is how many statements it takes.
			want int64
		}{
			{"agents with uplines, certifications and current status", `query($n: Int!) { agents(first: $n) { nodes { agentCode payStatus { name } isActive
				upline { agentCode displayName } certifications(first: 5) { nodes { type { code } status effectiveThrough } } } } }`, "agents.nodes", 2},
			{"the same through edges", `query($n: Int!) { agents(first: $n) { edges { node { agentCode payStatus { name } upline { agentCode }
				certifications(first: 5) { nodes { status } } } } } }`, "agents.edges", 2},
			{"the same through aliases and fragments", `query($n: Int!) { agents(first: $n) { nodes { ... on Node { id } ...more } } }
				fragment more on Agent { boss: upline { code: agentCode } licences: certifications(first: 2) { nodes { status } } payStatus { name } }`, "agents.nodes", 2},
			{"upline of the upline with certifications", `query($n: Int!) { agents(first: $n) { nodes { upline { agentCode upline { agentCode certifications(first: 3) { nodes { type { code name } } } } } } } }`, "agents.nodes", 2},
			{"uplineChain over a page", `query($n: Int!) { agents(first: $n) { nodes { uplineChain(maxDepth: 3) { depth agent { agentCode displayName payStatus { name } } } } } }`, "agents.nodes", 2},
			{"membership over a page", `query($n: Int!) { agents(first: $n) { nodes { membership { level { value name } levelSince uplineSince directUpline { agentCode } } } } }`, "agents.nodes", 1},
			{"addresses and phones", `query($n: Int!) { agents(first: $n) { nodes { homeAddress { city jurisdiction { code name } } businessAddress { city } cellPhone { phoneNumber } fax { phoneNumber } } } }`, "agents.nodes", 1},
			{"tags and aliases of a page", `query($n: Int!) { agents(first: $n) { nodes { tags { name color assignedCount } aliases(first: 1) { totalCount nodes { identifier providerCompany { name } } } } } }`, "agents.nodes", 4},
			{"names of tags", `query($n: Int!) { agents(first: $n) { nodes { tags { name } } } }`, "agents.nodes", 2},
			{"aliases with their agents", `query($n: Int!) { aliases(first: $n) { nodes { identifier providerCompany { name } agent { agentCode payStatus { name } } } } }`, "aliases.nodes", 1},
			{"tagAssignments", `query($n: Int!) { tagAssignments(first: $n) { nodes { agent { agentCode payStatus { name } } tag { name color assignedCount } } } }`, "tagAssignments.nodes", 2},
			{"payees", `query($n: Int!) { agents(first: $n) { nodes { payee { status { name } w9 { name taxpayerIdentifier } directDeposit { accountNumber } isPayable agent { isActive } } } } }`, "agents.nodes", 1},
			{"W9 periods of a page", `query($n: Int!) { agents(first: $n) { nodes { w9Periods(first: 3) { nodes { w9 { name } effectiveFrom } } } } }`, "agents.nodes", 2},
			{"filtered certifications of a page", `query($n: Int!) { agents(first: $n) { nodes { certifications(first: 3, filter: {status: [ACTIVE]}, orderBy: [{field: TYPE}]) { totalCount nodes { status } } } } }`, "agents.nodes", 2},
			{"periods of a page", `query($n: Int!) { agents(first: $n) { nodes { payStatusPeriods(first: 3) { nodes { status { name isActive } agent { agentCode } } } levelPeriods(first: 3) { nodes { level { name } } }
				uplinePeriods(first: 3) { nodes { upline { agentCode } } } } } }`, "agents.nodes", 4},
			{"certifications with their agents", `query($n: Int!) { certifications(first: $n) { nodes { status type { name } providerCompany { name } jurisdiction { name }
				agent { agentCode payStatus { name } upline { agentCode } } } } }`, "certifications.nodes", 1},
			{"certifications with their periods", `query($n: Int!) { certifications(first: $n) { nodes { periods(first: 3) { totalCount nodes { status certification { id } } } } } }`, "certifications.nodes", 2},
			{"certificationPeriods", `query($n: Int!) { certificationPeriods(first: $n) { nodes { status certification { id agent { agentCode } type { name } } } } }`, "certificationPeriods.nodes", 1},
			{"uplinePeriods", `query($n: Int!) { uplinePeriods(first: $n) { nodes { agent { agentCode payStatus { name } } upline { agentCode } } } }`, "uplinePeriods.nodes", 1},
			{"payStatusPeriods", `query($n: Int!) { payStatusPeriods(first: $n) { nodes { agent { agentCode upline { agentCode } } status { isActive } } } }`, "payStatusPeriods.nodes", 1},
			{"downline", `query($n: Int!) { agent(agentCode: "A1000") { downline(first: $n) { edges { depth node { agentCode payStatus { name } upline { agentCode } } } } } }`, "agent.downline.edges", 2},
			{"downlineTree with pay status", `query($n: Int!) { agent(agentCode: "A1000") { downlineTree(maxDepth: 12, maxNodes: $n) { nodes { agentCode parentAgentCode agent { displayName payStatus { name } certifications(first: 2) { nodes { status } } } } } } }`, "agent.downlineTree.nodes", 5},
			{"downlineMembers", `query($n: Int!) { downlineMembers(first: $n) { nodes { depth ancestor { agentCode } descendant { agentCode payStatus { name } } } build { version } } }`, "downlineMembers.nodes", 2},
			{"uplineMembers", `query($n: Int!) { uplineMembers(first: $n) { nodes { depth ancestor { agentCode } descendant { agentCode } } } }`, "uplineMembers.nodes", 1},
			{"agents as of another day", `query($n: Int!) { agents(first: $n, onDate: "2026-01-01") { nodes { payStatus { name } upline { agentCode } uplineChain { agent { agentCode } } } } }`, "agents.nodes", 2},
			{"downline of the downline", `query($n: Int!) { agent(agentCode: "A1000") { downline(first: $n) { nodes { agentCode downline(first: 3) { nodes { agentCode } } } } } }`, "agent.downline.nodes", 3},
			{"downlineSummary over a page", `query($n: Int!) { agents(first: $n) { nodes { downlineSummary { totalCount activeCount } } } }`, "agents.nodes", 3},
			{"downlineTree over a page", `query($n: Int!) { agents(first: $n) { nodes { downlineTree(maxDepth: 1, maxNodes: 5) { nodeCount nodes { agentCode } } } } }`, "agents.nodes", 4},
		} {
			t.Run(c.name, func(t *testing.T) {
				page := func(n int) int64 {
					took, data := statements(t, w, c.query, object{"n": n})
					equal(t, "rows", len(apptest.At(data, c.rows).([]any)), n)
					return took
				}
				page(20) // what is remembered across requests is read
				for _, n := range []int{20, 100} {
					equal(t, fmt.Sprintf("statements for %d rows", n), page(n), c.want)
				}
			})
		}
	})
}

// Objects by global id are read together, too.
func TestStatementsOfNodes(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 60)
		_, data := statements(t, w, `{ agents(first: 50) { nodes { id } } certifications(first: 50) { nodes { id } } }`, nil)
		for _, kind := range []string{"agents", "certifications"} {
			ids := apptest.Each(data, kind+".nodes", "id")
			const query = `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`
			few, _ := statements(t, w, query, object{"ids": ids[:5]})
			many, _ := statements(t, w, query, object{"ids": ids})
			if many > few {
				t.Errorf("%s: %d statements for 5 ids, %d for 50", kind, few, many)
			}
		}
	})
}

// totalCount comes with the statement of its page: it takes none of its own.
func TestTotalCountTakesNoStatement(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 60)
		labels(t, w, apptest.Acme)
		for name, field := range map[string]string{
			"agents": `agents(first: 2)`, "certifications": `certifications(first: 2)`, "certificationPeriods": `certificationPeriods(first: 2)`,
			"payStatusPeriods": `payStatusPeriods(first: 2)`, "uplinePeriods": `uplinePeriods(first: 2)`, "levelPeriods": `levelPeriods(first: 2)`,
			"aliases": `aliases(first: 2)`, "tagAssignments": `tagAssignments(first: 2)`,
			"uplineMembers": `uplineMembers(first: 2)`, "downlineMembers": `downlineMembers(first: 2)`,
		} {
			statements(t, w, `{ `+field+` { totalCount } }`, nil)
			without, _ := statements(t, w, `{ `+field+` { pageInfo { hasNextPage } } }`, nil)
			with, data := statements(t, w, `{ `+field+` { totalCount pageInfo { hasNextPage } } }`, nil)
			equal(t, name+": statements more for the total", with-without, int64(0))
			if n, _ := apptest.At(data, name+".totalCount").(float64); n <= 2 {
				t.Errorf("%s: totalCount is %v, a page", name, n)
			}
		}
		all, data := statements(t, w, `{ agents(first: 50) { nodes { certifications(first: 1) { totalCount } } } }`, nil)
		if all > 4 {
			t.Errorf("%d statements to count the certifications of 50 agents", all)
		}
		if n, _ := apptest.At(data, "agents.nodes.0.certifications.totalCount").(float64); n < 1 {
			t.Errorf("certifications of the first agent: %v", n)
		}
	})
}

// Whatever the payload of a mutation asks about an agent that it leads to takes one
// statement. The code of the agent, which the mutation was given, takes none.
func TestStatementsOfPayloads(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 20)
		upsert := func(selection string) int64 {
			took, _ := statements(t, w, `mutation { certificationUpsert(input: {agentCode: "A1001", type: "AML", status: ACTIVE, effectiveFrom: "2026-01-01",
				isResidentCertification: false, isVerified: false, initiator: "x"}) { certification { id `+selection+` } } }`, nil)
			return took
		}
		upsert("") // what is remembered across requests is read, and nothing changes any more
		equal(t, "statements more for the agent", upsert("agent { agentCode displayName payStatus { name } upline { agentCode } }")-upsert(""), int64(0))
		equal(t, "statements more for its code", upsert("agent { agentCode }")-upsert(""), int64(0))
	})
}
