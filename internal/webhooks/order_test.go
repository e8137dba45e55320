package webhooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/webhooks"
)

func agentOf(g got) string {
	var body struct{ Data struct{ AgentCode string } }
	_ = json.Unmarshal(g.body, &body)
	return body.Data.AgentCode
}

// Every subscription has numbers of its own, "1, 2, 3 … without a gap" (api
// "Webhook deliveries"), in the order of the feed; a change that was rolled back
// has none.
func TestSequence(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		a, b := receive(t, nil), receive(t, nil)
		first := w.subscribe(a.URL)
		for i := range 30 {
			if i == 10 {
				w.subscribe(b.URL, ordered)
			}
			w.raise("A1")
			undone := errors.New("undone")
			err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
				_, err := events.Write(ctx, tx, w.clock.Now(), events.AgentEvent(w.tenant, events.AgentDeleted, events.AgentChange{AgentCode: "B1"}))
				return errors.Join(undone, err)
			})
			if !errors.Is(err, undone) {
				t.Fatal(err)
			}
		}
		w.deliver(first)
		all, err := w.Subscriptions(w.ctx, false, argsOf(10))
		if err != nil {
			t.Fatal(err)
		}
		w.deliver(all.Items[1])
		for r, want := range map[*receiver]int{a: 30, b: 20} {
			found := sequences(r.received())
			if len(found) != want || found[0] != 1 || found[want-1] != want || len(r.received()) != want {
				t.Errorf("the numbers are %v of %d requests, want 1 to %d", found, len(r.received()), want)
			}
		}
		for i, g := range b.received() { // it is ordered, and all events are of one agent
			if g.sequence() != i+1 {
				t.Fatalf("request %d has the number %d", i+1, g.sequence())
			}
			if agentOf(g) != "A1" {
				t.Error("an event of a change that was rolled back arrived")
			}
		}
	})
}

// "optional ordering per agent that does not block other agents' events": while
// an agent's event waits for its retry, the later ones of the agent wait, too.
func TestOrderedByAgent(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		failing := true
		r := receive(t, nil)
		r.set(func(rw http.ResponseWriter, n int) {
			if failing && agentOf(r.received()[n-1]) == "BAD" {
				rw.WriteHeader(500)
			}
		})
		sub := w.subscribe(r.URL, ordered)
		for range 5 {
			w.raise("BAD")
			w.raise("GOOD")
		}
		next := w.deliver(sub)
		count := map[string][]int{}
		for _, g := range r.received() {
			count[agentOf(g)] = append(count[agentOf(g)], g.sequence())
		}
		if len(count["BAD"]) != 1 || len(count["GOOD"]) != 5 || count["BAD"][0] != 1 {
			t.Errorf("received %v while the first event of BAD fails", count)
		}
		if next == nil || next.Before(start.Add(48*time.Second)) {
			t.Fatalf("the next attempt is at %v", next)
		}
		failing = false
		w.clock.Move(2 * time.Minute)
		w.deliver(sub)
		var order []int
		for _, g := range r.received()[6:] {
			order = append(order, g.sequence())
		}
		if len(order) != 5 || order[0] != 1 || order[1] != 3 || order[4] != 9 {
			t.Errorf("after the retry %v arrived", order)
		}
	})
}

// "Setting isActive to false pauses deliveries" (Webhooks): what is queued is
// held, "events raised meanwhile are not queued but can be replayed" (api).
func TestInactive(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, nil)
		sub := w.subscribe(r.URL)
		w.raise("BEFORE") // not fanned out yet: it was raised while the subscription was active
		set := func(active bool) {
			if _, _, err := w.Update(w.ctx, sub.UID, webhooks.Input{IsActive: patch.Set(active)}); err != nil {
				t.Fatal(err)
			}
		}
		set(false)
		w.clock.Move(time.Minute)
		w.raise("MEANWHILE")
		w.deliver(sub)
		if n := len(r.received()); n != 0 {
			t.Errorf("%d requests while inactive", n)
		}
		w.clock.Move(time.Minute)
		set(true)
		w.raise("AFTER")
		w.deliver(sub)
		all := r.received()
		if len(all) != 2 || agentOf(all[0])+agentOf(all[1]) != "BEFOREAFTER" && agentOf(all[0])+agentOf(all[1]) != "AFTERBEFORE" {
			t.Fatalf("%d requests after it was active again", len(all))
		}
		_, queued, err := w.Replay(w.ctx, sub.UID, webhooks.Replay{From: start.Add(time.Minute), Through: start.Add(90 * time.Second)})
		if err != nil || queued != 1 {
			t.Fatalf("%d events are replayed (%v)", queued, err)
		}
		w.deliver(sub)
		if g := r.received()[2]; agentOf(g) != "MEANWHILE" || g.sequence() != 3 {
			t.Errorf("the replay brought %s with number %d", agentOf(g), g.sequence())
		}
	})
}

