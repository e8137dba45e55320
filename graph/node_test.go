package graph_test

import (
	"encoding/base64"
	"slices"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// ids returns a global id of every type of object that a tenant has.
func ids(t *testing.T, c *apptest.Caller) map[string]string {
	t.Helper()
	newAgent(t, c, "A1", "", "2025-01-01")
	succeed(t, c, updatePayee, object{"input": object{"agentCode": "A1", "w9": object{"name": "Ana", "taxClassification": "INDIVIDUAL"}, "initiator": "x"}})
	succeed(t, c, upsert, object{"input": object{"agentCode": "A1", "type": "AML", "isResidentCertification": true, "isVerified": true, "initiator": "x"}})
	c.Query(t, `mutation { aliasCreate(input: {agentCode: "A1", identifier: "W-1", initiator: "x"}) { applied } tagCreate(input: {name: "Gold", initiator: "x"}) { applied }
		productCreate(input: {code: "TERM", name: "Term life"}) { applied } userCreate(input: {username: "ana"}) { applied } }`, nil)
	apply(t, c, "a@example.com", "A1", nil)
	data := c.Query(t, `{ users { nodes { id } } roles { nodes { id } } aliases { nodes { id } } tags { id } agents { nodes { id } } certifications { nodes { id periods { nodes { id } } } }
		payStatusPeriods { nodes { id } } w9Periods { nodes { id } } uplinePeriods { nodes { id } } levelPeriods { nodes { id } }
		certificationTypes { id } products { id } jurisdictions { id } payStatuses { id } agentLevels { id } providerCompanies { id } team { id } hierarchyBuild { id } contract { id } applications { nodes { id } } }`, nil)
	found := map[string]string{}
	for typeName, path := range map[string]string{
		"Agent": "agents.nodes.0.id", "Certification": "certifications.nodes.0.id", "CertificationPeriod": "certifications.nodes.0.periods.nodes.0.id",
		"PayStatusPeriod": "payStatusPeriods.nodes.0.id", "W9Period": "w9Periods.nodes.0.id", "UplinePeriod": "uplinePeriods.nodes.0.id", "LevelPeriod": "levelPeriods.nodes.0.id",
		"CertificationType": "certificationTypes.0.id", "Product": "products.0.id", "Jurisdiction": "jurisdictions.0.id", "PayStatus": "payStatuses.0.id",
		"User": "users.nodes.0.id", "Role": "roles.nodes.0.id", "Alias": "aliases.nodes.0.id", "Tag": "tags.0.id", "AgentLevel": "agentLevels.0.id", "ProviderCompany": "providerCompanies.0.id", "Team": "team.id", "HierarchyBuild": "hierarchyBuild.id", "ContractVersion": "contract.id", "Application": "applications.nodes.0.id",
	} {
		id, ok := apptest.At(data, path).(string)
		if !ok {
			t.Fatalf("%s: no id at %s", typeName, path)
		}
		found[typeName] = id
	}
	made := c.Query(t, `mutation { exportCreate(input: {query: "{ agents { nodes { agentCode } } }", connectionPath: "agents", format: CSV}) { export { id } } }`, nil)
	found["Export"], _ = apptest.At(made, "exportCreate.export.id").(string)
	return found
}

// Any object can be read again by its global id; the id of another tenant's
// object is no object.
func TestNode(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		acme, umbra := w.As(apptest.Acme, bearer.TenantScopes()...), w.As(apptest.Umbra, bearer.TenantScopes()...)
		ours, theirs := ids(t, acme), ids(t, umbra)
		for _, possible := range w.Graph.Schema().PossibleTypes["Node"] {
			if ours[possible.Name] == "" {
				t.Errorf("%s is a Node and not tested", possible.Name)
			}
		}
		const node = `query($id: ID!) { node(id: $id) { __typename id } }`
		for typeName, id := range ours {
			equal(t, typeName, apptest.At(acme.Query(t, node, object{"id": id}), "node"), object{"__typename": typeName, "id": id})
			equal(t, typeName+" has another id in another tenant", id == theirs[typeName], false)
			equal(t, typeName+" of another tenant", apptest.At(acme.Query(t, node, object{"id": theirs[typeName]}), "node"), nil)
		}
		encode := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
		for _, id := range []string{"", "nonsense", "*", encode("Agent"), encode("Agent:"), encode("Agent:x"), encode("Agent:0"), encode("Agent:9999999"),
			encode("Nothing:1"), encode("Agent:99999999999999999999"), encode("Viewer:1")} {
			equal(t, "no object "+id, apptest.At(acme.Query(t, node, object{"id": id}), "node"), nil)
		}

		mixed := list(ours["Team"], theirs["Agent"], ours["Agent"], "nonsense", ours["Agent"])
		data := acme.Query(t, `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`, object{"ids": mixed})
		equal(t, "in the order asked for", apptest.Each(data, "nodes", "id"), list(ours["Team"], nil, ours["Agent"], nil, ours["Agent"]))
		_, errs := acme.GraphQL(t, `query($ids: [ID!]!) { nodes(ids: $ids) { id } }`, object{"ids": slices.Repeat(mixed, 21)})
		equal(t, "at most 100 ids", len(errs), 1)
		equal(t, "reason", errs[0].Extensions["reason"], "OUT_OF_RANGE")
	})
}
