package hierarchy_test

import (
	"context"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/store/dbtest"
)

// A period that starts or ends with the passing of a day changes the hierarchy
// with no write; a day on which none does needs no event.
func TestDaysPass(t *testing.T) {
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

// The minute's tick asks for a rebuild when a day has passed or a job was lost,
// and leaves alone what is fresh or being worked on.
func TestTick(t *testing.T) {
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
		w.clock.Move(time.Minute)
		if !woken() {
			t.Error("did not ask for a change whose job is lost")
		}
		if woken() {
			t.Error("asked twice in a minute")
		}
		setStatus(t, w, hierarchy.Running)
		w.clock.Move(time.Minute)
		if !woken() {
			t.Error("did not ask after a rebuild that was killed")
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
