package hierarchy_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// findTenant knows every tenant, all in UTC.
func findTenant(_ context.Context, id int64) (*tenant.Tenant, error) {
	return &tenant.Tenant{ID: id, Zone: time.UTC}, nil
}

func startJobs(s *store.Store, c clock.Clock) (store.JobRunner, error) {
	workers := river.NewWorkers()
	hierarchy.New(s, c).AddWorkers(workers, findTenant)
	runner, err := s.JobRunner(store.JobConfig{Workers: workers, MaxWorkers: 4, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	return runner, runner.Start(context.Background())
}

// runJobs works jobs until the test ends.
func (w *world) runJobs(t *testing.T) {
	t.Helper()
	runner, err := startJobs(w.store, w.clock)
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := runner.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
}

// settle waits until no change waits for a rebuild.
func (w *world) settle(t *testing.T) {
	t.Helper()
	for deadline := time.After(time.Minute); w.build(t).IsStale; {
		select {
		case <-deadline:
			t.Fatalf("still stale: %+v", w.build(t))
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// "Any hierarchy change: flattened upline/downline views are rebuilt in the
// background" (specification, Team upline and level), without the help of a
// tick also when they come while jobs run.
func TestChangesAreFlattenedInTheBackground(t *testing.T) {
	inBackground(t)
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 5)
		w.runJobs(t)
		w.plant(t, -1, 0, 0, 1, 2)
		w.settle(t)
		w.check(t)
		for i := range 200 {
			w.clock.Move(time.Millisecond)
			must(t, w.place(t, w.agents[3+i%2], w.agents[i%3], day0, nil))
			if i%50 == 49 {
				w.settle(t)
				w.check(t)
			}
		}
	})
}

// A job that was lost costs time and nothing else: the next tick of any process asks for
// another.
func TestLostJobIsReplaced(t *testing.T) {
	inBackground(t)
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 2)
		w.plant(t, -1, 0)
		w.exec(t, "DELETE FROM river_job")
		w.clock.Move(10 * time.Second)
		w.runJobs(t)
		must(t, w.service.Tick(t.Context()))
		w.settle(t)
		w.check(t)
	})
}

// The environment of a process that works jobs until it is killed.
const childURL = "UPLINE_TEST_HIERARCHY_CHILD"

// runChild is the other process of TestKilledRebuild; it returns at once in an
// ordinary run.
func runChild() {
	url := os.Getenv(childURL)
	if url == "" {
		return
	}
	s, err := store.Open(context.Background(), url)
	if err == nil {
		_, err = startJobs(s, clock.At(day0.Time()))
	}
	if err != nil {
		slog.Error("child", "error", err)
		os.Exit(1)
	}
	select {}
}

// A process that is killed in the middle of a rebuild leaves nothing half done,
// and another brings the rows up to date.
func TestKilledRebuild(t *testing.T) {
	inBackground(t)
	dbtest.EachURL(t, func(t *testing.T, at string) {
		s, err := store.Open(context.Background(), at)
		must(t, err)
		t.Cleanup(s.Close)
		w := newWorld(t, s, 0)
		w.populate(t, 3000, func(i int) int { return (i+2)/3 - 1 })
		before := w.killDuringRebuild(t, at)
		w.clock.Move(2 * time.Minute)
		w.runJobs(t)
		// PostgreSQL may still be at the statement of the process that is gone when the
		// first tick comes; more of them follow.
		for range 600 {
			must(t, w.service.Tick(context.Background()))
			if !w.build(t).IsStale {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		w.settle(t)
		w.check(t)
		if n := w.events(t); n != before+1 {
			t.Errorf("%d events, want one more than the %d of whole rebuilds", n, before)
		}
	})
}

// killDuringRebuild kills a child when it is rebuilding. It returns the number
// of rebuilds that were finished before.
func (w *world) killDuringRebuild(t *testing.T, url string) (finished int) {
	t.Helper()
	for try := range 20 {
		w.exec(t, "DELETE FROM hierarchy_closure")
		w.exec(t, "DELETE FROM hierarchy_node")
		w.exec(t, "UPDATE hierarchy_build SET built_for = NULL")
		w.changeAll(t)
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childURL+"="+url)
		child.Stderr = os.Stderr
		must(t, child.Start())
		for deadline := time.After(time.Minute); w.build(t).Status == hierarchy.Queued; {
			select {
			case <-deadline:
				t.Fatal("the child began no rebuild")
			case <-time.After(time.Millisecond):
			}
		}
		must(t, child.Process.Kill())
		var exit *exec.ExitError
		if err := child.Wait(); !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if b := w.build(t); b.Status == hierarchy.Running && b.IsStale {
			return w.events(t)
		}
		t.Log("the child was quicker, try " + strconv.Itoa(try))
	}
	t.Fatal("no rebuild was hit")
	return 0
}
