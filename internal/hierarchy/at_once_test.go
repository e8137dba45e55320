package hierarchy_test

import (
	"context"
	"testing"

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
