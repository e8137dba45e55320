package app_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/events"
)

// Deliveries that one server makes arrive at the followers of another, on both
// transports: every one, those of a subscription in order, of a tenant only its
// own, and none without the scope.
func TestDeliveriesAcrossReplicas(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		status := http.StatusInternalServerError
		endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		defer endpoint.Close()
		first, second := r.hook(t, apptest.Acme, endpoint.URL), r.hook(t, apptest.Acme, endpoint.URL)
		r.hook(t, apptest.Umbra, endpoint.URL)

		ours := r.As(apptest.Acme, allScopes...)
		const all = `subscription { webhookDeliveryAdded { subscriptionId sequence isSuccessful httpStatusCode eventType state } }`
		one := `subscription { webhookDeliveryAdded(subscriptionId: "` + first + `") { sequence isSuccessful } }`
		f := r.follow(t, ours, one)
		lines := r.stream(t, ours, all)
		r.listening(t, 2)
		deliver := func() {
			for _, in := range []string{apptest.Umbra, apptest.Acme} {
				r.change(t, in, events.AgentUpdated, "A1")
				r.DeliverNow(t, in)
			}
		}
		deliver()
		status = http.StatusNoContent
		deliver()
		r.As(apptest.Acme, allScopes...).Query(t, `mutation { webhookTest(input: {id: "`+second+`"}) { applied } }`, nil)

		f.expect(`{"webhookDeliveryAdded":{"sequence":1,"isSuccessful":false}}`, `{"webhookDeliveryAdded":{"sequence":2,"isSuccessful":true}}`)
		got := map[string]string{}
		for range 5 {
			line := <-lines
			for _, id := range []string{first, second} {
				if strings.Contains(line, id) {
					got[id] += line
				}
			}
		}
		shown := func(id, sequence string, ok bool, code int, event, state string) string {
			return fmt.Sprintf(`{"data":{"webhookDeliveryAdded":{"subscriptionId":%q,"sequence":%s,"isSuccessful":%t,"httpStatusCode":%d,"eventType":%q,"state":%s}}}`,
				id, sequence, ok, code, event, state)
		}
		for id, want := range map[string]string{
			first:  shown(first, "1", false, 500, events.AgentUpdated, `"PENDING"`) + shown(first, "2", true, 204, events.AgentUpdated, `"DELIVERED"`),
			second: shown(second, "1", false, 500, events.AgentUpdated, `"PENDING"`) + shown(second, "2", true, 204, events.AgentUpdated, `"DELIVERED"`) + shown(second, "null", true, 204, events.Ping, "null"),
		} {
			if got[id] != want {
				t.Errorf("received %s, want %s", got[id], want)
			}
		}

		r.follow(t, r.As(apptest.Acme, "read:agents", "write:webhook-subscriptions"), all).expect(`"type":"error","payload":[{"message":"The token does not hold the scope read:webhook-subscriptions"`)
		r.follow(t, r.As(apptest.Acme, allScopes...), `subscription { webhookDeliveryAdded(subscriptionId: "x") { id } }`).expect(`There is no such webhook subscription`)
	})
}

// hook adds a webhook subscription to a tenant and returns its id.
func (r *replicas) hook(t *testing.T, in, url string) string {
	t.Helper()
	made := r.As(in, allScopes...).Query(t, `mutation($url: String!) { result: webhookSubscriptionCreate(input: {url: $url, events: ["AgentUpdated"]}) {
		webhookSubscription { id } } }`, map[string]any{"url": url})
	id, _ := apptest.At(made, "result.webhookSubscription.id").(string)
	return id
}

// No delivery is lost, or comes twice, for who follows while they are made, with
// subscriptions that come and go meanwhile.
func TestFollowingLosesNothing(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
		defer endpoint.Close()
		r.hook(t, apptest.Acme, endpoint.URL)
		f := r.follow(t, r.As(apptest.Acme, allScopes...), `subscription { webhookDeliveryAdded { id } }`)
		r.listening(t, 1)
		want := 0
		for n := range 4 {
			r.hook(t, apptest.Acme, endpoint.URL)
			for range 10 {
				r.change(t, apptest.Acme, events.AgentUpdated, "A1")
			}
			r.DeliverNow(t, apptest.Acme)
			want += 10 * (n + 2)
		}
		ids := map[string]bool{}
		for range want {
			m, err := f.next()
			if err != nil || ids[m] {
				t.Fatalf("after %d of %d deliveries came %s (%v)", len(ids), want, m, err)
			}
			ids[m] = true
		}
	})
}
