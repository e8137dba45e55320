package admission

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/uplinehq/upline/internal/clock"
)

func newGate(t *testing.T, l Limits) *Gate {
	t.Helper()
	l, err := l.WithDefaults(4, 0)
	if err != nil {
		t.Fatal(err)
	}
	return idle(NewGate(l, clock.System{}, nil))
}

// idle has a gate find that the processors have time.
func idle(g *Gate) *Gate {
	g.slots.runnable = func() int { return 0 }
	return g
}

var connections atomic.Int64

// newConnection names a connection that nobody else has.
func newConnection() string { return strconv.FormatInt(connections.Add(1), 10) }

func (g *Gate) must(t *testing.T, owner string) (leave func()) {
	t.Helper()
	leave, err := g.Enter(t.Context(), owner, "", newConnection())
	if err != nil {
		t.Fatalf("%s: %v", owner, err)
	}
	return leave
}

func reason(err error) Reason {
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return refusal.Reason
	}
	return ""
}

// Time in these tests is that of synctest: nothing depends on how fast the
// machine is.

func TestGateRunsAsManyAsMay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Limits{Concurrency: 4, TenantConcurrency: 4, Queue: 2})
		var leave []func()
		for range 4 {
			leave = append(leave, g.must(t, "a"))
		}
		outcomes := make(chan error, 3)
		for range 3 {
			go func() {
				done, err := g.Enter(t.Context(), "a", "", newConnection())
				if err == nil {
					done()
				}
				outcomes <- err
			}()
		}
		synctest.Wait()
		if running, waiting := g.State(); running != 4 || waiting != 2 {
			t.Fatalf("%d run and %d wait, want 4 and 2", running, waiting)
		}
		if got := reason(<-outcomes); got != QueueFull { // the one that found the queue full
			t.Errorf("refused for %q", got)
		}
		leave[0]()
		leave[0]() // a second time it frees nothing
		for range 2 {
			if err := <-outcomes; err != nil {
				t.Errorf("a waiter did not run: %v", err)
			}
		}
		for _, f := range leave[1:] {
			f()
		}
		if running, waiting := g.State(); running != 0 || waiting != 0 || len(g.held)+len(g.waiting)+len(g.surges) != 0 {
			t.Errorf("at the end %d run, %d wait, and there are %v %v %v", running, waiting, g.held, g.waiting, g.surges)
		}
	})
}

// wait returns for how long an operation of "a" waited that did not run.
func (g *Gate) wait(t *testing.T) time.Duration {
	began := time.Now()
	if _, err := g.Enter(t.Context(), "a", "", newConnection()); reason(err) != Waited {
		t.Errorf("err = %v", err)
	}
	return time.Since(began)
}

func TestPatienceInAQueueThatStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Limits{Concurrency: 1, Queue: 100, Wait: 500 * time.Millisecond})
		g.takes = 20 * time.Millisecond
		defer g.must(t, "a")()
		for range 65 { // the last would wait for 1.3 s
			go func() { g.wait(t) }()
		}
		synctest.Wait()
		if got := g.wait(t); got != 20*time.Millisecond {
			t.Errorf("in a queue that stands, one waited for %v", got)
		}
		time.Sleep(6 * time.Second)
		if got := g.wait(t); got != 5*time.Second {
			t.Errorf("long after a flood, one waited for %v", got)
		}
	})
}

// While goroutines wait for the processors, fewer operations run, but as many as
// keep the processors busy; when they have time again, all slots are there.
func TestFewerSlotsWhileProcessorsAreShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Limits{Concurrency: 64, TenantConcurrency: 64})
		runnable := 1 << 20
		g.slots.runnable = func() int { return runnable }
		slots := func() int {
			for range 100 {
				time.Sleep(samplePeriod)
				g.must(t, "a")()
			}
			return g.slots.now
		}
		least := slots()
		if least != g.slots.least || g.most() < runtime.GOMAXPROCS(0) {
			t.Errorf("%d slots, of which a tenant may have %d", least, g.most())
		}
		for range g.most() {
			defer g.must(t, "a")()
		}
		g.limits.Wait = time.Millisecond
		if _, err := g.Enter(t.Context(), "a", "", newConnection()); reason(err) != Waited {
			t.Errorf("one more than has a place: %v", err)
		}
		runnable = 0
		if all := slots(); all != 64 {
			t.Errorf("%d slots when the processors have time", all)
		}
	})
}

// However many slots a tenant holds when they become fewer, such as while it waits for a lock,
// the others have their share of those that there are.
func TestWhoHoldsMoreThanItsShareHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Limits{Concurrency: 64, TenantConcurrency: 64})
		for range 60 {
			defer g.must(t, "a")()
		}
		g.slots.runnable = func() int { return 1 << 20 }
		for range 100 {
			time.Sleep(samplePeriod)
			if leave, err := g.Enter(t.Context(), "b", "", newConnection()); err == nil {
				leave()
			}
		}
		if g.slots.now != g.slots.least {
			t.Fatalf("%d slots", g.slots.now)
		}
		for range g.slots.now - g.most() {
			defer g.must(t, "b")()
		}
		g.limits.Wait = time.Millisecond
		if _, err := g.Enter(t.Context(), "c", "", newConnection()); reason(err) != Waited {
			t.Errorf("one more than there are slots: %v", err)
		}
	})
}

