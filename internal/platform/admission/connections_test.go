package admission

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/uplinehq/upline/internal/clock"
)

// In these tests, too, time is that of synctest.

// world is connections in whose statements nothing happens but that time passes.
type world struct {
	*Connections
	t  *testing.T
	mu sync.Mutex
	// order are the statements in the order in which they began.
	order []string
	most  map[string]int
	now   map[string]int
}

func newWorld(t *testing.T, total int) *world {
	return &world{Connections: NewConnections(total, total, clock.System{}), t: t, most: map[string]int{}, now: map[string]int{}}
}

// run runs a statement that takes a time, and returns for how long it waited.
func (w *world) run(ctx context.Context, owner, text string, takes time.Duration) time.Duration {
	began := time.Now()
	use, err := w.Take(ctx, owner, text)
	if err != nil {
		w.t.Errorf("%s %s: %v", owner, text, err)
		return 0
	}
	waited := time.Since(began)
	w.count(owner+" "+text, 1)
	time.Sleep(takes)
	w.count(owner+" "+text, -1)
	use.Done()
	use.Done() // a second time it gives nothing back
	return waited
}

func (w *world) count(name string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n > 0 {
		w.order = append(w.order, name)
	}
	w.now[name] += n
	w.most[name] = max(w.most[name], w.now[name])
}

func (w *world) teach(owner, text string, takes time.Duration) {
	w.run(w.t.Context(), owner, text, takes)
}

// A tenant's slow statements, however many it asks for at once, wait for each other;
// quick ones, its own too, find a connection at once.
func TestQuickStatementsDoNotWaitForSlowOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		w.teach("loud", "count", time.Second)
		for _, owner := range []string{"loud", "quiet"} {
			w.teach(owner, "point", time.Millisecond)
		}
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() { w.run(t.Context(), "loud", "count", time.Second) })
		}
		synctest.Wait()
		for range 1000 {
			for _, owner := range []string{"loud", "quiet"} {
				if waited := w.run(t.Context(), owner, "point", time.Millisecond); waited != 0 {
					t.Fatalf("%s waited for %v", owner, waited)
				}
			}
		}
		all.Wait()
		if w.most["loud count"] != 1 {
			t.Errorf("%d slow statements of one tenant ran at once", w.most["loud count"])
		}
		if taken, waiting := w.State(); taken != 0 || waiting != 0 {
			t.Errorf("at the end %d are taken, and %d wait", taken, waiting)
		}
	})
}

// Twenty statements that nobody knows yet take half of the connections at most; what is
// found out of the first ones counts for the rest.
func TestUnknownStatements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		w.teach("quiet", "point", time.Millisecond)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { w.run(t.Context(), "loud", "count", time.Second) })
		}
		synctest.Wait()
		if taken, waiting := w.State(); taken != 2 || waiting != 18 {
			t.Errorf("%d run and %d wait", taken, waiting)
		}
		if waited := w.run(t.Context(), "quiet", "point", 0); waited != 0 {
			t.Errorf("a quick one waited for %v", waited)
		}
		if waited := w.run(t.Context(), "quiet", "new", 0); waited != 0 {
			t.Errorf("a new one of another tenant waited for %v", waited)
		}
		began := time.Now()
		all.Wait()
		if took := time.Since(began); took != 19*time.Second { // two at once, then one after the other
			t.Errorf("all took %v", took)
		}
	})
}

// Two tenants share the class of slow statements in turns, however many one asks for.
func TestSlowStatementsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		for _, owner := range []string{"loud", "quiet"} {
			w.teach(owner, "count", time.Second)
		}
		w.order = nil
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { w.run(t.Context(), "loud", "count", time.Second) })
		}
		synctest.Wait()
		time.Sleep(time.Millisecond)
		for range 3 {
			all.Go(func() { w.run(t.Context(), "quiet", "count", time.Second) })
		}
		all.Wait()
		last := 0
		for i, name := range w.order {
			if name == "quiet count" {
				last = i
			}
		}
		if last > 6 {
			t.Errorf("the last of three of the other tenant came after %d: %v", last, w.order)
		}
	})
}

// Look-ups have a connection when all others are taken; so have transactions that
// need one more.
func TestLookUpsHaveAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 8)
		w.teach("loud", "point", time.Millisecond)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { w.run(t.Context(), "loud", "point", time.Second) })
		}
		synctest.Wait()
		if taken, _ := w.State(); taken != 7 {
			t.Errorf("%d are taken", taken)
		}
		if waited := w.run(AsLookUp(t.Context()), "", "token", 0); waited != 0 {
			t.Errorf("a look-up waited for %v", waited)
		}
		all.Wait()
	})
}

// An operation gives its place back when it comes to a slow statement, and what that
// takes is known when it ends.
func TestSlowStatementsKeepNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 4)
		w.teach("a", "count", 2*time.Second)
		w.teach("a", "point", time.Millisecond)
		left := 0
		ctx, operation := WithOperation(t.Context(), func() { left++ })
		w.run(ctx, "a", "point", time.Millisecond)
		if left != 0 || operation.Used() != time.Millisecond {
			t.Errorf("a quick statement gave the place back, or took %v", operation.Used())
		}
		w.run(ctx, "a", "count", 2*time.Second)
		if left == 0 || operation.Used() != 2*time.Second+time.Millisecond {
			t.Errorf("the place was given back %d times, and statements took %v", left, operation.Used())
		}
	})
}

