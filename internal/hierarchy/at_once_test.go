package hierarchy_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// "published when the background rebuild of the flattened upline/downline hierarchy
// finishes after hierarchy changes" (specification, Events): a move of few agents is
// flattened with the change, and its event is there; a move of many waits for a rebuild.
func TestAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 6)
		w.plant(t, -1, 0, 1, 2, -1, 4)
		w.rebuild(t)
		before := w.events(t)
		must(t, w.place(t, w.agents[1], w.agents[5], w.today(), nil)) // three agents move
		if b := w.build(t); b.IsStale || b.Status != hierarchy.Completed {
			t.Errorf("after a move of three: %+v", b)
		}
		w.check(t)
		if n := w.events(t) - before; n != 1 {
			t.Errorf("%d events of a move", n)
		}
		most := *hierarchy.MovedAtOnce
		*hierarchy.MovedAtOnce = 2
		defer func() { *hierarchy.MovedAtOnce = most }()
		must(t, w.place(t, w.agents[1], w.agents[0], w.today(), nil))
		if b := w.build(t); !b.IsStale || b.Status != hierarchy.Queued {
			t.Errorf("after a move of more than two: %+v", b)
		}
		w.rebuild(t)
		w.check(t)
	})
}

// While a rebuild is under way, a change leaves its rows alone and asks for another; the
// first change after it flattens both.
func TestAtOnceWaitsForARebuild(t *testing.T) {
	w := newWorld(t, dbtest.Postgres(t), 4)
	w.plant(t, -1, 0, 0, 0)
	w.rebuild(t)
	w.inTx(t, func(ctx context.Context, tx *store.Tx) error {
		if err := hierarchy.LockRebuild(ctx, tx, w.tenant, w.team); err != nil {
			return err
		}
		must(t, w.place(t, w.agents[3], w.agents[2], w.today(), nil))
		if b := w.build(t); !b.IsStale || b.Status != hierarchy.Queued {
			t.Errorf("a change beside a rebuild: %+v", b)
		}
		return nil
	})
	must(t, w.place(t, w.agents[2], w.agents[1], w.today(), nil))
	if b := w.build(t); b.IsStale {
		t.Errorf("a change after the rebuild: %+v", b)
	}
	w.check(t)
}

// Changes of several servers at once, which take no turns, are all flattened at once: none sends
// another to a rebuild.
func TestAtOnceBesideOthers(t *testing.T) {
	const writers, moves = 8, 15
	w := newWorld(t, dbtest.Postgres(t), writers+2)
	uplines := make([]int, writers+2)
	uplines[0], uplines[1] = -1, -1
	w.plant(t, uplines...)
	w.rebuild(t)
	w.exec(t, "DELETE FROM river_job")
	var all sync.WaitGroup
	var own sync.Mutex
	for _, agent := range w.agents[2:] {
		all.Go(func() {
			for i := range moves {
				own.Lock()
				after := w.applied(t, agent, w.agents[(i+1)%2], w.today(), nil)
				own.Unlock()
				if err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
					if err := w.write(ctx, tx, agent, after); err != nil {
						return err
					}
					return w.tell(ctx, tx, agent)
				}); err != nil {
					t.Error(err)
				}
				own.Lock()
				w.periods[agent] = after
				own.Unlock()
			}
		})
	}
	all.Wait()
	if b := w.build(t); b.IsStale || b.Status != hierarchy.Completed {
		t.Errorf("after all changes: %+v", b)
	}
	w.count(t, "jobs", "SELECT count(*) FROM river_job", 0)
	w.check(t)
}

// While a rebuild is under way, another one takes no connection to wait for it, and however
// many changes come, one job waits.
func TestRebuildsDoNotWaitInATransaction(t *testing.T) {
	inBackground(t)
	w := newWorld(t, dbtest.Postgres(t), 4)
	w.plant(t, -1, 0, 0, 0)
	w.rebuild(t)
	w.exec(t, "DELETE FROM river_job")
	w.inTx(t, func(ctx context.Context, tx *store.Tx) error {
		if err := hierarchy.LockRebuild(ctx, tx, w.tenant, w.team); err != nil {
			return err
		}
		w.runJobs(t)
		for _, upline := range []int64{w.agents[1], w.agents[2], w.agents[1]} {
			must(t, w.place(t, w.agents[3], upline, w.today(), nil))
			if _, err := hierarchy.RebuildNow(w.service, w.ctx, w.team); !errors.Is(err, hierarchy.ErrUnderWay) {
				t.Errorf("a rebuild beside another: %v", err)
			}
		}
		w.count(t, "jobs that looked again", "SELECT count(*) FROM river_job WHERE coalesce(metadata->>'snoozes', '0')::int > 1", 1)
		w.count(t, "jobs", "SELECT count(*) FROM river_job", 1)
		w.count(t, "sessions that wait", "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'", 0)
		return nil
	})
	w.settle(t)
	w.check(t)
}

// count waits until a query counts so many.
func (w *world) count(t *testing.T, what, query string, want int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var n int
		_, err := store.One(w.ctx, w.store, []any{&n}, query)
		must(t, err)
		if n == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d %s, want %d", n, what, want)
		}
	}
}
