package webhooks_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/webhooks"
)

const month = 30 * 24 * time.Hour

func keepsThreeMonths(c *webhooks.Config) { c.Retention = 3 * month }

// rows counts those of a table.
func (w *world) rows(table string) (n int) {
	w.t.Helper()
	if _, err := store.One(w.ctx, w.store, []any{&n}, "SELECT count(*) FROM "+table+" WHERE tenant_id = $1", w.tenant.ID); err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w *world) has(events, messages, deliveries int) {
	w.t.Helper()
	if e, m, d := w.rows("outbox_event"), w.rows("webhook_message"), w.rows("webhook_delivery"); e != events || m != messages || d != deliveries {
		w.t.Errorf("%d events, %d messages, %d deliveries; want %d, %d, %d", e, m, d, events, messages, deliveries)
	}
}

func (w *world) deleteOld() {
	w.t.Helper()
	if err := w.DeleteOld(w.ctx); err != nil {
		w.t.Fatal(err)
	}
}

// What is older than the retention is deleted, in steps; never an event that is
// pending, nor the message of a delivery that is kept.
func TestOldRowsAreDeleted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, nil)
		sub, held := w.subscribe(r.URL), w.subscribe(r.URL)
		for n := range 700 { // more than one step
			w.raise(fmt.Sprintf("A%d", n))
		}
		w.deliver(sub)
		first := w.deliveries(sub)[0]
		if _, _, err := w.Update(w.ctx, held.UID, webhooks.Input{IsActive: patch.Set(false)}); err != nil {
			t.Fatal(err)
		}
		w.deleteOld()
		w.has(700, 1400, 700)

		w.clock.Move(2 * month)
		w.raise("YOUNG")
		w.deliver(sub)
		if _, err := w.Retry(w.ctx, first.UID); err != nil { // a young delivery of an old event
			t.Fatal(err)
		}
		w.deliver(sub)
		w.clock.Move(month + time.Hour)
		w.deleteOld()
		// Of the first subscription the retried and the young one; of the one that
		// is held, every old one.
		w.has(701, 702, 2)

		if _, _, err := w.Update(w.ctx, held.UID, webhooks.Input{IsActive: patch.Set(true)}); err != nil {
			t.Fatal(err)
		}
		before := len(r.received())
		w.deliver(held)
		if n := len(r.received()) - before; n != 700 {
			t.Errorf("%d of the events that were held arrived", n)
		}
		w.clock.Move(4 * month)
		w.deleteOld()
		w.has(0, 0, 0)
		w.raise("NEXT")
		w.deliver(sub)
		if d := w.deliveries(sub); len(d) != 1 || *d[0].Sequence != 702 {
			t.Errorf("the numbers do not go on: %+v", d)
		}
	}, keepsThreeMonths)
}

// Events that nobody subscribed to are deleted, too; who subscribes afterwards
// starts with what comes, and can replay what is left.
func TestSubscribeAfterDeletion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.raise("OLD")
		if err := w.FanOut(w.ctx); err != nil {
			t.Fatal(err)
		}
		w.clock.Move(2 * month)
		w.raise("YOUNG")
		w.clock.Move(2 * month)
		w.deleteOld()
		w.has(1, 0, 0)
		r := receive(t, nil)
		sub := w.subscribe(r.URL)
		if _, queued, err := w.Replay(w.ctx, sub.UID, webhooks.Replay{From: start, Through: w.clock.Now()}); err != nil || queued != 1 {
			t.Errorf("%d events are replayed (%v)", queued, err)
		}
		w.deliver(sub)
		if got := r.received(); len(got) != 1 || agentOf(got[0]) != "YOUNG" {
			t.Errorf("%d events arrived", len(got))
		}
	}, keepsThreeMonths)
}

// A fan-out of more events than one transaction takes leaves none out.
func TestManyEventsAreFannedOut(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const raised = 1100
		w.subscribe("https://example.com/events")
		all := make([]events.Event, raised)
		for i := range all {
			all[i] = events.AgentEvent(w.tenant, events.AgentUpdated, events.AgentChange{AgentID: 1, AgentCode: "A1", Operation: "agentUpdate", Initiator: "tester"})
		}
		w.raiseAll(all...)
		if err := w.FanOut(w.ctx); err != nil {
			t.Fatal(err)
		}
		w.has(raised, raised, 0)
	})
}

// An event that waits for its fan-out is not deleted before.
func TestOldEventsAreFannedOutFirst(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, func(rw http.ResponseWriter, _ int) { rw.WriteHeader(http.StatusBadGateway) })
		w.subscribe(r.URL)
		w.raise("A1")
		w.clock.Move(4 * month)
		w.deleteOld()
		w.has(1, 1, 0)
	}, keepsThreeMonths)
}
