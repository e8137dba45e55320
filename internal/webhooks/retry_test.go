package webhooks_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/webhooks"
)

func storeOne(w *world, dest []any, query string, args ...any) (bool, error) {
	return store.One(w.ctx, w.store, dest, query, args...)
}

// "Retries follow one platform schedule: 1 m, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h,
// 20 h, 24 h, ±20 %"; maxRetries and retryDelayMinutes "have no effect" (api
// "Webhook deliveries"; Events, 3).
func TestRetrySchedule(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, status(500))
		sub := w.subscribe(r.URL, func(in *webhooks.Input) { in.MaxRetries, in.RetryDelayMinutes = patch.Set(0), patch.Set(100) })
		w.raise("A1")
		for i, pause := range []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour} {
			next := w.deliver(sub)
			if next == nil {
				t.Fatalf("no retry after attempt %d", i+1)
			}
			wait := next.Sub(w.clock.Now())
			if wait < pause*8/10 || wait > pause*12/10 {
				t.Errorf("retry %d comes after %v, not %v ±20 %%", i+1, wait, pause)
			}
			w.clock.Move(wait - time.Second)
			if w.deliver(sub); len(r.received()) != i+1 {
				t.Errorf("attempt %d came too early", i+2)
			}
			w.clock.Move(time.Second)
		}
		if next := w.deliver(sub); next != nil {
			t.Errorf("there is a retry after the last one, at %v", next)
		}
		history := w.deliveries(sub)
		if len(history) != 10 || len(r.received()) != 10 {
			t.Fatalf("%d attempts recorded, %d made", len(history), len(r.received()))
		}
		ids := map[string]bool{}
		for i, d := range history {
			g := r.received()[i]
			if ids[d.UID] = true; d.AttemptNumber != i+1 || g.header.Get("X-Webhook-Attempt") != strconv.Itoa(i+1) || g.header.Get("X-Webhook-Id") != d.UID {
				t.Errorf("attempt %d: recorded %d, sent %s", i+1, d.AttemptNumber, g.header.Get("X-Webhook-Attempt"))
			}
			if g.id() != d.Event.ID || *d.State != "GIVEN_UP" || d.NextAttemptAt != nil {
				t.Errorf("attempt %d: event %s, %+v", i+1, g.id(), d)
			}
		}
		if len(ids) != 10 {
			t.Error("attempts share an id")
		}
	})
}

// With the server's setting the stored values apply.
func TestSubscriptionRetryPolicy(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, status(500))
		sub := w.subscribe(r.URL, func(in *webhooks.Input) { in.MaxRetries, in.RetryDelayMinutes = patch.Set(2), patch.Set(10) })
		w.raise("A1")
		for range 2 {
			next := w.deliver(sub)
			if next == nil || next.Sub(w.clock.Now()) < 8*time.Minute || next.Sub(w.clock.Now()) > 12*time.Minute {
				t.Fatalf("the retry is at %v", next)
			}
			w.clock.Move(next.Sub(w.clock.Now()))
		}
		if pauses := w.Schedule(sub); !slices.Equal(pauses, []time.Duration{10 * time.Minute, 10 * time.Minute}) {
			t.Errorf("the schedule in force is %v", pauses)
		}
		if next := w.deliver(sub); next != nil || len(r.received()) != 3 {
			t.Errorf("%d attempts, next %v", len(r.received()), next)
		}
	}, func(c *webhooks.Config) { c.ApplySubscriptionRetryPolicy = true })
}

