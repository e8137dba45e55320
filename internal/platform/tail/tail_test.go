package tail

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/uplinehq/upline/internal/tenant"
)

// feed is a source in memory: the numbers 1 to the last.
type feed struct {
	mu   sync.Mutex
	last int
	// afterHead runs when a head was read, before it is returned.
	afterHead func()
}

func (f *feed) write(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last += n
}

func (f *feed) hub() *Hub[int, int] {
	return New(Source[int, int]{Name: "numbers", Head: f.head, Next: f.next, IsBehind: func(row, place int) bool { return row > place }}, slog.New(slog.DiscardHandler))
}

func (f *feed) head(context.Context) (int, error) {
	f.mu.Lock()
	last := f.last
	f.mu.Unlock()
	if f.afterHead != nil {
		f.afterHead()
	}
	return last, nil
}

func (f *feed) next(_ context.Context, from int) (rows []int, to int, more bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for to = from; to < f.last && len(rows) < 200; {
		to++
		rows = append(rows, to)
	}
	return rows, to, to < f.last, nil
}

func newContext(t *testing.T) context.Context {
	return tenant.With(t.Context(), &tenant.Tenant{ID: 1})
}

func all(int) bool { return true }

// expect receives the numbers from one to another, each once and in order.
func expect(t *testing.T, s *Subscription[int], from, to int) {
	t.Helper()
	for want := from; want <= to; want++ {
		select {
		case got, ok := <-s.Rows:
			if !ok || got != want {
				t.Fatalf("received %d (%t), want %d; ended with %v", got, ok, want, s.Err())
			}
		case <-time.After(time.Minute):
			t.Fatalf("%d did not arrive", want)
		}
	}
	select {
	case got, ok := <-s.Rows:
		t.Fatalf("received %d (%t) behind the last", got, ok)
	case <-time.After(2 * lookEvery):
	}
}

func must(t *testing.T, s *Subscription[int], err error) *Subscription[int] {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A row that the reader hands out to others while somebody joins is not lost to
// whoever joins.
func TestNothingIsLostWhileJoining(t *testing.T) {
	f := &feed{last: 10}
	h, ctx := f.hub(), newContext(t)
	first, err := h.Subscribe(ctx, all)
	must(t, first, err)
	f.afterHead = func() {
		f.write(1)
		h.Wake(1)
		if got := <-first.Rows; got != 11 { // handed out: the reader has gone on
			t.Errorf("the first subscriber received %d", got)
		}
	}
	second, err := h.Subscribe(ctx, all)
	must(t, second, err)
	f.afterHead = nil
	f.write(1)
	expect(t, second, 11, 12)
	expect(t, first, 12, 12)
}

// Somebody who was away is given first what was committed meanwhile.
func TestSubscribeFrom(t *testing.T) {
	f := &feed{last: 1000}
	h, ctx := f.hub(), newContext(t)
	s, err := h.SubscribeFrom(ctx, 300, all)
	must(t, s, err)
	f.write(5)
	expect(t, s, 301, 1005)
	f.write(5)
	expect(t, s, 1006, 1010)
}

// One change of many rows ends no subscriber that takes them, however many wait
// for it at once.
func TestManyRowsAtOnce(t *testing.T) {
	f := &feed{}
	h, ctx := f.hub(), newContext(t)
	s, err := h.Subscribe(ctx, all)
	must(t, s, err)
	even, err := h.Subscribe(ctx, func(n int) bool { return n%2 == 0 })
	must(t, even, err)
	f.write(5000)
	h.Wake(1)
	for want := 2; want <= 5000; want += 2 {
		if got := <-even.Rows; got != want {
			t.Fatalf("received %d, want %d", got, want)
		}
	}
	expect(t, s, 1, 5000) // it has taken nothing until now
	f.write(10)
	expect(t, s, 5001, 5010)
}

// Rows are written, handed out and read on at the same time; each arrives once.
func TestReadingOnWhileRowsAreWritten(t *testing.T) {
	f := &feed{}
	h, ctx := f.hub(), newContext(t)
	s, err := h.Subscribe(ctx, all)
	must(t, s, err)
	const rows = 20_000
	go func() {
		for range rows / 100 {
			f.write(100)
			h.Wake(1)
			time.Sleep(time.Millisecond)
		}
	}()
	for want := 1; want <= rows; want++ {
		if got := <-s.Rows; got != want {
			t.Fatalf("received %d, want %d", got, want)
		}
	}
}

// A subscriber that takes nothing is given up, and holds up nobody.
func TestStalledSubscriber(t *testing.T) {
	synctest.Test(t, holdUpNobody)
}

func holdUpNobody(t *testing.T) {
	f := &feed{}
	h, ctx := f.hub(), newContext(t)
	defer h.Close()
	stalled, err := h.Subscribe(ctx, all)
	must(t, stalled, err)
	prompt, err := h.Subscribe(ctx, all)
	must(t, prompt, err)
	f.write(400)
	expect(t, prompt, 1, 400)
	time.Sleep(2 * patience)
	received := 0
	for range stalled.Rows {
		received++
	}
	if !errors.Is(stalled.Err(), ErrTooSlow) || received == 0 || received >= 400 {
		t.Errorf("it received %d rows and ended with %v", received, stalled.Err())
	}
	if n := h.Subscribers(); n != 1 {
		t.Errorf("there are %d subscribers, want the prompt one", n)
	}
}

// A subscription ends with its context, or the server, also while it reads on.
func TestEndsWhileBehind(t *testing.T) {
	f := &feed{}
	h := f.hub()
	ctx, cancel := context.WithCancel(newContext(t))
	gone, err := h.Subscribe(ctx, all)
	must(t, gone, err)
	closed, err := h.Subscribe(newContext(t), all)
	must(t, closed, err)
	f.write(1000)
	h.Wake(1)
	<-gone.Rows
	<-closed.Rows
	cancel()
	h.Close()
	for _, s := range []*Subscription[int]{gone, closed} {
		for range s.Rows {
		}
	}
	if err := gone.Err(); err != nil && !errors.Is(err, ErrClosed) {
		t.Errorf("the one that left ended with %v", err)
	}
	if !errors.Is(closed.Err(), ErrClosed) {
		t.Errorf("the other ended with %v", closed.Err())
	}
}
