package webhooks_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/webhooks"
)

// deliveriesOfRun is how many deliveries one round of a benchmark makes.
const deliveriesOfRun = 4000

// BenchmarkDeliver measures deliveries from events that are committed to
// attempts that are recorded, with a receiver in the same process.
func BenchmarkDeliver(b *testing.B) {
	for name, open := range map[string]func(testing.TB) *store.Store{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		for _, subscriptions := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("%s/%d", name, subscriptions), func(b *testing.B) { benchmark(b, newWorld(b, open(b)), subscriptions) })
		}
	}
}

func benchmark(b *testing.B, w *world, subscriptions int) {
	w.Service = w.another(func(c *webhooks.Config) { c.Clock = clock.System{} })
	r := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	defer r.Close()
	for range subscriptions {
		w.subscribe(r.URL)
	}
	all := make([]events.Event, deliveriesOfRun/subscriptions)
	for i := range all {
		all[i] = events.AgentEvent(w.tenant, events.AgentUpdated, events.AgentChange{AgentID: 1, AgentCode: fmt.Sprintf("A%d", i), Operation: "agentUpdate", ChangedFields: []string{"email"}})
	}
	w.Start(context.WithoutCancel(b.Context()))
	defer w.Stop(context.WithoutCancel(b.Context()))
	b.ResetTimer()
	before := cpu(b)
	for n := range b.N {
		for from := 0; from < len(all); from += 20 { // changes of a bulk
			w.raiseAll(all[from:min(from+20, len(all))]...)
		}
		for recorded(b, w) < (n+1)*len(all)*subscriptions {
			time.Sleep(5 * time.Millisecond)
		}
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64(b.N*len(all)*subscriptions)/seconds, "deliveries/s")
	b.ReportMetric((cpu(b)-before).Seconds()/seconds, "cores")
}

func recorded(b *testing.B, w *world) (n int) {
	if _, err := storeOne(w, []any{&n}, "SELECT count(*) FROM webhook_message WHERE tenant_id = $1 AND state = 'DELIVERED'", w.tenant.ID); err != nil {
		b.Fatal(err)
	}
	return n
}

// cpu is the time that this process, sender and receiver, has computed.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