// A replay brings what the subscription names, with new numbers, and leaves out
// what is still pending.
func TestReplay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, nil)
		w.raise("OLD") // before there is a subscription
		w.raiseAll(events.AgentEvent(w.tenant, events.AgentCreated, events.AgentChange{AgentCode: "OLD"}))
		sub, _, err := w.Create(w.ctx, input(r.URL, "AgentUpdated"))
		if err != nil {
			t.Fatal(err)
		}
		w.raise("NEW")
		w.deliver(sub)
		w.raise("PENDING")
		day := webhooks.Replay{From: start.Add(-time.Hour), Through: start.Add(time.Hour)}
		if _, queued, err := w.Replay(w.ctx, sub.UID, day); err != nil || queued != 2 {
			t.Errorf("%d events are replayed, not OLD and NEW (%v)", queued, err)
		}
		w.deliver(sub)
		all := r.received()
		if len(all) != 4 || len(sequences(all)) != 4 || sequences(all)[3] != 4 {
			t.Errorf("%d requests with the numbers %v", len(all), sequences(all))
		}
		day.EventTypes = []string{"AgentCreated"} // which the subscription does not name
		if _, queued, err := w.Replay(w.ctx, sub.UID, day); err != nil || queued != 0 {
			t.Errorf("%d events of another type are replayed (%v)", queued, err)
		}
		_, _, err = w.Replay(w.ctx, sub.UID, webhooks.Replay{From: start, Through: start.Add(-1), EventTypes: []string{"x"}})
		if len(problem.From(err)) != 2 {
			t.Errorf("a wrong range and a wrong type: %v", err)
		}
	})
}

// A test sends a Ping at once, also while the subscription is inactive, takes no
// number and reaches no other subscription.
func TestTest(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r, other := receive(t, nil), receive(t, nil)
		sub := w.subscribe(r.URL)
		if _, _, err := w.Update(w.ctx, sub.UID, webhooks.Input{IsActive: patch.Set(false)}); err != nil {
			t.Fatal(err)
		}
		listening, _, err := w.Create(w.ctx, input(other.URL, "Ping", "AgentUpdated"))
		if err != nil {
			t.Fatal(err)
		}
		d, err := w.Test(w.ctx, sub.UID)
		if err != nil || !d.IsSuccessful || d.Event.Type != events.Ping || d.Sequence != nil || d.AttemptNumber != 1 {
			t.Fatalf("%+v (%v)", d, err)
		}
		if g := r.received()[0]; g.header.Get("X-Webhook-Id") != d.UID || g.id() != d.Event.ID || g.header.Get("X-Webhook-Sequence") != "" {
			t.Errorf("sent %v", g.header)
		}
		w.raise("A1")
		w.deliver(listening)
		if all := other.received(); len(all) != 1 || all[0].sequence() != 1 || agentOf(all[0]) != "A1" {
			t.Errorf("another subscription got %d requests", len(all))
		}
		if _, err := w.Retry(w.ctx, d.UID); !problem.Has(err, problem.NotApplicable) {
			t.Errorf("a test is sent again: %v", err)
		}
		if _, err := w.Test(w.ctx, "nonsense"); !problem.Has(err, problem.NotFoundCode) {
			t.Errorf("an unknown subscription is tested: %v", err)
		}
	})
}

