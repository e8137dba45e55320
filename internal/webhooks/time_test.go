package webhooks_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/webhooks"
)

// inTime runs a test in virtual time: in a bubble of synctest, on SQLite, which needs no
// network. Days pass as soon as nobody has anything to do.
func inTime(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	path := dbtest.SQLiteURL(t)
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		f(t, newWorld(t, s))
	})
}

// raiseNow is raise at the virtual time.
func (w *world) raiseNow(agentCode string) {
	w.clock.Move(clock.System{}.Now().Sub(w.clock.Now()))
	w.raise(agentCode)
}

// server is one of several servers that deliver in virtual time. It can be killed, and
// its database can stand still.
type server struct {
	*webhooks.Service
	cancel context.CancelFunc

	mu       sync.Mutex
	isDead   bool
	until    time.Time // its database stands still
	troubles [][2]time.Time
}

// sending is a request that an endpoint got.
type sending struct {
	by  *server
	url string
	// event is the place of its event, from 0, and number that of the attempt, from 1.
	event, number int
	at, done      time.Time
}

// sendings are those of a test, in their order.
type sendings struct {
	mu  sync.Mutex
	all []*sending
}

// start begins to deliver. answer takes as long as a request does, and returns its status.
func (all *sendings) start(w *world, answer func() int) *server {
	p := &server{Service: w.another(func(c *webhooks.Config) { c.Clock = clock.System{} })}
	p.Client().Transport = endpoint(func(r *http.Request) (int, error) {
		sequence, err := strconv.Atoi(r.Header.Get("X-Webhook-Sequence"))
		number, wrong := strconv.Atoi(r.Header.Get("X-Webhook-Attempt"))
		if err = errors.Join(err, wrong); err != nil {
			return 0, err
		}
		one := &sending{by: p, url: r.URL.Path, event: sequence - 1, number: number, at: time.Now()}
		all.mu.Lock()
		all.all = append(all.all, one)
		all.mu.Unlock()
		status := answer()
		all.mu.Lock()
		defer all.mu.Unlock()
		one.done = time.Now()
		return status, r.Context().Err()
	})
	var ctx context.Context
	ctx, p.cancel = context.WithCancel(store.WithFault(context.Background(), p.fault))
	p.Start(ctx)
	return p
}

// endpoint answers requests without a network.
type endpoint func(r *http.Request) (int, error)

