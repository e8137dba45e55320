package events_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

// The feed ends where Forget was told to; a cursor from before is refused and
// not gone on from where events are left.
func TestForget(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, other := newTenant(t, s, "acme"), newTenant(t, s, "umbra")
		for n := range 5 {
			if err := errors.Join(write(ctx, s, nil, numbered(ctx, n)), write(other, s, nil, numbered(other, n))); err != nil {
				t.Fatal(err)
			}
		}
		f := events.NewFeed(s)
		all, err := f.Page(ctx, events.Filter{}, page.Args{})
		if err != nil || len(all.Items) != 5 {
			t.Fatalf("%d events (%v)", len(all.Items), err)
		}
		// The third event is younger than the fourth: a clock was set back.
		for n, age := range []int{100, 100, 10, 100, 1} {
			at := all.Items[0].OccurredAt.Add(-time.Duration(age) * 24 * time.Hour)
			err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.Exec(ctx, "UPDATE outbox_event SET occurred_at = $1 WHERE id = $2", at, all.Items[n].ID)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		through, err := f.Forget(ctx, all.Items[0].OccurredAt.Add(-90*24*time.Hour))
		if err != nil || through != 2 {
			t.Errorf("the feed is forgotten through %d, want 2 (%v)", through, err)
		}
		for place, want := range map[int][]string{-1: {"A2", "A3", "A4"}, 1: {"A2", "A3", "A4"}, 3: {"A4"}, 0: nil} {
			var args page.Args
			if place >= 0 {
				cursor := all.Cursor(all.Items[place])
				args.After = &cursor
			}
			p, err := f.Page(ctx, events.Filter{}, args)
			if want == nil {
				if refused := problem.From(err); len(refused) != 1 || refused[0].Code != problem.CursorExpired || refused[0].Field[0] != "after" {
					t.Errorf("a cursor from before: %v", err)
				}
				continue
			}
			var got []string
			for _, e := range p.Items {
				got = append(got, *e.AgentCode)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("after %d: %v, want %v (%v)", place, got, want, err)
			}
		}
		if p, err := f.Page(ctx, events.Filter{}, page.Args{Counted: true}); err != nil || p.Total != 3 {
			t.Errorf("the count is %d (%v)", p.Total, err)
		}
		if p, err := f.Page(other, events.Filter{}, page.Args{}); err != nil || len(p.Items) != 5 {
			t.Errorf("the other tenant has %d events (%v)", len(p.Items), err)
		}
	})
}
