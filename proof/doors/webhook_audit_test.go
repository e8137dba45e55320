package doors_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// webhookChanges are all mutations of subscriptions in an order that works, with
// the fields that their audit entry names. fields is empty for a request that
// changes nothing.
var webhookChanges = []struct{ mutation, arguments, answer, fields string }{
	{"webhookSubscriptionUpdate", "(input: {id: $id, description: \"in\", url: $url})", "{ applied }", "[description]"},
	{"webhookSubscriptionUpdate", "(input: {id: $id})", "{ applied }", ""},
	{"webhookSubscriptionUpdate", `(input: {id: $id, url: $url, events: ["AgentCreated"], description: "in", isActive: true, isOrdered: false,
		maxRetries: null, retryDelayMinutes: 1, headers: [{name: "Authorization", value: "****"}]})`, "{ applied }", ""},
	{"webhookReplay", `(input: {id: $id, from: "2001-01-01T00:00:00Z", through: "2001-01-02T00:00:00Z"})`, "{ applied }", ""},
	{"webhookReplay", `(input: {id: $id, from: "2001-01-01T00:00:00Z", through: "2101-01-02T00:00:00Z"})`, "{ applied }", "[deliveries]"},
	{"webhookDeliveryRetry", "(input: {id: $delivery})", "{ applied }", "[deliveries]"},
	{"webhookTest", "(input: {id: $id})", "{ applied }", "[deliveries]"},
	{"webhookSubscriptionRotateSecret", "(input: {id: $id})", "{ applied }", "[secret]"},
	{"webhookSubscriptionUpdate", "(input: {id: $id, isActive: false})", "{ applied }", "[isActive]"},
	{"webhookSubscriptionDelete", "(input: {id: $id})", "{ applied }", "[]"},
}

// Changes of subscriptions leave one audit entry each: of the secret and of
// header values only that they changed. What changes nothing leaves none, and says
// that it was not applied.
func TestWebhookChangesAreAudited(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{Development: true})
		c := w.As(apptest.Acme, allScopes...)
		apptest.Register(t, c, "A1", nil)
		endpoint := httptest.NewServer(http.NotFoundHandler())
		defer endpoint.Close()
		made := c.Query(t, `mutation($url: String!) { result: webhookSubscriptionCreate(input: {url: $url, events: ["AgentCreated"],
			headers: [{name: "Authorization", value: "t-1"}]}) { webhookSubscription { id } } }`, object{"url": endpoint.URL})
		id := apptest.At(made, "result.webhookSubscription.id")
		want, sampled := []string{"webhookSubscriptionCreate[url events headers isOrdered secret]"}, []string{"webhookSubscriptionCreate"}
		for _, m := range webhookChanges {
			variables, declared := object{}, ""
			for _, v := range []struct {
				name, kind string
				value      func() any
			}{
				{"$id", "ID!", func() any { return id }}, {"$url", "String!", func() any { return endpoint.URL }},
				{"$delivery", "ID!", func() any { return deliveryOf(t, w, c, id) }},
			} {
				if strings.Contains(m.arguments, v.name) {
					declared += v.name + ": " + v.kind + " "
					variables[v.name[1:]] = v.value()
				}
			}
			answer := c.Query(t, "mutation("+declared+") { "+m.mutation+m.arguments+m.answer+" }", variables)
			if applied := apptest.At(answer, m.mutation+".applied"); applied != (m.fields != "") {
				t.Errorf("%s%s: applied is %v", m.mutation, m.arguments, applied)
			}
			if sampled = append(sampled, m.mutation); m.fields != "" {
				want = append(want, m.mutation+m.fields)
			}
			if got := webhookEntries(t, c, id); !slices.Equal(got, want) {
				t.Errorf("after %s%s, answered %v: entries %q; want %q", m.mutation, m.arguments, answer, got, want)
			}
		}
		slices.Sort(sampled)
		var mutations []string
		for _, field := range w.Graph.Schema().Mutation.Fields {
			if strings.HasPrefix(field.Name, "webhook") {
				mutations = append(mutations, field.Name)
			}
		}
		slices.Sort(mutations)
		if sampled = slices.Compact(sampled); !slices.Equal(sampled, mutations) {
			t.Errorf("sampled are %q; the schema has %q", sampled, mutations)
		}
	})
}

// deliveryOf delivers what is due and returns a delivery of a subscription.
func deliveryOf(t *testing.T, w *apptest.World, c *apptest.Caller, id any) any {
	t.Helper()
	w.DeliverNow(t, apptest.Acme)
	data := c.Query(t, `query($id: ID!) { webhookDeliveries(subscriptionId: $id) { nodes { id } } }`, object{"id": id})
	return apptest.At(data, "webhookDeliveries.nodes.0.id")
}

// webhookEntries returns the audit entries of subscriptions, oldest first.
func webhookEntries(t *testing.T, c *apptest.Caller, id any) (got []string) {
	t.Helper()
	data := c.Query(t, `{ auditLog(filter: {entityType: "WebhookSubscription"}) { nodes { operation entityKeys changes { field fingerprint } } } }`, nil)
	for _, node := range apptest.At(data, "auditLog.nodes").([]any) {
		if key := apptest.At(node, "entityKeys.0"); key != id {
			t.Errorf("the entry is about %v", key)
		}
		got = append(got, fmt.Sprint(apptest.At(node, "operation"), apptest.Each(node, "changes", "field")))
	}
	slices.Reverse(got)
	return got
}
