package graph_test

import (
	"fmt"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// labels gives the first agents of a tenant, at most 100, two tags and two
// aliases each.
func labels(t *testing.T, w *apptest.World, tenantIdentifier string) {
	t.Helper()
	ctx := w.Context(t, tenantIdentifier)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"Gold", "Silver", "Unused"} {
		_, err := w.Agency.CreateTag(ctx, reference.TagInput{Name: patch.Set(name), Color: patch.Set("#c0c0c0"), Initiator: "x"})
		check(err)
	}
	sorted := func(query string) []string {
		all, err := store.Collect(ctx, w.Store, store.ScanOne[string], query, tenant.From(ctx).ID)
		check(err)
		return all
	}
	companies := sorted("SELECT code FROM agency_provider_company WHERE tenant_id = $1 ORDER BY code")
	for i, code := range sorted("SELECT code FROM agency_agent WHERE tenant_id = $1 ORDER BY code LIMIT 100") {
		_, err := w.Agency.UpdateTags(ctx, code, label.TagsUpdate{Initiator: "x",
			Operations: []label.TagOperation{{Assign: true, Tag: "Gold"}, {Assign: true, Tag: "Silver"}}})
		check(err)
		for _, company := range []*string{nil, &companies[i%len(companies)]} {
			_, err := w.Agency.CreateAlias(ctx, code, label.AliasInput{Identifier: fmt.Sprintf("W-%03d", i), ProviderCompany: company, Initiator: "x"})
			check(err)
		}
	}
}

// What is below an agent is read as of the agent's day, through its aliases
// too, which are not dated themselves.
func TestAliasKeepsTheDay(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "A1", "", "2025-01-01")
		labels(t, w, apptest.Acme)
		data := c.Query(t, `{ agent(agentCode: "A1", onDate: "2024-05-06") { tags { name } aliases(first: 1) { nodes { agent { asOf payStatus { name } } } } } }`, nil)
		equal(t, "through an alias", apptest.At(data, "agent.aliases.nodes.0.agent"), object{"asOf": "2024-05-06", "payStatus": nil})
		equal(t, "tags are not dated", apptest.Each(data, "agent.tags", "name"), list("Gold", "Silver"))
	})
}

// The aliases of an agent can be filtered and sorted as all are.
func TestAliasesOfAnAgent(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "A1", "", "2025-01-01")
		newAgent(t, c, "A2", "", "2025-01-01")
		labels(t, w, apptest.Acme)
		data := c.Query(t, `{ agent(agentCode: "A2") {
			all: aliases { totalCount nodes { identifier providerCompany { code } agent { agentCode } } }
			last: aliases(orderBy: [{field: PROVIDER_COMPANY, direction: DESC}], first: 1) { nodes { providerCompany { name } } pageInfo { hasNextPage } }
			none: aliases(identifier: "W-000") { totalCount nodes { id } }
			own: aliases(identifier: "W-001", providerCompany: "AMB") { totalCount } } }`, nil)
		equal(t, "all", apptest.At(data, "agent.all.totalCount"), number("2"))
		equal(t, "whose", apptest.Each(data, "agent.all.nodes", "agent"), list(object{"agentCode": "A2"}, object{"agentCode": "A2"}))
		equal(t, "without a company", apptest.At(data, "agent.all.nodes.0.providerCompany"), nil)
		equal(t, "the last one has a company", apptest.At(data, "agent.last.nodes.0.providerCompany") != nil, true)
		equal(t, "and is not the only one", apptest.At(data, "agent.last.pageInfo.hasNextPage"), true)
		equal(t, "of another agent", apptest.At(data, "agent.none"), object{"totalCount": number("0"), "nodes": []any{}})
		equal(t, "all conditions must hold", apptest.At(data, "agent.own.totalCount"), number("0"))
	})
}

// A mutation answers what it left, and an id is taken in both forms.
func TestLabelMutations(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "A1", "", "2025-01-01")
		data := c.Query(t, `mutation {
			tag: tagCreate(input: {name: "Gold", color: "#ffd700", initiator: "x"}) { applied tag { name assignedCount } userErrors { code } }
			one: agentTagsUpdate(input: {agentCode: "A1", tags: [{operation: ASSIGN, tag: "Gold"}], initiator: "x"}) { applied agent { tags { name color assignedCount } } }
			two: agentTagsUpdate(input: {agentCode: "A1", tags: [{operation: ASSIGN, tag: "Gold"}], initiator: "x"}) { applied }
			three: tagDelete(input: {name: "Gold", initiator: "x"}) { applied deletedId userErrors { code details } }
			four: agentTagsUpdate(input: {agentCode: "A1", tags: [{operation: UNASSIGN, tag: "Gold"}], initiator: "x"}) { agent { tags { name } } }
			five: tagUpdate(input: {name: "Gold", color: null, initiator: "x"}) { applied tag { color assignedCount } }
			six: tagDelete(input: {name: "Gold"}) { applied userErrors { code } } }`, nil)
		equal(t, "defined", apptest.At(data, "tag"), object{"applied": true, "tag": object{"name": "Gold", "assignedCount": number("0")}, "userErrors": []any{}})
		equal(t, "assigned", apptest.At(data, "one"), object{"applied": true, "agent": object{"tags": list(object{"name": "Gold", "color": "#ffd700", "assignedCount": number("1")})}})
		equal(t, "assigned again", apptest.At(data, "two.applied"), false)
		equal(t, "in use", apptest.At(data, "three.userErrors"), list(object{"code": "REFERENCE_IN_USE", "details": object{"usage": object{"tagAssignments": number("1")}}}))
		equal(t, "not deleted", apptest.At(data, "three.deletedId"), nil)
		equal(t, "unassigned", apptest.At(data, "four.agent.tags"), []any{})
		equal(t, "cleared", apptest.At(data, "five"), object{"applied": true, "tag": object{"color": nil, "assignedCount": number("0")}})
		equal(t, "deleted by the token's subject", apptest.At(data, "six"), object{"applied": true, "userErrors": []any{}})

		const create = `mutation { created: aliasCreate(input: {agentCode: "A1", identifier: "W-1", initiator: "x"}) { applied alias { id databaseId agent { agentCode } } } }`
		for _, form := range []string{"id", "databaseId"} {
			alias := apptest.At(c.Query(t, create, nil), "created.alias")
			id := fmt.Sprint(apptest.At(alias, form))
			equal(t, "read by "+form, apptest.At(c.Query(t, `query($id: ID!) { alias(id: $id) { id databaseId agent { agentCode } } }`, object{"id": id}), "alias"), alias)
			gone := c.Query(t, `mutation($id: ID!) { gone: aliasDelete(input: {id: $id}) { applied deletedId userErrors { code } } }`, object{"id": id})
			equal(t, "deleted by "+form, apptest.At(gone, "gone"), object{"applied": true, "deletedId": apptest.At(alias, "id"), "userErrors": []any{}})
		}
	})
}
