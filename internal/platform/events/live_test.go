package events_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/tail"
)

func newLive(s *store.Store) *events.Live {
	return events.NewLive(events.NewFeed(s), slog.New(slog.DiscardHandler))
}

func anything(*events.Stored) bool { return true }

func subscribe(t *testing.T, ctx context.Context, l *events.Live, wants func(*events.Stored) bool) *tail.Subscription[*events.Stored] {
	t.Helper()
	sub, err := l.Subscribe(ctx, wants)
	if err != nil {
		t.Fatal(err)
	}
	return sub
}

// next returns the next event, nil when the subscription ended.
func next(t *testing.T, sub *tail.Subscription[*events.Stored]) *events.Stored {
	t.Helper()
	select {
	case e := <-sub.Rows:
		return e
	case <-time.After(time.Minute):
		t.Fatal("no event arrived")
		return nil
	}
}

// Subscribers get what is committed from now on, once and in order, of their
// tenant, as they asked for it, and also what another process wrote.
func TestLive(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		// Another tenant's events have positions, too, and those are the same numbers.
		ctx, other := newTenant(t, s, "acme"), events.NumberedAtOnce(newTenant(t, s, "umbra"))
		if err := write(ctx, s, nil, numbered(ctx, 0)); err != nil {
			t.Fatal(err)
		}
		l := newLive(s)
		var all []*tail.Subscription[*events.Stored]
		for range 100 {
			all = append(all, subscribe(t, ctx, l, anything))
		}
		one := subscribe(t, ctx, l, func(e *events.Stored) bool { return *e.AgentCode == "A2" })
		for n := 1; n <= 3; n++ {
			if err := write(other, s, nil, numbered(other, 99)); err != nil {
				t.Fatal(err)
			}
			if err := write(ctx, s, errRolledBack, numbered(ctx, 98)); !errors.Is(err, errRolledBack) {
				t.Fatal(err)
			}
			if err := write(ctx, s, nil, numbered(ctx, n)); err != nil {
				t.Fatal(err)
			}
		}
		for _, sub := range all {
			for _, want := range []string{"A1", "A2", "A3"} {
				if got := *next(t, sub).AgentCode; got != want {
					t.Fatalf("%s arrived, want %s", got, want)
				}
			}
		}
		if got := *next(t, one).AgentCode; got != "A2" {
			t.Errorf("%s arrived, want A2", got)
		}
		select {
		case e := <-one.Rows:
			t.Errorf("%s arrived too", *e.AgentCode)
		default:
		}
	})
}

// A subscription ends with its context; the reader with the last subscription,
// and another one starts with the next.
func TestLiveEnds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "acme")
		l := newLive(s)
		for n := range 3 {
			short, cancel := context.WithCancel(ctx)
			sub := subscribe(t, short, l, anything)
			if err := write(ctx, s, nil, numbered(ctx, n)); err != nil {
				t.Fatal(err)
			}
			if e := next(t, sub); e.Position != int64(n+1) {
				t.Errorf("the event at %d arrived, want %d", e.Position, n+1)
			}
			cancel()
			if e := next(t, sub); e != nil || sub.Err() != nil {
				t.Errorf("after the end: %v, %v", e, sub.Err())
			}
		}
		sub := subscribe(t, ctx, l, anything)
		l.Close()
		if e := next(t, sub); e != nil || !errors.Is(sub.Err(), tail.ErrClosed) {
			t.Errorf("after the stop: %v, %v", e, sub.Err())
		}
		if _, err := l.Subscribe(ctx, anything); !errors.Is(err, tail.ErrClosed) {
			t.Errorf("a subscription after the stop: %v", err)
		}
	})
}

// A change of many agents at once ends no subscriber, whether it takes the
// events at once or later; each gets all of them in order.
func TestLiveManyEventsAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "acme")
		l := newLive(s)
		late, prompt := subscribe(t, ctx, l, anything), subscribe(t, ctx, l, anything)
		const many = 700
		all := make([]events.Event, many)
		for i := range all {
			all[i] = numbered(ctx, i)
		}
		if err := write(ctx, s, nil, all...); err != nil {
			t.Fatal(err)
		}
		for _, sub := range []*tail.Subscription[*events.Stored]{prompt, late} {
			for position := int64(1); position <= many; position++ {
				if e := next(t, sub); e == nil || e.Position != position {
					t.Fatalf("received %v, want the event at %d; ended with %v", e, position, sub.Err())
				}
			}
		}
	})
}
