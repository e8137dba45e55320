package graph_test

import (
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// RFC 9110 §13.1.1, over GraphQL: a mutation with @ifMatch is made of the version that its
// caller knows, or not at all, and so is its dry run. Where several records are named, each
// must be known.
func TestIfMatch(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		plantTeam(t, c)
		succeed(t, c, `mutation { roleCreate(input: {name: "Auditor", scopes: ["read:agents"]}) { applied userErrors { code } } }`, nil)
		succeed(t, c, `mutation { userCreate(input: {username: "ana", password: "Tulip-bucket-91"}) { applied userErrors { code } } }`, nil)
		succeed(t, c, `mutation { appConfigurationUpdate(input: {requiresPayment: true}) { applied userErrors { code } } }`, nil)
		var hooks []string
		for _, name := range []string{"crm", "old"} {
			succeed(t, c, `mutation { clientCreate(input: {name: "`+name+`", scopes: ["read:agents"]}) { applied userErrors { code } } }`, nil)
			made := succeed(t, c, `mutation { hook: webhookSubscriptionCreate(input: {url: "https://example.com/`+name+`", events: ["AgentUpdated"]}) { applied userErrors { code } webhookSubscription { id } } }`, nil)
			hooks = append(hooks, apptest.At(made, "hook.webhookSubscription.id").(string))
		}
		for name, m := range map[string]struct{ known, mutation string }{
			"a pay status":    {`agent(agentCode: "A1") { lastModified }`, `payStatusPeriodApply(input: {agentCode: "A1", status: "Suspended", effectiveFrom: "2026-07-01", initiator: "x"}, dryRun: $dryRun)`},
			"an agent":        {`agent(agentCode: "A11") { lastModified }`, `agentUpdate(input: {agentCode: "A11", npn: "1", initiator: "x"})`},
			"tags":            {`agent(agentCode: "A2") { lastModified }`, `agentTagsUpdate(input: {agentCode: "A2", tags: [], initiator: "x"})`},
			"a move":          {`agent(agentCode: "B") { lastModified }`, `reorgApply(input: {effectiveFrom: "2026-07-01", initiator: "x", moves: [{agentCode: "B", newUplineAgentCode: "A"}]}, dryRun: $dryRun)`},
			"a role":          {`role(name: "Auditor") { lastModified }`, `roleUpdate(input: {name: "Auditor", description: "reads"})`},
			"a user":          {`user(username: "ana") { lastModified }`, `userUpdate(input: {username: "ana", email: "ana@example.com"})`},
			"a configuration": {`appConfiguration { lastModified: publishedAt }`, `appConfigurationUpdate(input: {requiresPayment: false})`},
			"settings":        {`tenantSettings { lastModified }`, `tenantSettingsUpdate(input: {name: "Acme Life"})`},
			"a client":        {`client(clientId: "acme.crm") { lastModified }`, `clientUpdate(input: {clientId: "acme.crm", description: "reads"})`},
			"its secret":      {`client(clientId: "acme.crm") { lastModified }`, `clientRotateSecret(input: {clientId: "acme.crm"})`},
			"a client's end":  {`client(clientId: "acme.old") { lastModified }`, `clientDelete(input: {clientId: "acme.old"})`},
			"a hook":          {`webhookSubscription(id: "` + hooks[0] + `") { lastModified }`, `webhookSubscriptionUpdate(input: {id: "` + hooks[0] + `", description: "tells"})`},
			"a hook's secret": {`webhookSubscription(id: "` + hooks[0] + `") { lastModified }`, `webhookSubscriptionRotateSecret(input: {id: "` + hooks[0] + `"})`},
			"a hook's end":    {`webhookSubscription(id: "` + hooks[1] + `") { lastModified }`, `webhookSubscriptionDelete(input: {id: "` + hooks[1] + `"})`},
		} {
			known := apptest.At(c.Query(t, `{ known: `+m.known+` }`, nil), "known.lastModified")
			apply := func(lastModified any, dryRun bool) any {
				answer := c.Query(t, `mutation($known: [DateTime!]!, $dryRun: Boolean! = false) { result: `+m.mutation+` @ifMatch(lastModified: $known) { applied userErrors { code } } other: __typename @skip(if: $dryRun) }`,
					object{"known": lastModified, "dryRun": dryRun})
				return apptest.At(answer, "result")
			}
			refused := object{"applied": false, "userErrors": list(object{"code": "PRECONDITION_FAILED"})}
			equal(t, name+", of another version, tried", apply(list("2020-01-01T00:00:00Z"), true), refused)
			equal(t, name+", of another version", apply(list("2020-01-01T00:00:00Z"), false), refused)
			equal(t, name+", of no version", apply([]any{}, false), refused)
			if name == "tags" {
				continue
			}
			equal(t, name, apptest.At(apply(list("2020-01-01T00:00:00Z", known), false), "applied"), true)
			if strings.Contains(m.mutation, "Delete(") {
				refused = object{"applied": false, "userErrors": list(object{"code": "NOT_FOUND"})}
			}
			equal(t, name+", of the version before", apply(list(known), false), refused)
		}

		const both = `mutation($known: [DateTime!]!) { reorgApply(input: {effectiveFrom: "2026-07-01", initiator: "x", moves: [{agentCode: "A1", newUplineAgentCode: "B"}, {agentCode: "A2", newUplineAgentCode: "B"}]}, dryRun: true)
			@ifMatch(lastModified: $known) { moves { subtreeSize } userErrors { code } } }`
		known := c.Query(t, `{ a: agent(agentCode: "A1") { lastModified } b: agent(agentCode: "A2") { lastModified } }`, nil)
		first, second := apptest.At(known, "a.lastModified"), apptest.At(known, "b.lastModified")
		equal(t, "one of two", apptest.At(c.Query(t, both, object{"known": list(first)}), "reorgApply.userErrors"), list(object{"code": "PRECONDITION_FAILED"}))
		equal(t, "both", apptest.At(c.Query(t, both, object{"known": list(first, second)}), "reorgApply.userErrors"), []any{})

		// What names no record with a version is not made, since nothing checks it.
		const tag = `mutation { tagCreate(input: {name: "Gold", color: "#ffffff", initiator: "x"}) @ifMatch(lastModified: "2020-01-01T00:00:00Z") { applied userErrors { code } } }`
		equal(t, "a new tag", apptest.At(c.Query(t, tag, nil), "tagCreate"), object{"applied": false, "userErrors": list(object{"code": "NOT_APPLICABLE"})})
		equal(t, "tags", apptest.At(c.Query(t, `{ tags { name } }`, nil), "tags"), []any{})
	})
}