// When the order is taken off a subscription, what waited for it goes at once.
func TestOrderIsTakenOff(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, func(rw http.ResponseWriter, n int) {
			if n == 1 {
				rw.WriteHeader(500)
			}
		})
		sub := w.subscribe(r.URL, ordered)
		for range 4 {
			w.raise("A1")
		}
		w.deliver(sub)
		if n := len(r.received()); n != 1 {
			t.Fatalf("%d requests while the first event waits for its retry", n)
		}
		if _, _, err := w.Update(w.ctx, sub.UID, webhooks.Input{IsOrdered: patch.Set(false)}); err != nil {
			t.Fatal(err)
		}
		w.deliver(sub)
		if found := sequences(r.received()); len(found) != 4 || len(r.received()) != 4 {
			t.Errorf("%v arrived without the order", found)
		}
	})
}

// "the events of an agent are delivered one after the other" (docs/divergences.md):
// also those that were pending when the subscription became ordered.
func TestOrderIsPutOn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var most, now atomic.Int32
		r := receive(t, func(rw http.ResponseWriter, n int) {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(5 * time.Millisecond)
			now.Add(-1)
			if n == 1 {
				rw.WriteHeader(http.StatusInternalServerError)
			}
		})
		sub := w.subscribe(r.URL)
		for range 10 {
			w.raise("A1")
		}
		w.update(sub, webhooks.Input{IsActive: patch.Set(false)})
		w.update(sub, webhooks.Input{IsOrdered: patch.Set(true), IsActive: patch.Set(true)})
		w.deliver(sub)
		w.arrived(r, 1) // the others wait for its retry
		w.clock.Move(2 * time.Minute)
		w.deliver(sub)
		if most.Load() != 1 {
			t.Errorf("%d events of an agent at once", most.Load())
		}
		w.arrived(r, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	})
}

// arrived compares the numbers of what a receiver got, in their order.
func (w *world) arrived(r *receiver, want ...int) {
	w.t.Helper()
	var found []int
	for _, g := range r.received() {
		found = append(found, g.sequence())
	}
	if !slices.Equal(found, want) {
		w.t.Errorf("the numbers %v arrived, not %v", found, want)
	}
}

// What is under way when a subscription becomes ordered is not sent twice, and
// later events of the agent wait for it.
func TestOrderIsPutOnWhileDelivering(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		first, second := make(chan struct{}), make(chan struct{})
		r := receive(t, nil)
		r.set(func(_ http.ResponseWriter, n int) {
			switch r.received()[n-1].sequence() {
			case 1:
				<-first
			case 2:
				<-second
			}
		})
		sub := w.subscribe(r.URL)
		w.raise("A1")
		w.raise("A1")
		wait := w.drained(sub)
		until(t, "both requests", func() bool { return len(r.received()) == 2 })
		w.clock.Move(time.Second)
		w.update(sub, webhooks.Input{IsOrdered: patch.Set(true)})
		w.raise("A1")
		if err := w.FanOut(w.ctx); err != nil {
			t.Fatal(err)
		}
		w.noticed()
		close(first)
		until(t, "the first is recorded", func() bool { return len(w.deliveries(sub)) == 1 })
		w.noticed()
		if n := len(r.received()); n != 2 {
			t.Errorf("%d requests while the second is under way", n)
		}
		close(second)
		wait()
		if found := sequences(r.received()); len(found) != 3 || len(r.received()) != 3 {
			t.Errorf("%d requests for the numbers %v", len(r.received()), found)
		}
	})
}

// An event that is sent again waits for the one of its agent that is under way,
// and the later one, when that fails, for it.
func TestResendKeepsTheOrder(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		release := make(chan struct{})
		r := receive(t, func(rw http.ResponseWriter, n int) {
			if n == 2 {
				<-release
				rw.WriteHeader(http.StatusInternalServerError)
			}
		})
		sub := w.subscribe(r.URL, ordered)
		w.raise("A1")
		w.deliver(sub)
		w.raise("A1")
		wait := w.drained(sub)
		until(t, "the second event", func() bool { return len(r.received()) == 2 })
		w.clock.Move(time.Second)
		if _, err := w.Retry(w.ctx, w.deliveries(sub)[0].UID); err != nil {
			t.Fatal(err)
		}
		w.noticed()
		if n := len(r.received()); n != 2 {
			t.Errorf("%d requests while one of the agent is under way", n)
		}
		close(release)
		wait()
		w.arrived(r, 1, 2, 1, 2)
	})
}
