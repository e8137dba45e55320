package admission

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/uplinehq/upline/internal/clock"
)

// A queue that gets done in time is no flood, however long it goes on: whoever is in it
// waits for as long as one may, and nobody is turned away. Nor is a queue of a few, on a
// machine whose processors are short.
func TestAQueueThatGetsDone(t *testing.T) {
	for each, served := range map[time.Duration]int64{
		10 * time.Millisecond:  1990, // the last waits for 310 ms
		100 * time.Millisecond: 190,  // for 3.1 s
	} {
		getsDone(t, each, served)
	}
}

func getsDone(t *testing.T, each time.Duration, least int64) {
	synctest.Test(t, func(t *testing.T) {
		const connections = 64
		g := newGate(t, Limits{Concurrency: 2, TenantConcurrency: 2, Queue: 100, Wait: 500 * time.Millisecond})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var served atomic.Int64
		for range connections {
			go func() {
				for ctx.Err() == nil {
					leave, err := g.Enter(t.Context(), "a", "", newConnection())
					if err != nil {
						t.Errorf("turned away: %v", err)
						return
					}
					time.Sleep(each)
					leave()
					served.Add(1)
				}
			}()
		}
		<-ctx.Done()
		if n := served.Load(); n < least || len(g.surges) != 0 {
			t.Errorf("of %v each %d were served in ten seconds, and %d queues are surges", each, n, len(g.surges))
		}
		time.Sleep(5 * time.Second)
	})
}

// At ten times what can be done, what runs has hardly waited, all through the flood and
// as long as it lasts; afterwards one may wait again.
func TestAFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const each = 10 * time.Millisecond // two slots do 200 in a second
		var mu sync.Mutex
		var waits []time.Duration
		l, _ := Limits{Concurrency: 2, TenantConcurrency: 2, Queue: 1000, Wait: 500 * time.Millisecond}.WithDefaults(2, 0)
		g := idle(NewGate(l, clock.System{}, func(d time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			waits = append(waits, d)
		}))
		for range 20_000 { // in ten seconds
			go func() {
				if leave, err := g.Enter(t.Context(), "a", "", newConnection()); err == nil {
					time.Sleep(each)
					leave()
				}
			}()
			time.Sleep(500 * time.Microsecond)
		}
		mu.Lock()
		slices.Sort(waits)
		if n := len(waits); n < 1800 || waits[n*99/100] > 3*each {
			t.Errorf("%d of 2000 ran, and waited for %v at the 99th percentile", n, waits[n*99/100])
		}
		mu.Unlock()
		time.Sleep(2 * time.Second)
		defer g.must(t, "a")()
		defer g.must(t, "a")()
		if got := g.wait(t); got != 5*time.Second {
			t.Errorf("after the flood one waited for %v", got)
		}
	})
}

// A surge is over as soon as those who made it are gone: the few who still ask again, at
// once when they are turned away, do not keep themselves in it.
func TestASurgeIsForgottenAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const each = 4 * time.Millisecond
		g := newGate(t, Limits{Concurrency: 2, TenantConcurrency: 2, Queue: 1000, Wait: 500 * time.Millisecond})
		var answered atomic.Int64
		client := func(until time.Time) {
			for connection := newConnection(); time.Now().Before(until); {
				leave, err := g.Enter(t.Context(), "a", "", connection)
				if err != nil {
					continue
				}
				time.Sleep(each)
				leave()
				answered.Add(1)
			}
		}
		surge, honest := time.Now().Add(3*time.Second), time.Now().Add(5*time.Second)
		for range 300 {
			go client(surge)
		}
		time.Sleep(3*time.Second - time.Millisecond)
		if !g.isSurge("a", time.Now()) {
			t.Fatal("300 connections are no surge")
		}
		for range 16 {
			go client(honest)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if g.surges["a"] != nil {
			t.Error("a tenth of a second after it is over it is still a surge")
		}
		before := answered.Load()
		time.Sleep(time.Second)
		if n := answered.Load() - before; n < 480 {
			t.Errorf("%d of 500 were answered in the second after it", n)
		}
		time.Sleep(2 * time.Second)
	})
}

// Who floods once and does not come back is forgotten.
func TestSurgesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(t, Limits{Concurrency: 1, Queue: 100, Wait: 500 * time.Millisecond})
		g.takes = 6 * time.Second // so that one that waits is more than can be done
		defer g.must(t, "a")()
		flood := func(owner string) {
			if _, err := g.Enter(t.Context(), owner, "", newConnection()); reason(err) != Waited {
				t.Errorf("%s: %v", owner, err)
			}
		}
		for i := range 100 {
			go flood(fmt.Sprint("network ", i))
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(g.surges) != 100 {
			t.Fatalf("%d surges are remembered", len(g.surges))
		}
		time.Sleep(time.Second)
		flood("another")
		if len(g.surges) != 1 {
			t.Errorf("%d surges are remembered", len(g.surges))
		}
	})
}
