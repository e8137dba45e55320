package events_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

const (
	writers    = 6
	changes    = 12
	eventsEach = 3
)

// Writers commit in whatever order; whoever polls with after sees every event
// once, those of a writer in the order of its changes, and none that was rolled
// back.
func TestReaderMissesNothing(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, other := newTenant(t, s, "acme"), newTenant(t, s, "umbra")
		var working sync.WaitGroup
		for w := range writers {
			working.Go(func() {
				dice := rand.New(rand.NewPCG(1, uint64(w)))
				for n := range changes {
					if err := commitSlowly(ctx, s, dice, w, n); err != nil {
						t.Errorf("write: %v", err)
					}
					if err := write(other, s, nil, numbered(other, 999)); err != nil {
						t.Errorf("write to the other tenant: %v", err)
					}
				}
			})
		}
		finished := make(chan struct{})
		go func() { working.Wait(); close(finished) }()
		var readers sync.WaitGroup
		for range 2 {
			readers.Go(func() { checkLedger(t, poll(t, ctx, events.NewFeed(s), finished)) })
		}
		readers.Wait()
	})
}

var errRolledBack = errors.New("rolled back")

// commitSlowly writes the events of a change, waits while others commit, and
// commits two changes of three.
func commitSlowly(ctx context.Context, s *store.Store, dice *rand.Rand, writer, change int) error {
	pause, rollBack := time.Duration(dice.IntN(8))*time.Millisecond, change%3 == 2
	err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		all := make([]events.Event, eventsEach)
		for i := range all {
			all[i] = numbered(ctx, writer)
			all[i].Initiator = fmt.Sprint(change*eventsEach + i)
		}
		if err := events.WriteAll(ctx, tx, now, all); err != nil {
			return err
		}
		time.Sleep(pause)
		if rollBack {
			return errRolledBack
		}
		return nil
	})
	if errors.Is(err, errRolledBack) {
		return nil
	}
	return err
}

// poll reads a feed until the writers finished and nothing is left.
func poll(t *testing.T, ctx context.Context, f *events.Feed, finished <-chan struct{}) (seen []*events.Stored) {
	size := 7
	args := page.Args{First: &size}
	for {
		last := false
		select {
		case <-finished:
			last = true
		default:
		}
		p, err := f.Page(ctx, events.Filter{}, args)
		if err != nil {
			t.Errorf("poll: %v", err)
			return seen
		}
		seen = append(seen, p.Items...)
		if n := len(p.Items); n > 0 {
			cursor := p.Cursor(p.Items[n-1])
			args.After = &cursor
		} else if last {
			return seen
		}
	}
}

func checkLedger(t *testing.T, seen []*events.Stored) {
	t.Helper()
	byWriter := map[string][]string{}
	for i, e := range seen {
		if e.Position != int64(i+1) {
			t.Fatalf("place %d holds the position %d: the positions have a gap", i, e.Position)
		}
		byWriter[*e.AgentCode] = append(byWriter[*e.AgentCode], *e.Initiator)
	}
	var want []string
	for n := range changes {
		for i := range eventsEach {
			if n%3 != 2 {
				want = append(want, fmt.Sprint(n*eventsEach+i))
			}
		}
	}
	if len(byWriter) != writers {
		t.Errorf("events of %d writers", len(byWriter))
	}
	for writer, got := range byWriter {
		if !slices.Equal(got, want) {
			t.Errorf("events of %s: %v, want %v", writer, got, want)
		}
	}
}

