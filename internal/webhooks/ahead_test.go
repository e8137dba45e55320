package webhooks_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
)

func (w *world) exec(statement string, args ...any) {
	w.t.Helper()
	if err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, statement, args...)
		return err
	}); err != nil {
		w.t.Fatal(err)
	}
}

// A lease that a process with a wrong clock took, and did not give back, keeps
// others away for as long as a lease lasts, and not until the end that it names.
func TestLeaseOfAClockThatWasAhead(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, nil)
		sub := w.subscribe(r.URL)
		w.die(sub)
		sent := len(r.received())
		second := w.another()
		for _, ahead := range []time.Duration{time.Second, time.Hour} {
			w.exec("UPDATE webhook_subscription SET held_until = $1 WHERE tenant_id = $2", w.clock.Now().Add(6*time.Second+ahead), w.tenant.ID)
			if _, err := second.Drain(w.ctx, sub.ID, nil); err != nil {
				t.Fatal(err)
			}
			if got, want := len(r.received()) > sent, ahead == time.Hour; got != want {
				t.Errorf("the lease is %v ahead: it was taken over: %v", ahead, got)
			}
		}
	})
}

// Nor does a probe, or a message, wait for the time of such a clock.
func TestMessagesOfAClockThatWasAhead(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, func(answer http.ResponseWriter, n int) {
			if n == 2 {
				answer.WriteHeader(http.StatusInternalServerError)
			}
		})
		sub := w.subscribe(r.URL)
		w.raise("A1")
		if err := w.FanOut(w.ctx); err != nil {
			t.Fatal(err)
		}
		expect := func(what string, requests int) {
			t.Helper()
			if err := w.Straighten(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.deliver(sub)
			if n := len(r.received()); n != requests {
				t.Errorf("%s: %d requests, want %d", what, n, requests)
			}
		}
		const putOff = "UPDATE webhook_message SET next_attempt_at = $1 WHERE state = 'PENDING'"
		w.exec(putOff, w.clock.Now().Add(time.Hour))
		expect("a message that was never attempted", 1)
		w.raise("A1")
		expect("the next one, which fails", 2)
		w.exec(putOff, w.clock.Now().Add(time.Hour))
		expect("a retry in an hour", 2)
		w.exec(putOff, w.clock.Now().Add(365*24*time.Hour))
		w.exec("UPDATE webhook_subscription SET failures = 10, probe_at = $1", w.clock.Now().Add(365*24*time.Hour))
		expect("a retry in a year, of an endpoint that is probed in a year", 3)
		if d := w.deliveries(sub); len(d) != 3 || *d[2].State != "DELIVERED" {
			t.Errorf("%d deliveries", len(d))
		}
	})
}
