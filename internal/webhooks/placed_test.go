package webhooks_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/webhooks"
)

// Docs/webhooks.md: "A change has its place in the feed. Events up to there go by
// the subscription as it was": also those that were committed while the change was
// asked for, and not fanned out yet.
func TestEventBeforeAChange(t *testing.T) {
	var meanwhile func()
	each(t, func(t *testing.T, w *world) {
		other := input("http://127.0.0.1:1", "AgentCreated")
		for name, change := range map[string]func(sub *webhooks.Subscription) error{
			"paused": func(sub *webhooks.Subscription) error {
				_, _, err := w.Update(w.ctx, sub.UID, webhooks.Input{IsActive: patch.Set(false)})
				return err
			},
			"of other types": func(sub *webhooks.Subscription) error {
				_, _, err := w.Update(w.ctx, sub.UID, webhooks.Input{Events: other.Events})
				return err
			},
		} {
			sub := w.subscribe("http://127.0.0.1:1")
			w.raise("BEFORE")
			meanwhile = func() { w.raise("MEANWHILE") }
			err := change(sub)
			meanwhile = nil
			if err != nil {
				t.Fatal(err)
			}
			w.raise("AFTER")
			if got := w.queued(sub); !slices.Equal(got, []string{"BEFORE", "MEANWHILE"}) {
				t.Errorf("%s: queued are %q", name, got)
			}
		}
		// A new one gets what is behind its place, and one that is active again.
		sub := w.subscribe("http://127.0.0.1:1", func(*webhooks.Input) {
			w.raise("BEFORE")
			meanwhile = func() { w.raise("MEANWHILE") }
		})
		meanwhile = nil
		w.raise("AFTER")
		if got := w.queued(sub); !slices.Equal(got, []string{"AFTER"}) {
			t.Errorf("new: queued are %q", got)
		}
		w.update(sub, webhooks.Input{IsActive: patch.Set(false)})
		w.raise("PAUSED")
		meanwhile = func() { w.raise("MEANWHILE") }
		w.update(sub, webhooks.Input{IsActive: patch.Set(true)})
		meanwhile = nil
		w.raise("RESUMED")
		if got := w.queued(sub); !slices.Equal(got, []string{"AFTER", "RESUMED"}) {
			t.Errorf("resumed: queued are %q", got)
		}
		// A replay has each event once, also one that is to be fanned out.
		meanwhile = func() { w.raise("REPLAYED") }
		_, n, err := w.Replay(w.ctx, sub.UID, webhooks.Replay{From: start, Through: w.clock.Now()})
		meanwhile = nil
		if got := w.queued(sub); err != nil || len(got) != 3+n || slices.Index(got, "REPLAYED") < 0 || slices.Index(got[slices.Index(got, "REPLAYED")+1:], "REPLAYED") >= 0 {
			t.Errorf("replayed %d (%v): queued are %q", n, err, got)
		}
	}, func(c *webhooks.Config) {
		c.Passed = func(point string) {
			if point == "before the change" && meanwhile != nil {
				meanwhile()
			}
		}
	})
}

// Whoever sees an event in the feed and then the subscription as it was knows that
// the event goes by it, whoever else changes it or writes events at the time.
func TestPlaceOfAChangeAmongWriters(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		sub := w.subscribe("http://127.0.0.1:1")
		feed := events.NewFeed(w.store)
		for round := range 5 {
			from := w.feed(feed, "")
			stop := make(chan struct{})
			var others sync.WaitGroup
			for i := range 3 {
				others.Go(func() {
					for n := 0; n < 200 && !closed(stop); n++ {
						w.raise(fmt.Sprintf("R%d-%d-%d", round, i, n))
						time.Sleep(time.Millisecond) // readers and the changer come, too
					}
				})
			}
			var seen string // the last event that was seen before the subscription was seen active
			others.Go(func() {
				for !closed(stop) {
					all := w.feed(feed, from.cursor)
					now, err := w.Subscription(w.ctx, sub.UID)
					if err != nil || !now.IsActive {
						return
					}
					if len(all.agents) > 0 {
						seen = all.agents[len(all.agents)-1]
					}
				}
			})
			until(t, "events", func() bool { return len(w.feed(feed, from.cursor).agents) > 10 })
			before := w.feed(feed, from.cursor).agents
			w.update(sub, webhooks.Input{IsActive: patch.Set(false)})
			behind := w.feed(feed, from.cursor).agents
			close(stop)
			others.Wait()
			all := w.feed(feed, from.cursor).agents
			queued := w.queued(sub)
			if !slices.Equal(queued, all[:len(queued)]) || len(queued) < len(before) || len(queued) > len(behind) {
				t.Fatalf("queued are %d, not the first %d to %d of %d events", len(queued), len(before), len(behind), len(all))
			}
			if at := slices.Index(all, seen); at >= len(queued) {
				t.Errorf("event %d was in the feed while the subscription was active; queued are %d", at+1, len(queued))
			}
			w.update(sub, webhooks.Input{IsActive: patch.Set(true)})
			w.forget(sub)
		}
	})
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// fed is what is in the feed behind a cursor: the agents of the events.
type fed struct {
	agents []string
	cursor string
}

func (w *world) feed(f *events.Feed, after string) (all fed) {
	w.t.Helper()
	all.cursor = after
	for {
		first := 50
		args := page.Args{First: &first}
		if all.cursor != "" {
			args.After = &all.cursor
		}
		p, err := f.Page(w.ctx, events.Filter{}, args)
		if err != nil {
			w.t.Error(err)
			return all
		}
		for _, e := range p.Items {
			all.agents = append(all.agents, *e.AgentCode)
		}
		if len(p.Items) > 0 {
			all.cursor = p.Cursor(p.Items[len(p.Items)-1])
		}
		if len(p.Items) < first {
			return all
		}
	}
}

// queued fans out and returns the agents of what is queued for a subscription.
func (w *world) queued(sub *webhooks.Subscription) []string {
	w.t.Helper()
	if err := w.FanOut(w.ctx); err != nil {
		w.t.Fatal(err)
	}
	all, err := store.Collect(w.ctx, w.store, store.ScanOne[string],
		"SELECT agent_code FROM webhook_message WHERE tenant_id = $1 AND subscription_id = $2 ORDER BY sequence", w.tenant.ID, sub.ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// forget empties the queue of a subscription.
func (w *world) forget(sub *webhooks.Subscription) {
	w.t.Helper()
	err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM webhook_message WHERE tenant_id = $1 AND subscription_id = $2", w.tenant.ID, sub.ID)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}
