package insights_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Attempts are counted one by one; the 95th percentile is taken from their sorted
// times.
func TestWebhookHealth(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		rapid.Check(t, func(t *rapid.T) {
			type attempt struct {
				age          time.Duration
				milliseconds int
				successful   bool
				isTest       bool
			}
			var event string
			tenantID, now := w.tenantID(t), w.app.Clock.Now()
			if found, err := store.One(w.ctx, w.store, []any{&event}, "SELECT CAST(e.id AS text) FROM outbox_event e WHERE e.tenant_id = $1 LIMIT 1", tenantID); err != nil || !found {
				t.Fatal("no event", err)
			}
			var ids []string
			attempts := map[string][]attempt{}
			w.write(t, func(exec func(string, ...any)) {
				exec("DELETE FROM webhook_subscription WHERE tenant_id = $1", tenantID)
				for n := range rapid.IntRange(0, 4).Draw(t, "subscriptions") {
					id := uuid.NewString()
					ids = append(ids, id)
					exec(`INSERT INTO webhook_subscription (tenant_id, uid, url, events, max_retries, retry_delay_minutes, is_ordered, is_active, secret, created_at, created_by, last_modified, last_modified_by)
						VALUES ($1, $2, $3, '[]', 0, 0, false, true, $4, $5, 'x', $5, 'x')`, tenantID, id, fmt.Sprintf("https://%d.example", n), []byte{0}, now)
					for range rapid.IntRange(0, 25).Draw(t, "attempts") {
						x := attempt{time.Duration(rapid.IntRange(0, 10*24).Draw(t, "hours")) * time.Hour, rapid.IntRange(0, 50).Draw(t, "ms"), rapid.IntRange(0, 3).Draw(t, "fails") > 0, rapid.IntRange(0, 4).Draw(t, "test") == 0}
						attempts[id] = append(attempts[id], x)
						sequence := any(1)
						if x.isTest {
							sequence = nil
						}
						exec(`INSERT INTO webhook_delivery (tenant_id, id, subscription_id, sequence, event_id, url, attempt_number, attempted_at, is_successful, response_time_ms)
							SELECT w.tenant_id, $1, w.id, $2, $3, w.url, 1, $4, $5, $6 FROM webhook_subscription w WHERE w.tenant_id = $7 AND w.uid = $8`,
							uuid.NewString(), sequence, event, now.Add(-x.age), x.successful, x.milliseconds, tenantID, id)
					}
				}
			})
			for _, count := range []int{0, 1, 3, 20} {
				given, last := parameters{"days": count}, time.Duration(count)*24*time.Hour
				if count == 0 {
					given, last = parameters{}, 7*24*time.Hour
				}
				var want [][]any
				for n, id := range ids {
					var took []int
					successful := 0
					for _, x := range attempts[id] {
						if x.age > last || x.isTest {
							continue
						}
						took = append(took, x.milliseconds)
						if x.successful {
							successful++
						}
					}
					slices.Sort(took)
					row := []any{id, fmt.Sprintf("https://%d.example", n), len(took), percent(successful, len(took)), nil}
					for i, ms := range took { // the first of which 95 of 100 are no longer
						if (i+1)*100 >= 95*len(took) {
							row[4] = ms
							break
						}
					}
					want = append(want, row)
				}
				everybody := asking{ctx: w.app.Context(t, apptest.Acme, "business-insights:queries:execute", "read:webhook-subscriptions")}
				w.holds(t, everybody, "webhook-health", given, want)
				for _, row := range want {
					row[1] = nil
				}
				w.holds(t, asking{ctx: w.app.Context(t, apptest.Acme, "business-insights:queries:execute")}, "webhook-health", given, want)
				w.holds(t, asking{ctx: w.other}, "webhook-health", given, nil)
				w.holds(t, asking{ctx: w.limitedTo(t, "A")}, "webhook-health", given, nil)
			}
		})
	})
}
