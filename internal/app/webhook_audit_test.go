package app_test

import (
	"fmt"
	"testing"

	"github.com/uplinehq/upline/internal/app/apptest"
)

// Changes of subscriptions leave audit entries too: of the secret and of header
// values only that they changed.
func TestWebhookChangesAreAudited(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, allScopes...)
		made := c.Query(t, `mutation { result: webhookSubscriptionCreate(input: {url: "https://example.com/in", events: ["AgentCreated"],
			headers: [{name: "Authorization", value: "t-1"}]}) { webhookSubscription { id } } }`, nil)
		id := apptest.At(made, "result.webhookSubscription.id")
		c.Query(t, `mutation($id: ID!) { webhookSubscriptionUpdate(id: $id, input: {isActive: false}) { applied } }`, object{"id": id})
		c.Query(t, `mutation($id: ID!) { webhookSubscriptionRotateSecret(id: $id) { applied } }`, object{"id": id})
		c.Query(t, `mutation($id: ID!) { webhookSubscriptionDelete(id: $id) { applied } }`, object{"id": id})
		data := c.Query(t, `{ auditLog(filter: {entityType: "WebhookSubscription"}) { nodes { operation entityKeys changes { field fingerprint } } } }`, nil)
		var got []string
		for _, node := range apptest.At(data, "auditLog.nodes").([]any) {
			if key := apptest.At(node, "entityKeys.0"); key != id {
				t.Errorf("the entry is about %v", key)
			}
			got = append(got, fmt.Sprint(apptest.At(node, "operation"), apptest.Each(node, "changes", "field")))
		}
		want := "[webhookSubscriptionDelete[] webhookSubscriptionRotateSecret[secret] webhookSubscriptionUpdate[isActive] webhookSubscriptionCreate[url events headers isOrdered secret]]"
		if fmt.Sprint(got) != want {
			t.Errorf("entries %v; want %s", got, want)
		}
	})
}