// A transaction that waits for long, as behind a dry run on SQLite, gives the place of its
// operation back; one that waits for short ones does not. One tenant's transactions never have
// all connections, and the time of a dry run counts.
func TestTransactionsThatWaitKeepNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			behind time.Duration
			left   int
		}{{time.Millisecond, 0}, {time.Second, 1}} {
			w := newWorld(t, 1)
			before, err := w.Take(t.Context(), "a", "")
			if err != nil {
				t.Fatal(err)
			}
			left := 0
			ctx, operation := WithOperation(t.Context(), func() { left++ })
			go func() {
				time.Sleep(test.behind)
				before.Done()
			}()
			use, err := w.Take(ctx, "a", "")
			if err != nil || left != test.left {
				t.Errorf("behind one of %v: given back %d times, %v", test.behind, left, err)
			}
			use.Charge()
			time.Sleep(time.Minute)
			if use.Done(); operation.Used() != time.Minute {
				t.Errorf("a dry run of a minute took %v", operation.Used())
			}
		}
		w := newWorld(t, 8)
		for range w.total - w.kept - 1 {
			if _, err := w.Take(t.Context(), "a", ""); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := w.Take(ctx, "a", ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a tenant's transactions have all connections: %v", err)
		}
		if _, err := w.Take(t.Context(), "b", "point"); err != nil {
			t.Errorf("another tenant beside them: %v", err)
		}
	})
}

// An operation does not wait for ever, one that could not begin in time is refused at
// once, and who leaves takes nothing along.
func TestNoConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		w.teach("a", "point", time.Millisecond)
		held, err := w.Take(t.Context(), "a", "")
		if err != nil {
			t.Fatal(err)
		}
		operation, _ := WithOperation(t.Context(), func() {})
		began := time.Now()
		if _, err := w.Take(operation, "a", "point"); reason(err) != NoConnection || time.Since(began) != waitForConnection {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		ctx, cancel := context.WithTimeout(operation, time.Second)
		defer cancel()
		if _, err := w.Take(ctx, "a", "point"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("whose time was over: %v", err)
		}
		held.Done()
		for range 3 {
			w.teach("a", "count", 6*time.Second)
		}
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() { w.run(operation, "a", "count", 6*time.Second) })
		}
		synctest.Wait()
		if _, err := w.Take(operation, "a", "count"); reason(err) != NoConnection {
			t.Errorf("one that begins after %v: %v", 18*time.Second, err)
		}
		all.Wait()
		if taken, waiting := w.State(); taken != 0 || waiting != 0 {
			t.Errorf("at the end %d are taken, and %d wait", taken, waiting)
		}
	})
}

// Pages of one list are told apart by how far down they are, not by every offset.
func TestStatementsOfPages(t *testing.T) {
	const text = "SELECT a FROM b WHERE tenant_id = $1 ORDER BY c LIMIT 2 OFFSET "
	if keyOf("a", text+"49999") != keyOf("a", text+"49998") {
		t.Error("two deep pages have nothing to do with each other")
	}
	if keyOf("a", text+"49999") == keyOf("a", text+"10") || keyOf("a", text+"10") == keyOf("b", text+"10") || keyOf("a", text+"10") == keyOf("a", "x"+text+"10") {
		t.Error("statements that differ count as one")
	}
}

// A database that computes in the process of the server has as many quick statements of a
// tenant at once as there are processors; its transactions, which may be long, do not count.
func TestQuickStatementsOfATenantLeaveProcessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 5)
		w.Connections = NewConnections(5, 2, clock.System{})
		for _, owner := range []string{"a", "b"} {
			w.teach(owner, "quick", time.Millisecond)
		}
		transaction, err := w.Take(t.Context(), "a", "")
		if err != nil {
			t.Fatal(err)
		}
		defer transaction.Done()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { w.run(t.Context(), "a", "quick", 20*time.Millisecond) })
		}
		synctest.Wait()
		if waited := w.run(t.Context(), "b", "quick", time.Millisecond); waited > 0 {
			t.Errorf("another tenant waited for %v", waited)
		}
		all.Wait()
		if w.most["a quick"] != 2 {
			t.Errorf("%d quick statements ran at once", w.most["a quick"])
		}
	})
}

// Many tenants at once, some of which give up: never more than there are, and nothing
// is left over.
func TestConnectionsUnderLoad(t *testing.T) {
	c := NewConnections(5, 5, clock.System{})
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			for n := range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if n%7 == 0 {
					cancel()
				}
				if n%11 == 0 {
					ctx = AsLookUp(ctx)
				}
				if use, err := c.Take(ctx, fmt.Sprint(i%3), fmt.Sprint("SELECT ", n%5)); err == nil {
					if taken, _ := c.State(); taken > 5 {
						t.Errorf("%d are taken", taken)
					}
					use.Done()
				}
				cancel()
			}
		})
	}
	all.Wait()
	if taken, waiting := c.State(); taken != 0 || waiting != 0 {
		t.Errorf("at the end %d are taken, and %d wait", taken, waiting)
	}
}

func BenchmarkConnections(b *testing.B) {
	c := NewConnections(8, 8, clock.System{})
	const text = "SELECT a.id, a.code, a.first_name, a.last_name FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $2 ORDER BY a.code, a.id LIMIT 51"
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if use, err := c.Take(b.Context(), "a", text); err == nil {
				use.Done()
			}
		}
	})
}