// RoundTrip implements http.RoundTripper.
func (e endpoint) RoundTrip(r *http.Request) (*http.Response, error) {
	status, err := e(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

// fault is the database of a server: gone once the process is killed.
func (p *server) fault(moment string) error {
	p.mu.Lock()
	wait := time.Duration(0)
	if moment == "" { // it holds no lock of the others
		wait = time.Until(p.until)
	}
	p.mu.Unlock()
	time.Sleep(wait)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isDead {
		return errors.New("the server was killed")
	}
	return nil
}

// kill ends a server that has no time to give anything back.
func (p *server) kill() {
	p.mu.Lock()
	p.isDead = true
	p.troubles = append(p.troubles, [2]time.Time{time.Now(), time.Now().Add(time.Hour)})
	p.mu.Unlock()
	p.cancel()
	p.Stop(context.Background())
}

// stall has the database of a server stand still.
func (p *server) stall(wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until = time.Now().Add(wait)
	p.troubles = append(p.troubles, [2]time.Time{time.Now(), p.until})
}

// inTrouble reports whether a server was killed or stood still about a time.
func (p *server) inTrouble(from, to time.Time) bool {
	const about = 4 * time.Second // until it notices: a tick, and a statement that ends with the next
	return slices.ContainsFunc(p.troubles, func(t [2]time.Time) bool { return t[0].Before(to) && t[1].Add(about).After(from) })
}

// "The delivery is tried again after 1 m, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h,
// each give or take a fifth" (docs/webhooks.md), and then no more: in the three to four
// days that this takes, though the server is killed every seven hours.
func TestRetriesInTime(t *testing.T) {
	inTime(t, func(t *testing.T, w *world) {
		var got sendings
		failing := func() int { return http.StatusInternalServerError }
		p := got.start(w, failing)
		w.Service = p.Service
		paths := []string{"/a", "/b", "/c", "/d"}
		for _, path := range paths {
			w.subscribe("http://127.0.0.1" + path)
		}
		w.raiseNow("A1")
		for range 14 { // 98 hours: the pauses are 76 in all, and 91 if each is a fifth longer
			time.Sleep(7 * time.Hour)
			p.kill()
			p = got.start(w, failing)
		}
		p.kill()
		pauses := []time.Duration{0, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}
		for _, path := range paths {
			var last time.Time
			n := 0
			for _, one := range got.all {
				if one.url != path {
					continue
				}
				if n == len(pauses) {
					t.Fatalf("%s: another attempt after the last, %v later", path, one.at.Sub(last))
				}
				pause := pauses[n]
				if n++; one.number != n {
					t.Errorf("%s: attempt %d is numbered %d", path, n, one.number)
				}
				if waited := one.at.Sub(last); n > 1 && (waited < pause*8/10 || waited > pause*12/10+time.Second) {
					t.Errorf("%s: attempt %d came after %v, not %v give or take a fifth", path, n, waited, pause)
				}
				last = one.at
			}
			if n != len(pauses) {
				t.Errorf("%s: %d attempts", path, n)
			}
		}
	})
}

// No two servers deliver for a subscription at once, and none sends what another has,
// except after one was killed or stood still; then another goes on within eight seconds
// (docs/webhooks.md). Three servers deliver for half an hour, and twice a minute one of
// them is killed, or its database stands still.
func TestLeasesInTime(t *testing.T) {
	inTime(t, func(t *testing.T, w *world) {
		random := rand.New(rand.NewPCG(33, 3))
		var got sendings
		slow := func() int {
			got.mu.Lock()
			wait := time.Duration(random.Int64N(int64(12 * time.Second)))
			got.mu.Unlock()
			time.Sleep(wait)
			return http.StatusNoContent
		}
		var all []*server
		for range 3 {
			all = append(all, got.start(w, slow))
		}
		w.Service = all[0].Service
		paths := []string{"/a", "/b", "/c"}
		for _, path := range paths {
			w.subscribe("http://127.0.0.1" + path)
		}
		var raised, troubles []time.Time
		for began := time.Now(); time.Since(began) < 30*time.Minute; {
			got.mu.Lock()
			pause, which, stalls := time.Duration(random.Int64N(int64(5*time.Second))), random.IntN(3), random.IntN(2) == 0
			got.mu.Unlock()
			time.Sleep(pause)
			raised = append(raised, time.Now())
			w.raiseNow("A1")
			if n := len(troubles); n > 0 && time.Since(troubles[n-1]) < 30*time.Second {
				continue
			}
			troubles = append(troubles, time.Now())
			if stalls {
				all[which].stall(pause * 4)
				continue
			}
			all[which].kill()
			all[which] = got.start(w, slow)
		}
		time.Sleep(time.Minute)
		for _, p := range all {
			p.Stop(context.Background())
		}
		again := 0
		for _, path := range paths {
			again += got.check(t, path, raised)
		}
		t.Logf("%d events, %d requests, %d of them again; %d servers were killed or stood still", len(raised), len(got.all), again, len(troubles))
		if len(troubles) < 40 || again == 0 {
			t.Error("too little happened")
		}
	})
}

// check checks the requests of one subscription, and returns how many came again.
func (all *sendings) check(t *testing.T, path string, raised []time.Time) (again int) {
	t.Helper()
	first := make([]*sending, len(raised))
	var before []*sending
	for _, one := range all.all {
		if one.url != path {
			continue
		}
		for _, other := range before {
			if other.by != one.by && other.done.After(one.at) && !other.by.inTrouble(other.at, one.at) {
				t.Errorf("%s: two servers deliver at once, at %v", path, one.at)
			}
		}
		before = append(before, one)
		if early := first[one.event]; early == nil {
			first[one.event] = one
		} else if again++; !early.by.inTrouble(early.at, one.at) {
			t.Errorf("%s: an event came at %v and again at %v for no reason", path, early.at, one.at)
		}
	}
	for i, one := range first {
		if one == nil || one.at.Sub(raised[i]) > 9*time.Second {
			t.Errorf("%s: event %d, of %v, did not arrive within 9 seconds: %+v", path, i, raised[i], one)
		}
	}
	return again
}
