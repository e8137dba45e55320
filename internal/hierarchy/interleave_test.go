package hierarchy_test

import (
	"context"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// hold locks the flattened row of an agent, at which a rebuild that moves the
// agent then waits, until release is called.
func (w *world) hold(t *testing.T, agent int64) (release func()) {
	t.Helper()
	held, free, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			var id int64
			_, err := store.One(ctx, tx, []any{&id}, "SELECT agent_id FROM hierarchy_node WHERE tenant_id = $1 AND agent_id = $2 FOR UPDATE", w.tenant, agent)
			close(held)
			<-free
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}()
	<-held
	return func() { close(free); <-done }
}

// rebuildAside rebuilds in another goroutine; done is closed when it returns.
func (w *world) rebuildAside(t *testing.T) (done chan struct{}) {
	done = make(chan struct{})
	go func() {
		defer close(done)
		if _, err := w.service.Rebuild(w.ctx, w.team); err != nil {
			t.Error(err)
		}
	}()
	return done
}

func (w *world) await(t *testing.T, what string, ready func(b *hierarchy.Build) bool) {
	t.Helper()
	for deadline := time.After(time.Minute); !ready(w.build(t)); {
		select {
		case <-deadline:
			t.Fatalf("%s: %+v", what, w.build(t))
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// Two rebuilds overlap, and changes come at the worst moments: whoever begins
// last has the last word, and each change that no rebuild has yet to read gets a
// job.
func TestOverlappingRebuilds(t *testing.T) {
	inBackground(t)
	w := newWorld(t, dbtest.Postgres(t), 4)
	w.plant(t, -1, 0, 0, 0)
	w.rebuild(t)
	root, p, q := w.agents[1], w.agents[2], w.agents[3]
	jobs := func() (n int) {
		_, err := store.One(w.ctx, w.store, []any{&n}, "SELECT count(*) FROM river_job WHERE kind = 'hierarchy_rebuild'")
		must(t, err)
		return n
	}
	change := func(agent int64) {
		w.clock.Move(time.Second)
		must(t, w.place(t, agent, root, day0, nil))
	}
	running := func(b *hierarchy.Build) bool { return b.Status == hierarchy.Running }

	releaseP, releaseQ := w.hold(t, p), w.hold(t, q)
	change(p)
	first := w.rebuildAside(t)
	w.await(t, "the first rebuild begins", running)
	w.awaitLock(t)
	change(q)
	second := w.rebuildAside(t)
	releaseP()
	<-first
	w.await(t, "the second rebuild begins", running)
	if b := w.build(t); b.Status != hierarchy.Running || b.ChangedVersion != b.Version+1 {
		t.Errorf("after the first rebuild, while the second runs: %+v", b)
	}
	w.awaitLock(t)
	before := jobs()
	change(p) // identical, still a change
	if n := jobs(); n != before+1 {
		t.Errorf("%d jobs for a change that the second rebuild does not read, want 1", n-before)
	}
	releaseQ()
	<-second
	if b := w.build(t); b.Status != hierarchy.Queued || !b.IsStale {
		t.Errorf("after the second rebuild, with a job waiting: %+v", b)
	}
	w.rebuild(t)
	w.check(t)
}

// awaitLock waits until a rebuild waits for a row that is held.
func (w *world) awaitLock(t *testing.T) {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		var waiting int
		_, err := store.One(w.ctx, w.store, []any{&waiting}, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO hierarchy_node%'")
		must(t, err)
		if waiting > 0 {
			return
		}
		select {
		case <-deadline:
			t.Fatal("no rebuild waits for a row")
		case <-time.After(2 * time.Millisecond):
		}
	}
}
