package graph_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

const createHook = `mutation($input: WebhookSubscriptionCreateInput!) { result: webhookSubscriptionCreate(input: $input) { applied secret userErrors { code field }
	webhookSubscription { id url events headers { name value } maxRetries retryDelayMinutes isOrdered isActive lastSequence } } }`

// The way of an event through GraphQL: a subscription, a test, deliveries with
// their state, a resend, a replay, a rotation. The secret and header values show
// nowhere but in the answers of creation and rotation.
func TestWebhooks(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{Development: true})
		status := http.StatusInternalServerError
		endpoint := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(status) }))
		defer endpoint.Close()
		c := w.As(apptest.Acme, "read:webhook-subscriptions", "write:webhook-subscriptions", "read:agents")

		made := c.Query(t, createHook, object{"input": object{"url": endpoint.URL, "events": list("AgentUpdated"),
			"headers": list(object{"name": "X-Key", "value": "hush-hush"})}})
		id, _ := apptest.At(made, "result.webhookSubscription.id").(string)
		secret, _ := apptest.At(made, "result.secret").(string)
		if len(secret) != 44 { // 32 bytes in base64
			t.Errorf("the secret is %q", secret)
		}
		equal(t, "headers", apptest.At(made, "result.webhookSubscription.headers"), any(list(object{"name": "X-Key", "value": "****"})))

		w.Raise(t, apptest.Acme, events.AgentEvent(w.Tenants[apptest.Acme], events.AgentUpdated, events.AgentChange{AgentCode: "A1"}))
		w.DeliverNow(t, apptest.Acme)
		read := `query($id: ID!) { webhookSubscription(id: $id) { lastSequence consecutiveFailures retrySchedule
			deliveries { totalCount nodes { id eventId eventType sequence attemptNumber isSuccessful httpStatusCode state nextAttemptAt payload } } } }`
		shown := c.Query(t, read, object{"id": id})
		equal(t, "the schedule in force", apptest.At(shown, "webhookSubscription.retrySchedule"), any(list(number("1"), number("5"), number("30"), number("120"), number("300"), number("600"), number("840"), number("1200"), number("1440"))))
		first := apptest.At(shown, "webhookSubscription.deliveries.nodes.0")
		equal(t, "state", apptest.At(first, "state"), any("PENDING"))
		equal(t, "status", apptest.At(first, "httpStatusCode"), any(number("500")))
		equal(t, "event in the payload", apptest.At(first, "payload.id"), apptest.At(first, "eventId"))
		equal(t, "failures", apptest.At(shown, "webhookSubscription.consecutiveFailures"), any(number("1")))

		status = http.StatusOK
		again := c.Query(t, `mutation($id: ID!) { result: webhookDeliveryRetry(input: {id: $id}) { applied userErrors { code } delivery { state } } }`, object{"id": apptest.At(first, "id")})
		equal(t, "retry", apptest.At(again, "result.applied"), any(true))
		w.DeliverNow(t, apptest.Acme)
		replayed := c.Query(t, `mutation($id: ID!) { result: webhookReplay(input: { id: $id, from: "2026-06-01T00:00:00Z", through: "2026-07-01T00:00:00+02:00" }) {
			queued applied webhookSubscription { lastSequence } } }`, object{"id": id})
		equal(t, "replay", apptest.At(replayed, "result"), any(object{"queued": number("1"), "applied": true, "webhookSubscription": object{"lastSequence": number("2")}}))
		w.DeliverNow(t, apptest.Acme)
		tested := c.Query(t, `mutation($id: ID!) { result: webhookTest(input: {id: $id}) { applied delivery { isSuccessful eventType sequence state } } }`, object{"id": id})
		equal(t, "test", apptest.At(tested, "result"), any(object{"applied": true, "delivery": object{
			"isSuccessful": true, "eventType": events.Ping, "sequence": nil, "state": nil}}))
		equal(t, "deliveries", apptest.At(c.Query(t, read, object{"id": id}), "webhookSubscription.deliveries.totalCount"), any(number("4")))

		rotated := c.Query(t, `mutation($id: ID!) { result: webhookSubscriptionRotateSecret(input: {id: $id}) { secret webhookSubscription { previousSecretUntil } } }`, object{"id": id})
		equal(t, "overlap", apptest.At(rotated, "result.webhookSubscription.previousSecretUntil"), any("2026-06-16T12:00:00Z"))
		if apptest.At(rotated, "result.secret") == any(secret) {
			t.Error("the secret is the same after a rotation")
		}
		if log := w.Logged(); strings.Contains(log, secret) || strings.Contains(log, "hush") {
			t.Error("the log holds a secret")
		}
	})
}

