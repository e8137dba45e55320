package app_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// The metrics count attempts by outcome and what is behind, and name no tenant,
// address or secret.
func TestWebhookMetrics(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{Development: true})
		status := http.StatusNoContent
		endpoint := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if status == 0 {
				panic(http.ErrAbortHandler)
			}
			rw.WriteHeader(status)
		}))
		defer endpoint.Close()
		data := w.As(apptest.Acme, allScopes...).Query(t, `mutation($url: String!) { result: webhookSubscriptionCreate(input: {url: $url, events: ["AgentUpdated"],
			headers: [{name: "X-Key", value: "hush-hush"}]}) { secret webhookSubscription { id } } }`, map[string]any{"url": endpoint.URL + "/token-in-path"})
		event := events.AgentEvent(w.Tenants[apptest.Acme], events.AgentUpdated, events.AgentChange{AgentCode: "A1"})
		for _, status = range []int{204, 204, 500, 302, 0} {
			w.Raise(t, apptest.Acme, event)
			w.DeliverNow(t, apptest.Acme)
		}
		w.Clock.Move(2 * time.Minute) // the retries are due
		shown := w.Metrics()
		for _, want := range []string{
			`upline_webhook_attempt_duration_seconds_count{outcome="successful"} 2`, `upline_webhook_attempt_duration_seconds_count{outcome="refused"} 2`,
			`upline_webhook_attempt_duration_seconds_count{outcome="unanswered"} 1`, "upline_webhook_messages_pending 3", "upline_webhook_endpoints_failing 0",
		} {
			if !strings.Contains(shown, "\n"+want+"\n") {
				t.Errorf("the metrics do not say %s", want)
			}
		}
		if strings.Contains(shown, "upline_webhook_overdue_seconds 0\n") {
			t.Error("nothing is overdue")
		}
		id, _ := apptest.At(data, "result.webhookSubscription.id").(string)
		secret, _ := apptest.At(data, "result.secret").(string)
		for _, hidden := range []string{id, secret, "hush", "token-in-path", "127.0.0.1", apptest.Acme} {
			if hidden == "" || strings.Contains(shown, hidden) {
				t.Errorf("the metrics hold %q", hidden)
			}
		}
		for range 8 { // an endpoint that keeps failing
			w.Raise(t, apptest.Acme, event)
		}
		w.DeliverNow(t, apptest.Acme)
		w.Clock.Move(time.Hour)
		if shown = w.Metrics(); !strings.Contains(shown, "upline_webhook_endpoints_failing 1\n") || !strings.Contains(shown, "upline_webhook_overdue_seconds 0\n") {
			t.Error("what waits for an endpoint that keeps failing is overdue")
		}
	})
}
