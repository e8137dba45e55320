package admission

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A client of a tenant that keeps sixteen operations waiting takes no turn of another client
// of the tenant: who has the fewest comes first.
func TestCallersOfATenantTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Limits{Concurrency: 2, TenantConcurrency: 2, Wait: time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() { g.busy(ctx, "backfill", fmt.Sprint(i), 10*time.Millisecond) })
		}
		synctest.Wait()
		for range 10 {
			began := time.Now()
			leave, err := g.Enter(t.Context(), "a", "person", "p")
			if waited := time.Since(began); err != nil || waited > 10*time.Millisecond {
				t.Fatalf("waited for %v: %v", waited, err)
			}
			leave()
			time.Sleep(7 * time.Millisecond)
		}
		if client, _ := g.OthersNeed("a", "backfill"); client {
			t.Error("who waited for one turn needed the machine")
		}
		all.Wait()
	})
}

// busy sends one operation after the other.
func (g *Gate) busy(ctx context.Context, name, connection string, takes time.Duration) {
	for ctx.Err() == nil {
		leave, err := g.Enter(ctx, "a", name, connection)
		if err != nil {
			return
		}
		time.Sleep(takes)
		leave()
	}
}

// Others need the machine if they had to wait for long, or were turned away, a moment ago.
// A caller's own waiting does not count.
func TestOthersNeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Limits{Concurrency: 1, Wait: time.Second})
		needed := func(owner, name string) []bool {
			client, tenant := g.OthersNeed(owner, name)
			return []bool{client, tenant}
		}
		waits := func(owner, name string) {
			leave := g.must(t, "a")
			time.AfterFunc(shortage, leave)
			next, err := g.Enter(t.Context(), owner, name, newConnection())
			if err != nil {
				t.Fatal(err)
			}
			next()
		}
		check := func(when string, want map[string][]bool) {
			t.Helper()
			for name, w := range want {
				if got := needed("a", name); !slices.Equal(got, w) {
					t.Errorf("%s: others than a's %s: %v, want %v", when, name, got, w)
				}
			}
		}
		check("at first", map[string][]bool{"x": {false, false}})
		waits("a", "x")
		check("x has waited", map[string][]bool{"x": {false, false}, "y": {true, false}})
		waits("b", "x")
		waits("b", "x")
		check("b's has waited, too", map[string][]bool{"x": {true, true}, "y": {true, true}})
		time.Sleep(neededFor - shortage)
		check("the first is long ago", map[string][]bool{"x": {true, true}})
		if got := needed("b", "x"); got[0] || got[1] {
			t.Errorf("others than b's x: %v", got)
		}
		time.Sleep(neededFor)
		check("all is long ago", map[string][]bool{"y": {false, false}})
	})
}