// The sign is there: a Go that no longer has it would read as processors with time.
func TestRunnable(t *testing.T) {
	var all sync.WaitGroup
	defer all.Wait()
	var stop atomic.Bool
	defer stop.Store(true)
	for range 50 {
		all.Go(func() {
			for !stop.Load() {
				runtime.Gosched()
			}
		})
	}
	read := newRunnable()
	for range 10_000 {
		if read() >= 10 {
			return
		}
		runtime.Gosched()
	}
	t.Error("of 50 goroutines that want a processor not ten were seen to wait")
}

// In a queue that stands the last comes first, and whoever waited too long by the
// time that a place is free is refused rather than run: the client has given up,
// or soon will.
func TestLateWaitersDoNotRun(t *testing.T) {
	c := clock.At(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	l, _ := Limits{Concurrency: 1, Queue: 10, Wait: time.Hour}.WithDefaults(1, 0)
	g := idle(NewGate(l, c, nil))
	leave := g.must(t, "a")
	w, _, _ := g.arrive(caller{owner: "a"}, newConnection())
	c.Move(61 * time.Minute)
	g.surges["a"] = &surge{until: c.Now().Add(time.Minute), refused: map[string]time.Time{}}
	fresh, _, _ := g.arrive(caller{owner: "a"}, newConnection())
	leave()
	if refused := <-fresh.decided; refused != nil {
		t.Errorf("the last: %v", refused)
	}
	g.leaving(caller{owner: "a"})()
	if refused := <-w.decided; refused == nil || refused.Reason != Waited {
		t.Errorf("the first: %v", refused)
	}
}

// A tenant whose operations never end leaves a quarter of the slots to the
// others, and a place that is free goes to who has the fewest.
func TestNoTenantTakesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Limits{Concurrency: 8, Queue: 64, Wait: time.Hour})
		leave := map[string][]func(){}
		var mu sync.Mutex
		enter := func(owner string) {
			go func() {
				f, err := g.Enter(t.Context(), owner, "", newConnection())
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					leave[owner] = append(leave[owner], f)
				}
			}()
			synctest.Wait()
		}
		end := func(owner string) {
			mu.Lock()
			f := leave[owner][0]
			leave[owner] = leave[owner][1:]
			mu.Unlock()
			f()
			synctest.Wait()
		}
		for range 20 {
			enter("loud")
		}
		if len(leave["loud"]) != 6 {
			t.Fatalf("one tenant has %d of 8 slots", len(leave["loud"]))
		}
		for range 4 {
			enter("quiet")
		}
		if len(leave["quiet"]) != 2 {
			t.Fatalf("the other has %d slots", len(leave["quiet"]))
		}
		end("loud")
		end("loud")
		if len(leave["loud"]) != 4 || len(leave["quiet"]) != 4 {
			t.Errorf("the slots are %d and %d, want 4 and 4", len(leave["loud"]), len(leave["quiet"]))
		}
		for range 6 { // of a full queue, the longest gives way
			for range 30 {
				enter("loud")
			}
		}
		if _, waiting := g.State(); waiting != 64 {
			t.Fatalf("%d wait", waiting)
		}
		enter("late")
		if len(g.waiting["late"]) != 1 || g.queued != 64 {
			t.Errorf("a tenant finds no place in a queue of another: %d of %d", len(g.waiting["late"]), g.queued)
		}
		for len(leave["loud"])+len(leave["quiet"])+len(leave["late"]) > 0 {
			for owner := range leave {
				if len(leave[owner]) > 0 {
					end(owner)
				}
			}
		}
		if running, waiting := g.State(); running != 0 || waiting != 0 {
			t.Errorf("%d run and %d wait", running, waiting)
		}
	})
}

// A client that leaves frees its place in the queue, and one that leaves as it
// is let in frees that.
func TestGateForgetsWhoIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Limits{Concurrency: 1, Queue: 10})
		leave := g.must(t, "a")
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() {
			_, err := g.Enter(ctx, "a", "", newConnection())
			gone <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
		leave()
		if running, waiting := g.State(); running != 0 || waiting != 0 {
			t.Errorf("%d run and %d wait", running, waiting)
		}
	})
}

// Many tenants at once, entering, leaving and giving up: never more than may, and
// nothing is left over.
func TestGateUnderLoad(t *testing.T) {
	g := newGate(t, Limits{Concurrency: 5, Queue: 20, Wait: 5 * time.Millisecond})
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			for n := range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if n%7 == 0 {
					cancel()
				}
				if leave, err := g.Enter(ctx, fmt.Sprint(i%3), "", newConnection()); err == nil {
					if running, _ := g.State(); running > 5 {
						t.Errorf("%d run", running)
					}
					leave()
				}
				cancel()
			}
		})
	}
	all.Wait()
	if running, waiting := g.State(); running != 0 || waiting != 0 || len(g.held)+len(g.waiting) != 0 {
		t.Errorf("at the end %d run, %d wait, and there are %v %v", running, waiting, g.held, g.waiting)
	}
}

func BenchmarkGate(b *testing.B) {
	l, _ := Limits{}.WithDefaults(8, 0)
	g := NewGate(l, clock.System{}, nil)
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if leave, err := g.Enter(b.Context(), "a", "", newConnection()); err == nil {
				leave()
			}
		}
	})
}