// A long backlog is numbered in pieces, and by the job for every tenant.
func TestBacklogIsNumbered(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, other := newTenant(t, s, "acme"), newTenant(t, s, "umbra")
		for range 11 {
			all := make([]events.Event, 100)
			for i := range all {
				all[i] = numbered(ctx, i)
			}
			if err := write(ctx, s, nil, all...); err != nil {
				t.Fatal(err)
			}
		}
		if err := write(other, s, nil, numbered(other, 1)); err != nil {
			t.Fatal(err)
		}
		f := events.NewFeed(s)
		events.WithPortions(t, 2)
		tenants := map[int64]*tenant.Tenant{tenant.From(ctx).ID: tenant.From(ctx), tenant.From(other).ID: tenant.From(other)}
		find := func(_ context.Context, id int64) (*tenant.Tenant, error) { return tenants[id], nil }
		// A run has an end, whatever waits, and what it did stays.
		for run, want := range []bool{true, false} {
			if more, err := f.NumberAll(t.Context(), find); err != nil || more != want {
				t.Fatalf("run %d: more %t, %v", run, more, err)
			}
		}
		for c, want := range map[context.Context]int{ctx: 1100, other: 1} {
			var n int
			_, err := store.One(c, s, []any{&n}, "SELECT count(*) FROM outbox_event e WHERE e.tenant_id = $1 AND e.position IS NOT NULL", tenant.From(c).ID)
			if err != nil || n != want {
				t.Errorf("%d events have a position, want %d (%v)", n, want, err)
			}
		}
	})
}

// Events that are stored with their positions come behind all that were committed
// before, and in front of all that come later; where too many wait, they wait too.
func TestNumberedAtOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "acme")
		positions := func() []int64 {
			t.Helper()
			all, err := store.Collect(ctx, s, store.ScanOne[int64], "SELECT COALESCE(position, 0) FROM outbox_event WHERE tenant_id = $1 ORDER BY written", tenant.From(ctx).ID)
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		put := func(ctx context.Context, n int) {
			t.Helper()
			all := make([]events.Event, n)
			for i := range all {
				all[i] = numbered(ctx, i)
			}
			if err := write(ctx, s, nil, all...); err != nil {
				t.Fatal(err)
			}
		}
		put(ctx, 2)
		put(events.NumberedAtOnce(ctx), 3)
		put(ctx, 1)
		put(events.NumberedAtOnce(ctx), 2)
		if have, want := positions(), []int64{1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(have, want) {
			t.Fatalf("positions %v, want %v", have, want)
		}
		put(ctx, 600)
		put(events.NumberedAtOnce(ctx), 2)
		if have := positions(); have[507] != 508 || have[508] != 0 || have[609] != 0 {
			t.Errorf("with 600 waiting, positions end with %v", have[500:])
		}
		if err := events.NewFeed(s).Number(ctx); err != nil {
			t.Fatal(err)
		}
		for i, have := range positions() {
			if have != int64(i+1) {
				t.Fatalf("event %d has position %d", i, have)
			}
		}
	})
}

// The filters of the feed, and what is refused: everything wrong together.
func TestFeedFilters(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := newTenant(t, s, "acme")
		f := events.NewFeed(s)
		if err := write(ctx, s, nil, numbered(ctx, 1), numbered(ctx, 2), events.PingEvent("3", "ops")); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			filter events.Filter
			want   int
		}{
			{events.Filter{}, 3},
			{events.Filter{Types: []string{"AgentUpdated"}}, 2},
			{events.Filter{Types: []string{"Platform.Webhooks.Events.*", "AgentCreated"}}, 1},
			{events.Filter{AgentCode: new("A2")}, 1},
			{events.Filter{AgentCode: new("")}, 0},
			{events.Filter{Areas: []events.Area{events.Webhooks}}, 1},
			{events.Filter{Areas: []events.Area{events.AgencyManagement}, Types: []string{"Ping"}}, 0},
			{events.Filter{Areas: []events.Area{}}, 0},
			{events.Filter{Types: []string{"Ping"}, AgentCode: new("A2")}, 0},
		} {
			if got := feedPage(t, ctx, f, test.filter, page.Args{}); len(got) != test.want {
				t.Errorf("%v: %d events, want %d", test.filter, len(got), test.want)
			}
			if p, err := f.Page(ctx, test.filter, page.Args{Counted: true}); err != nil || p.Total != test.want {
				t.Errorf("%+v: counted %d, want %d (%v)", test.filter, p.Total, test.want, err)
			}
		}
		first, after := 101, "nonsense"
		_, err := f.Page(ctx, events.Filter{Types: []string{"Ping", "secret"}}, page.Args{First: &first, After: &after})
		if problems := problem.From(err); len(problems) != 3 || !slices.Equal(problems[2].Field, []string{"types", "1"}) {
			t.Errorf("refused: %v", err)
		}
	})
}
