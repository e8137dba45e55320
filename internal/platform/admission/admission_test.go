package admission

import (
	"fmt"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
)

func TestBuckets(t *testing.T) {
	c := clock.At(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	b := NewBuckets(120, 10*time.Second, c) // two in a second, twenty at once
	for i := range 20 {
		if l, ok := b.Take("a", 1); !ok || l.Limit != 20 || l.Remaining != 19-i {
			t.Fatalf("request %d: %v %+v", i, ok, l)
		}
	}
	l, ok := b.Take("a", 1)
	if ok || l.Remaining != 0 || l.Next != 500*time.Millisecond || l.Full != 10*time.Second || l.Window() != 10*time.Second {
		t.Errorf("beyond the limit: %v %+v", ok, l)
	}
	if _, ok := b.Take("b", 20); !ok {
		t.Error("keys share a bucket")
	}
	c.Move(l.Next)
	if _, ok := b.Take("a", 1); !ok {
		t.Error("refused when it was said to be there")
	}
	c.Move(time.Hour)
	if l, _ := b.Level("a", 1); l.Remaining != 20 || l.Full != 0 || l.Next != 0 {
		t.Errorf("after an hour: %+v", l)
	}
	if l, ok := b.Take("a", 21); ok || l.Remaining != 20 {
		t.Errorf("all or none: %v %+v", ok, l)
	}
}

func TestNoBucketsHaveNoLimit(t *testing.T) {
	b := NewBuckets(0, time.Second, clock.System{})
	if _, ok := b.Take("a", 1<<30); !ok || b != nil {
		t.Error("there is a limit")
	}
	if _, limited := b.Level("a", 1); limited {
		t.Error("there is a level")
	}
}

// However many keys there are, the memory is bounded, and who sends requests
// keeps a bucket.
func TestIdleBucketsAreDropped(t *testing.T) {
	b := NewBuckets(60, 10*time.Second, clock.At(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
	for i := range 3 * keptBuckets {
		b.Take(fmt.Sprint(i), 1)
		if i%1000 == 0 && i < 10_000 {
			b.Take("busy", 1)
		} else if i%1000 == 0 {
			if _, ok := b.Take("busy", 1); ok {
				t.Fatal("a busy key got a new bucket")
			}
		}
	}
	if n := b.known.Len(); n != keptBuckets {
		t.Errorf("%d buckets are kept", n)
	}
}

func TestSeats(t *testing.T) {
	s := NewSeats(8)
	var first Seat
	takes := func(owner string) bool {
		seat, ok := s.Take(owner)
		if first == (Seat{}) {
			first = seat
		}
		return ok
	}
	for range 6 {
		if !takes("a") {
			t.Fatal("an owner has not three quarters")
		}
	}
	if takes("a") || !takes("b") || !takes("c") || takes("d") || s.Taken() != 8 {
		t.Errorf("%d seats are taken", s.Taken())
	}
	first.Leave()
	first.Leave()
	if s.Taken() != 7 {
		t.Error("a seat was left twice")
	}
	if !takes("a") {
		t.Error("a free seat is not given")
	}
}

// Strangers have few seats, and one address a fourth of them.
func TestStrangers(t *testing.T) {
	l, _ := Limits{}.WithDefaults(8, 0)
	s := l.Strangers()
	takes := func(owner string) bool { _, ok := s.Take(owner); return ok }
	for i := range 2 * 32 {
		if takes("address") != (i < 32) {
			t.Fatalf("seat %d of one address", i)
		}
	}
	for i := range 3 * 32 {
		if !takes(fmt.Sprint(i)) {
			t.Fatalf("seat %d of others", i)
		}
	}
	if takes("late") || s.Taken() != l.Requests()/8 {
		t.Errorf("%d seats for %d requests", s.Taken(), l.Requests())
	}
}

// What an operation turns out to cost is owed until it has flowed back.
func TestOwe(t *testing.T) {
	c := clock.At(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	b := NewBuckets(60, time.Minute, c)
	b.Take("a", 50)
	b.Owe("a", 40)
	if l, ok := b.Take("a", 1); ok || l.Next != 31*time.Second {
		t.Errorf("%v %+v", ok, l)
	}
	c.Move(31 * time.Second)
	if _, ok := b.Take("a", 1); !ok {
		t.Error("what is owed stays owed")
	}
	b.Owe("b", 1_000_000)
	if l, _ := b.Level("b", 1); l.Next > 2*time.Second {
		t.Errorf("more is owed than a bucket holds: %+v", l)
	}
	(*Buckets)(nil).Owe("a", 1)
}

func TestNotes(t *testing.T) {
	c := clock.At(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	n := NewNotes(c)
	if count, due := n.Due(QueueFull); !due || count != 1 {
		t.Errorf("the first: %d %v", count, due)
	}
	for range 1000 {
		if _, due := n.Due(QueueFull); due {
			t.Fatal("a flood is noted")
		}
	}
	if _, due := n.Due(Waited); !due {
		t.Error("another reason is not noted")
	}
	c.Move(noteEvery)
	if count, due := n.Due(QueueFull); !due || count != 1001 {
		t.Errorf("ten seconds later: %d %v", count, due)
	}
}

func TestLimits(t *testing.T) {
	l, err := Limits{}.WithDefaults(8, 5000)
	if err != nil || l.Concurrency != 8 || l.TenantConcurrency != 6 || l.Queue != 512 || l.Wait != 500*time.Millisecond || l.Streams != 1000 || l.Requests() != 1024 {
		t.Errorf("%+v %v", l, err)
	}
	for _, bad := range []Limits{{ClientRate: -1}, {Queue: -1}, {Wait: -1}, {ClientCost: 4999}} {
		if _, err := bad.WithDefaults(8, 5000); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	for reason, overload := range map[Reason]bool{ClientRate: false, TenantRate: false, AddressRate: false, ClientCost: false, QueueFull: true, Waited: true, Requests: true, Streams: true,
		Strangers: true, NoConnection: true, Database: true, Disk: true} {
		if r := (&Refusal{Reason: reason}); r.Overload() != overload || r.Seconds() != 1 {
			t.Errorf("%s: %v, %d s", reason, r.Overload(), r.Seconds())
		}
	}
	if (&Refusal{After: 1001 * time.Millisecond}).Seconds() != 2 {
		t.Error("Retry-After is not rounded up")
	}
}