// What is refused names the argument.
func TestWebhooksRefused(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, "read:webhook-subscriptions", "write:webhook-subscriptions", "read:agents")
		refused := c.Query(t, createHook, object{"input": object{"url": "http://example.com", "events": list("Nope"), "maxRetries": -1}})
		equal(t, "errors", apptest.At(refused, "result.userErrors"), any(list(
			object{"code": "INVALID_FORMAT", "field": list("input", "url")}, object{"code": "INVALID_FORMAT", "field": list("input", "events", "0")},
			object{"code": "OUT_OF_RANGE", "field": list("input", "maxRetries")})))
		for _, field := range []string{"webhookSubscriptionDelete", "webhookSubscriptionRotateSecret", "webhookTest", "webhookDeliveryRetry"} {
			data := c.Query(t, `mutation { result: `+field+`(input: {id: "0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e70"}) { applied userErrors { code field } } }`, nil)
			equal(t, field, apptest.At(data, "result"), any(object{"applied": false, "userErrors": list(object{"code": "NOT_FOUND", "field": list("input", "id")})}))
		}
		if _, errs := c.GraphQL(t, `{ webhookSubscriptions(first: 101) { nodes { id } } }`, nil); len(errs) != 1 || errs[0].Code() != "BAD_USER_INPUT" {
			t.Errorf("a page of 101: %+v", errs)
		}
	})
}

// Whoever makes subscriptions is told, by them, only of what it may read. What a
// subscription has may stay, but goes nowhere else.
func TestWebhooksTellOnlyWhatMayBeRead(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		weak := w.As(apptest.Acme, "read:webhook-subscriptions", "write:webhook-subscriptions", "read:agents")
		all := w.As(apptest.Acme, append([]string{"write:webhook-subscriptions"}, slices.Collect(maps.Values(events.ReadScopes()))...)...)
		names := list("AgentUpdated", "UserCreated", "Platform.AgentOnboarding.Events.*")
		refused := weak.Query(t, createHook, object{"input": object{"url": "https://example.com/in", "events": names}})
		forbidden := any(list(object{"code": "FORBIDDEN", "field": list("input", "events", "1")}, object{"code": "FORBIDDEN", "field": list("input", "events", "2")}))
		equal(t, "create", apptest.At(refused, "result.userErrors"), forbidden)
		made := all.Query(t, createHook, object{"input": object{"url": "https://example.com/in", "events": names}})
		id := apptest.At(made, "result.webhookSubscription.id")
		const change = `mutation($input: WebhookSubscriptionUpdateInput!) { result: webhookSubscriptionUpdate(input: $input) { applied userErrors { code field } } }`
		for what, test := range map[string]struct {
			input object
			want  any
		}{
			"elsewhere":   {object{"url": "https://example.org/mine"}, forbidden},
			"another one": {object{"events": list("UserCreated", "UserUpdated")}, any(list(object{"code": "FORBIDDEN", "field": list("input", "events", "1")}))},
			"no change":   {object{"description": "d", "isActive": true}, any([]any{})},
		} {
			test.input["id"] = id
			equal(t, what, apptest.At(weak.Query(t, change, object{"input": test.input}), "result.userErrors"), test.want)
		}
		for _, input := range []object{{"isActive": false}, {"events": list("UserCreated", "AgentUpdated")}} {
			input["id"] = id
			equal(t, "less", apptest.At(weak.Query(t, change, object{"input": input}), "result"), any(object{"applied": true, "userErrors": []any{}}))
		}
		equal(t, "on again", apptest.At(weak.Query(t, change, object{"input": object{"id": id, "isActive": true}}), "result.userErrors"),
			any(list(object{"code": "FORBIDDEN", "field": list("input", "events", "0")})))
	})
}

// webhookEventTypes lists every type with its schema and a sample.
func TestWebhookEventTypes(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		data := w.As(apptest.Acme, "read:webhook-subscriptions").Query(t, `{ webhookEventTypes { name shortName wildcard area description schema sample } }`, nil)
		names := apptest.Each(data, "webhookEventTypes", "name")
		if len(names) != len(events.Catalogue()) || len(names) == 0 {
			t.Fatalf("%d types", len(names))
		}
		for i, name := range names {
			kind := apptest.At(data, "webhookEventTypes").([]any)[i]
			if apptest.At(kind, "sample.type") != name || apptest.At(kind, "schema.type") != any("object") {
				t.Errorf("%v: the sample or the schema is of something else", name)
			}
		}
	})
}
