package webhooks_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/webhooks"
)

// running returns a world whose clock runs and whose service delivers by
// itself.
func running(t *testing.T, w *world) {
	t.Helper()
	w.Service = w.another(func(c *webhooks.Config) { c.Clock = clock.System{} })
	starts(t, w.Service)
}

func starts(t *testing.T, s *webhooks.Service) {
	t.Helper()
	s.Start(context.WithoutCancel(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		s.Stop(ctx)
	})
}

// "A subscription to a slow endpoint delays no other subscription", nor its own
// events as long as they can be sent beside.
func TestSlowEndpointDelaysNoOther(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		running(t, w)
		release := make(chan struct{})
		slow := receive(t, func(http.ResponseWriter, int) { <-release })
		defer close(release)
		fast := receive(t, nil)
		w.subscribe(slow.URL)
		w.subscribe(fast.URL)
		for i := range 200 {
			w.raise(fmt.Sprintf("A%d", i))
		}
		until(t, "200 events at the fast endpoint", func() bool { return len(fast.received()) == 200 })
		if n := len(slow.received()); n > 32 {
			t.Errorf("%d requests hang at the slow endpoint", n)
		}
	})
}

// An event that is raised while a request hangs is sent beside it.
func TestEventsDoNotWaitForASlowRequest(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		running(t, w)
		release := make(chan struct{})
		r := receive(t, func(_ http.ResponseWriter, n int) {
			if n == 1 {
				<-release
			}
		})
		defer close(release)
		w.subscribe(r.URL)
		for i := range 3 {
			w.raise("A1")
			until(t, "the next event", func() bool { return len(r.received()) == i+1 })
		}
	})
}

// Several processes share the work: no event is sent twice, and when one goes
// without giving its lease back, another goes on.
func TestSeveralProcesses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var most, now atomic.Int32
		r := receive(t, func(http.ResponseWriter, int) {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Millisecond)
			now.Add(-1)
		})
		sub := w.subscribe(r.URL, ordered)
		second := w.another()
		for range 50 {
			w.raise("A1")
		}
		if err := w.FanOut(w.ctx); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 2)
		for _, s := range []*webhooks.Service{w.Service, second} {
			go func() {
				_, err := s.Drain(w.ctx, sub.ID, nil)
				done <- err
			}()
		}
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if n := len(r.received()); n != 50 || most.Load() != 1 {
			t.Errorf("%d requests, up to %d of one agent at once", n, most.Load())
		}

		w.die(sub)
		if _, err := second.Drain(w.ctx, sub.ID, nil); err != nil || len(r.received()) != 51 {
			t.Errorf("%d requests while the lease is held (%v)", len(r.received()), err)
		}
		w.clock.Move(time.Minute)
		if _, err := second.Drain(w.ctx, sub.ID, nil); err != nil || len(r.received()) != 52 {
			t.Errorf("%d requests after the lease ended (%v)", len(r.received()), err)
		}
		if d := w.deliveries(sub); len(d) != 51 || d[50].AttemptNumber != 1 || *d[50].State != "DELIVERED" {
			t.Errorf("%d deliveries, the last %+v", len(d), d[len(d)-1])
		}
	})
}

// die raises an event and delivers it as a process does that is killed before it
// records the attempt: it took the lease, and has no time to give it back.
func (w *world) die(sub *webhooks.Subscription) {
	w.t.Helper()
	gone, cancel := context.WithCancel(w.ctx)
	w.Passed = func(point string) {
		if point == "before the row" {
			cancel()
			panic(http.ErrAbortHandler)
		}
	}
	w.raise("A1")
	if err := w.FanOut(w.ctx); err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = recover() }()
	_, _ = w.Drain(gone, sub.ID, nil)
}

// What a process leaves that is killed, another takes over within eight seconds
// (docs/webhooks.md).
func TestAnotherProcessTakesOver(t *testing.T) {
	for name, open := range map[string]func(testing.TB) *store.Store{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits
			w := newWorld(t, open(t))
			system := func(c *webhooks.Config) { c.Clock = clock.System{} }
			r := receive(t, nil)
			w.Service = w.another(system)
			w.die(w.subscribe(r.URL))
			killed := clock.System{}.Now()
			starts(t, w.another(system))
			until(t, "another process delivers", func() bool { return len(r.received()) == 2 })
			if took := (clock.System{}).Now().Sub(killed); took > 9*time.Second || took < 3*time.Second {
				t.Errorf("it took over after %s", took)
			}
		})
	}
}

// A process that stops finishes the requests under way and records them; the
// next one goes on with the others.
func TestStopFinishesRequests(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		s := w.another(func(c *webhooks.Config) { c.Clock = clock.System{} })
		entered := make(chan struct{}, 1000)
		release := make(chan struct{})
		r := receive(t, func(http.ResponseWriter, int) {
			entered <- struct{}{}
			<-release
		})
		w.Service = s
		s.Start(context.WithoutCancel(w.ctx))
		sub := w.subscribe(r.URL)
		for range 100 {
			w.raise("A1")
		}
		<-entered
		stopped := make(chan struct{})
		go func() {
			s.Stop(w.ctx)
			close(stopped)
		}()
		time.Sleep(50 * time.Millisecond)
		close(release)
		<-stopped
		sent := len(r.received())
		if n := len(w.deliveries(sub)); n != sent || sent > 64 {
			t.Errorf("%d requests were sent, %d recorded", sent, n)
		}
		w.Service = w.another(func(c *webhooks.Config) { c.Clock = clock.System{} })
		starts(t, w.Service)
		until(t, "all events", func() bool { return len(sequences(r.received())) == 100 })
		if n := len(r.received()); n != 100 {
			t.Errorf("%d requests for 100 events", n)
		}
	})
}

// A stop that may not wait cuts requests off; they are sent again.
func TestStopCutsOff(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		s := w.another(func(c *webhooks.Config) { c.Clock = clock.System{} })
		entered := make(chan struct{}, 100)
		hang := make(chan struct{})
		r := receive(t, func(_ http.ResponseWriter, n int) {
			if n == 1 {
				entered <- struct{}{}
				<-hang
			}
		})
		defer close(hang)
		w.Service = s
		s.Start(context.WithoutCancel(w.ctx))
		sub := w.subscribe(r.URL)
		w.raise("A1")
		<-entered
		ctx, cancel := context.WithTimeout(w.ctx, 50*time.Millisecond)
		defer cancel()
		s.Stop(ctx)
		if n := len(w.deliveries(sub)); n != 0 {
			t.Errorf("%d deliveries are recorded of a request that was cut off", n)
		}
		w.Service = w.another(func(c *webhooks.Config) { c.Clock = clock.System{} })
		starts(t, w.Service)
		until(t, "the event again", func() bool { return len(r.received()) == 2 })
	})
}
