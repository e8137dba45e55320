package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/process"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/webhooks"
)

// BenchmarkReadsWhileDelivering measures GraphQL reads on the whole server,
// alone and while it makes 1,000 deliveries a second (500 on SQLite), of 1, 10 and
// 100 subscriptions, to a receiver in the same process. Both are measured in
// turns, a second each; what is lost is the median of the turns. For another
// second deliveries go alone: what the machine computes then is their share.
func BenchmarkReadsWhileDelivering(b *testing.B) {
	for _, c := range []struct {
		name string
		open func(testing.TB) *store.Store
		rate int
	}{{"sqlite", dbtest.SQLite, 500}, {"postgres", dbtest.Postgres, 1000}} {
		for _, subscriptions := range []int{1, 10, 100} {
			b.Run(fmt.Sprintf("%s/%d", c.name, subscriptions), func(b *testing.B) {
				benchmarkReads(b, apptest.New(b, c.open(b), apptest.Options{Development: true, Now: clock.System{}.Now()}), subscriptions, c.rate)
			})
		}
	}
}

// window is for how long something is measured at a time.
const window = time.Second

func benchmarkReads(b *testing.B, w *apptest.World, subscriptions, rate int) {
	process.RelaxGC() // as upline serve runs
	w.LoadDemo(b, apptest.Acme, 1000)
	var delivered atomic.Int64
	r := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		delivered.Add(1)
		w.WriteHeader(http.StatusNoContent)
	}))
	defer r.Close()
	for range subscriptions {
		if _, _, err := w.Webhooks.Create(w.Context(b, apptest.Acme), webhooks.Input{URL: patch.Set(r.URL), Events: patch.Set([]string{"AgentUpdated"})}); err != nil {
			b.Fatal(err)
		}
	}
	counted, statements := store.CountStatements(context.WithoutCancel(b.Context()))
	w.Webhooks.Start(counted)
	defer w.Webhooks.Stop(context.WithoutCancel(b.Context()))
	delivering := func(f func()) {
		changes, stop := context.WithCancel(w.Context(b, apptest.Acme))
		var writer sync.WaitGroup
		writer.Go(func() { raiseAt(changes, b, w, rate/subscriptions) })
		time.Sleep(time.Second / 2) // until deliveries are under way
		f()
		stop()
		writer.Wait()
		for last := int64(-1); last != delivered.Load(); time.Sleep(time.Second) { // what is left is delivered
			last = delivered.Load()
		}
	}
	delivering(func() { time.Sleep(time.Second) })
	analyze(b, w)
	var alone, beside, lost, cores []float64
	var made, asked int64
	b.ResetTimer()
	for range b.N {
		quiet := reads(b, w, window)
		var busy float64
		delivering(func() {
			before, asking := delivered.Load(), statements.Load()
			busy = reads(b, w, window)
			made, asked = made+delivered.Load()-before, asked+statements.Load()-asking
		})
		delivering(func() {
			before := computed(b)
			time.Sleep(window)
			cores = append(cores, (computed(b)-before).Seconds()/window.Seconds())
		})
		alone, beside, lost = append(alone, quiet), append(beside, busy), append(lost, 100*(1-busy/quiet))
	}
	b.ReportMetric(float64(made)/float64(b.N)/window.Seconds(), "deliveries/s")
	b.ReportMetric(float64(asked)/float64(made), "statements/delivery")
	b.ReportMetric(median(cores), "cores")
	b.ReportMetric(median(alone), "reads/s-alone")
	b.ReportMetric(median(beside), "reads/s-beside")
	b.ReportMetric(median(lost), "%-lost")
}

// analyze has PostgreSQL look at its tables, as it does of itself in the first
// minute after rows came.
func analyze(b *testing.B, w *apptest.World) {
	b.Helper()
	if !w.Store.Postgres() {
		return
	}
	if err := w.Store.InTx(b.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "ANALYZE")
		return err
	}); err != nil {
		b.Fatal(err)
	}
}

// computed is the time that all processors of the machine have computed, in
// steps of a hundredth of a second: server, database and receiver.
func computed(b *testing.B) time.Duration {
	b.Helper()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		b.Skip(err) // not Linux
	}
	var busy time.Duration
	line, _, _ := strings.Cut(string(text), "\n")
	for i, field := range strings.Fields(line)[1:8] { // user nice system idle iowait irq softirq
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatal(err)
		}
		if i != 3 && i != 4 {
			busy += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return busy
}

// reads makes reads for a while and returns how many a second there were.
func reads(b *testing.B, w *apptest.World, period time.Duration) float64 {
	ctx, cancel := context.WithTimeout(w.Context(b, apptest.Acme), period)
	defer cancel()
	var n atomic.Int64
	var readers sync.WaitGroup
	for i := range 4 {
		readers.Go(func() {
			for j := 0; ctx.Err() == nil; j++ {
				document := `query($c: String!) { agent(agentCode: $c) { agentCode firstName email } }`
				response := w.Graph.Execute(tenant.With(ctx, tenant.From(ctx)), document, "", map[string]any{"c": fmt.Sprintf("A%d", 1000+(i*250+j)%1000)})
				if response != nil && len(response.Errors) == 0 {
					n.Add(1)
				}
			}
		})
	}
	readers.Wait()
	return float64(n.Load()) / period.Seconds()
}

// raiseAt commits events at a rate: every so often those that are due by then, so
// that a busy machine does not lower it.
func raiseAt(ctx context.Context, b *testing.B, w *apptest.World, rate int) {
	ticker := time.NewTicker(max(20*time.Millisecond, time.Second/time.Duration(rate)))
	defer ticker.Stop()
	begun := time.Now()
	for raised := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		var all []events.Event
		for due := int(time.Since(begun).Seconds() * float64(rate)); raised < due; raised++ {
			all = append(all, events.AgentEvent(w.Tenants[apptest.Acme], events.AgentUpdated, events.AgentChange{AgentCode: fmt.Sprintf("A%d", raised%100)}))
		}
		err := w.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error { return events.WriteAll(ctx, tx, w.Clock.Now(), all) })
		if err != nil && ctx.Err() == nil {
			b.Error(err)
			return
		}
	}
}