// "honouring Retry-After … 410 ends the retries of that event" (api "Webhook
// deliveries").
func TestAnswersThatSteerRetries(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			status     int
			retryAfter string
			want       time.Duration
		}{
			{503, "7200", 2 * time.Hour}, {429, w.clock.Now().Add(3 * time.Hour).Format(http.TimeFormat), 3 * time.Hour},
			{500, "9999999", 24 * time.Hour}, {500, w.clock.Now().AddDate(1, 0, 0).Format(http.TimeFormat), 24 * time.Hour}, {500, "-5", time.Minute}, {500, "soon", time.Minute}, {410, "60", 0},
		} {
			r := receive(t, func(w http.ResponseWriter, _ int) {
				w.Header().Set("Retry-After", c.retryAfter)
				w.WriteHeader(c.status)
			})
			sub := w.subscribe(r.URL)
			w.raise("A1")
			next := w.deliver(sub)
			if c.want == 0 {
				if next != nil || *w.deliveries(sub)[0].State != "GIVEN_UP" {
					t.Errorf("%d is tried again at %v", c.status, next)
				}
				continue
			}
			if next == nil {
				t.Fatalf("%d %s: no retry", c.status, c.retryAfter)
			}
			if wait := next.Sub(w.clock.Now()); wait < c.want*8/10 || wait > c.want*12/10 {
				t.Errorf("%d %s: the retry comes after %v", c.status, c.retryAfter, wait)
			}
		}
	})
}

// An endpoint that keeps failing gets one event a minute, until one gets
// through; then it gets all.
func TestCircuit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, status(503))
		sub := w.subscribe(r.URL)
		for range 100 {
			w.raise("A1")
		}
		next := w.deliver(sub)
		burst := len(r.received())
		if burst < 10 || burst > 50 {
			t.Errorf("%d attempts before it was left alone", burst)
		}
		if next == nil || next.Sub(w.clock.Now()) != time.Minute {
			t.Errorf("the probe is at %v", next)
		}
		for i := range 3 {
			w.deliver(sub)
			w.clock.Move(time.Minute)
			w.deliver(sub)
			w.deliver(sub)
			if n := len(r.received()); n != burst+i+1 {
				t.Errorf("%d attempts after %d minutes, not %d", n-burst, i+1, i+1)
			}
		}
		r.set(nil)
		w.clock.Move(2 * time.Minute)
		w.deliver(sub)
		if found := sequences(r.received()); len(found) != 100 {
			t.Errorf("%d of 100 events arrived in the end", len(found))
		}
	})
}

// "honouring Retry-After" (api "Webhook deliveries"): an endpoint that is left
// alone and asks for an hour is not probed before.
func TestCircuitHonoursRetryAfter(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, func(rw http.ResponseWriter, _ int) {
			rw.Header().Set("Retry-After", "3600")
			rw.WriteHeader(http.StatusTooManyRequests)
		})
		sub := w.subscribe(r.URL)
		for i := range 100 {
			w.raise(fmt.Sprintf("A%d", i))
		}
		next := w.deliver(sub)
		if burst := len(r.received()); burst > 50 || next == nil || next.Sub(w.clock.Now()) != time.Hour {
			t.Errorf("after %d attempts the next is at %v", burst, next)
		}
	})
}

// sequences returns the numbers received, each once, sorted.
func sequences(all []got) []int {
	var found []int
	for _, g := range all {
		found = append(found, g.sequence())
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// "Resend by hand = a new attempt with the next number, which replaces the
// pending retry" (api "Webhook deliveries").
func TestResend(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, status(500))
		sub := w.subscribe(r.URL)
		w.raise("A1")
		w.deliver(sub)
		r.set(nil)
		answered, err := w.Retry(w.ctx, w.deliveries(sub)[0].UID)
		if err != nil || *answered.State != "PENDING" || !answered.NextAttemptAt.Equal(w.clock.Now()) {
			t.Fatalf("%+v (%v)", answered, err)
		}
		if next := w.deliver(sub); next != nil {
			t.Errorf("the retry that was pending is still there, at %v", next)
		}
		w.clock.Move(2 * time.Minute)
		w.deliver(sub)
		if _, err := w.Retry(w.ctx, w.deliveries(sub)[0].UID); err != nil { // one that was delivered
			t.Fatal(err)
		}
		w.deliver(sub)
		history := w.deliveries(sub)
		if len(history) != 3 || history[1].AttemptNumber != 2 || history[2].AttemptNumber != 3 || *history[2].Sequence != 1 || history[2].Event.ID != history[0].Event.ID {
			t.Errorf("the history is %+v", history)
		}
	})
}
