package hierarchy_test

import (
	"context"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// A period that starts or ends with the passing of a day changes the hierarchy
// with no write; a day on which none does needs no event.
func TestDaysPass(t *testing.T) {
	inBackground(t)
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 3)
		w.plant(t, -1, 0, 0)
		must(t, w.place(t, w.agents[2], w.agents[1], day0.AddDays(2), day0.AddDays(3).Ptr()))
		w.rebuild(t)
		for day, events := range []int{1, 1, 2, 2, 3, 3} {
			if day > 0 {
				w.clock.Move(24 * time.Hour)
				if !w.build(t).IsStale {
					t.Errorf("day %d: not stale before the rebuild", day)
				}
			}
			w.rebuild(t)
			w.check(t)
			if n := w.events(t); n != events {
				t.Errorf("day %d: %d events, want %d", day, n, events)
			}
		}
	})
}

// A job is inserted exactly when none waits: a thousand changes need one, and a
// change that comes after a rebuild began needs another.
func TestJobsInserted(t *testing.T) {
	inBackground(t)
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 3)
		jobs := func() (n int) {
			_, err := store.One(w.ctx, s, []any{&n}, "SELECT count(*) FROM river_job WHERE kind = 'hierarchy_rebuild'")
			must(t, err)
			return n
		}
		for i, a := range w.agents {
			w.clock.Move(time.Second)
			must(t, w.place(t, a, 0, day0, nil))
			if n := jobs(); n != 1 {
				t.Errorf("%d jobs after change %d, want 1", n, i+1)
			}
		}
		setStatus(t, w, hierarchy.Running)
		for range 2 {
			w.clock.Move(time.Second)
			must(t, w.place(t, w.agents[0], w.agents[1], w.today(), nil))
			if n := jobs(); n != 2 {
				t.Errorf("%d jobs after a change during a rebuild, want 2", n)
			}
		}
	})
}

func setStatus(t failer, w *world, status hierarchy.Status) {
	t.Helper()
	w.exec(t, "UPDATE hierarchy_build SET status = $1, started_at = $2 WHERE tenant_id = $3", status, w.clock.Now(), w.tenant)
}

// A look asks for a rebuild when a day has passed or a job was lost,
// and leaves alone what is fresh or being worked on.
func TestTick(t *testing.T) {
	inBackground(t)
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 2)
		woken := func() bool {
			t.Helper()
			before := w.build(t).QueuedAt
			must(t, w.service.Tick(context.Background()))
			return !w.build(t).QueuedAt.Equal(before)
		}
		w.plant(t, -1, 0)
		if woken() {
			t.Error("asked again for a change that has a job")
		}
		w.clock.Move(5 * time.Second)
		if !woken() {
			t.Error("did not ask for a change whose job is lost")
		}
		if woken() {
			t.Error("asked twice at once")
		}
		setStatus(t, w, hierarchy.Running)
		w.clock.Move(5 * time.Second)
		if !woken() {
			t.Error("did not ask after a rebuild that was killed")
		}
		setStatus(t, w, hierarchy.Failed)
		w.clock.Move(5 * time.Second)
		if woken() {
			t.Error("asked at once after a rebuild that failed")
		}
		w.clock.Move(time.Minute)
		if !woken() {
			t.Error("did not ask again after a rebuild that failed")
		}
		w.rebuild(t)
		w.clock.Move(time.Hour)
		if woken() {
			t.Error("asked though nothing changed")
		}
		w.clock.Move(24 * time.Hour)
		if !woken() {
			t.Error("did not ask on a new day")
		}
	})
}

// What a process with a wrong clock wrote down does not keep a team waiting until
// then.
func TestTickAfterAClockThatWasAhead(t *testing.T) {
	inBackground(t)
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		for _, column := range []string{"queued_at", "started_at"} {
			w := newWorld(t, s, 2)
			w.plant(t, -1, 0)
			w.exec(t, "UPDATE hierarchy_build SET status = 'QUEUED', queued_at = $1, started_at = NULL", w.clock.Now().Add(-time.Hour))
			w.exec(t, "UPDATE hierarchy_build SET "+column+" = $1", w.clock.Now().Add(time.Hour))
			must(t, w.service.Tick(context.Background()))
			if b := w.build(t); !b.QueuedAt.Equal(w.clock.Now()) {
				t.Errorf("%s in an hour: queued at %v, now it is %v", column, b.QueuedAt, w.clock.Now())
			}
		}
	})
}

// A rebuild under way is not taken for one that was killed, however long it takes.
func TestTickLeavesALongRebuildAlone(t *testing.T) {
	inBackground(t)
	w := newWorld(t, dbtest.Postgres(t), 2)
	w.plant(t, -1, 0)
	setStatus(t, w, hierarchy.Running)
	w.clock.Move(time.Hour)
	must(t, w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := hierarchy.LockRebuild(ctx, tx, w.tenant, w.team); err != nil {
			return err
		}
		before := w.build(t).QueuedAt
		must(t, w.service.Tick(context.Background()))
		if !w.build(t).QueuedAt.Equal(before) {
			t.Error("asked for another rebuild beside the one under way")
		}
		return nil
	}))
}

// A day begins at midnight of the agency: at noon of UTC it is tomorrow in Kiritimati.
func TestTickKnowsTheZone(t *testing.T) {
	inBackground(t)
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 1)
		w.plant(t, -1)
		w.rebuild(t)
		must(t, s.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE tenant SET time_zone = 'Pacific/Kiritimati' WHERE id = $1", w.tenant)
			return err
		}))
		w.clock.Move(time.Hour)
		before := w.build(t).QueuedAt
		if must(t, w.service.Tick(context.Background())); w.build(t).QueuedAt.Equal(before) {
			t.Error("did not ask on a new day of the agency")
		}
	})
}
