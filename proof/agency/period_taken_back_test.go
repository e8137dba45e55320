package agency_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
)

type anyPeriod = history.Period[any]

// takenBack is one history of an agent, read from its rows.
type takenBack struct {
	*agentWorld
	t     rapid.TB
	dated *record.Dated[any]
	owner int64
	// at are the instants of the writes.
	at []time.Time
}

func relationOf(name string) *record.Dated[any] {
	r := *map[string]*history.Relation{"pay status": history.PayStatuses, "agent level": history.Levels, "direct upline": history.Uplines}[name]
	r.Columns = r.Columns[:1]
	return record.DatedColumn[any](&r, map[string]string{"pay status": "payStatus", "agent level": "level", "direct upline": "directUpline"}[name])
}

// known are the periods that were known at an instant.
func (b *takenBack) known(at time.Time) []anyPeriod {
	b.t.Helper()
	s := new(store.SQL)
	s.Write("SELECT id, "+history.StatedSQL+", effective_from, effective_through, "+b.dated.Columns[0]+" FROM "+b.dated.Table+" p WHERE tenant_id = ? AND "+b.dated.Owner+" = ? AND ",
		b.tenantID(), b.owner)
	s.Write(history.KnownAt(at).Condition("p", s.Arg))
	periods, err := store.Collect(b.ctx, b.store, func(row store.Scanner) (p anyPeriod, err error) {
		return p, row.Scan(&p.ID, &p.Stated, &p.From, &p.Through, &p.Value)
	}, s.Write(" ORDER BY effective_from").Text(), s.Args()...)
	b.must(periods, err)
	return periods
}

// edit is what the write of a number did.
func (b *takenBack) edit(write int) history.Edit[any] {
	return history.Edit[any]{Before: b.known(b.at[write].Add(-time.Microsecond)), After: b.known(b.at[write])}
}

func saidBy(periods []anyPeriod) (all []string) {
	for _, p := range periods {
		all = append(all, fmt.Sprint(p.From, p.Through, p.Value, p.Stated))
	}
	return all
}

// become writes periods as the history.
func (b *takenBack) become(target []anyPeriod) {
	b.t.Helper()
	before, team := b.known(b.clock.Now()), int64(0)
	if b.dated.OfTeam {
		team = b.team
	}
	at := b.later()
	err := record.NewWriter(b.store, b.clock, b.app.Vault).Write(b.ctx, "undo", false, func(ctx context.Context, w *record.Writing) error {
		if _, err := w.LockAgent(ctx, "A1", "agentCode"); err != nil {
			return err
		}
		h, err := b.dated.Read(ctx, w, team, b.owner)
		if err != nil {
			return err
		}
		plan, err := h.Become(w, b.owner, target)
		if err := record.FirstOf(err, h.Write(ctx, w)); err != nil {
			return err
		}
		return w.TouchChanged(ctx, b.owner, h.Describe(b.owner, plan, 0, func(any) *string { return nil }))
	})
	b.must(nil, err)
	after := b.known(at)
	equal(b.t, "what it became", saidBy(after), saidBy(target))
	for _, p := range after {
		for _, q := range before {
			if p.Stated == q.Stated && p.From == q.From && equalDays(p.Through, q.Through) {
				equal(b.t, "a period that stands there keeps its row", p.ID, q.ID)
			}
		}
	}
	if fmt.Sprint(saidBy(before)) != fmt.Sprint(saidBy(after)) {
		b.at = append(b.at, at)
	}
}

func equalDays(a, b *date.Date) bool { return a == b || a != nil && b != nil && *a == *b }

// checkStated: what was applied states its days itself, whatever row it is in, and what is
// left of others has the statement that covered these days before.
func (b *takenBack) checkStated(before, after []anyPeriod, from date.Date, through *date.Date) {
	b.t.Helper()
	for _, p := range after {
		if want := p.ID; p.Overlaps(from, through) {
			equal(b.t, "stated by itself", p.Stated, want)
		} else if was, ok := history.At(before, p.From); !ok || was.Stated != p.Stated || was.Value != p.Value {
			b.t.Fatalf("%+v is no part of %+v", p, was)
		}
	}
}

// Whatever was written to a history of an agent, the rows say who stated each day; and any
// write is taken back from them, at once exactly as if it had not been.
func TestPeriodsAreTakenBack(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		long := agentToday.AddDays(-100)
		for _, code := range []string{"U1", "U2", "A1"} {
			w.register(since(newcomer(code), long))
		}
		rapid.Check(t, func(t *rapid.T) {
			w.must(w.DeleteAgent(w.ctx, "A1", nil, "test"))
			in := since(under("U1", "A1"), long)
			in.Teams[0].Level = new(10)
			w.register(in)
			h := rapid.SampledFrom(histories()).Draw(t, "history")
			b := &takenBack{agentWorld: w, t: t, dated: relationOf(h.name), owner: w.agent("A1").ID}
			for range rapid.IntRange(1, 5).Draw(t, "writes") {
				from := agentToday.AddDays(rapid.IntRange(0, 9).Draw(t, "from"))
				var through *date.Date
				if days := rapid.IntRange(0, 6).Draw(t, "days"); days < 6 {
					through = from.AddDays(days).Ptr()
				}
				before := b.known(w.clock.Now())
				at := w.later()
				c, err := h.apply(w, rapid.SampledFrom([]string{h.a, h.b}).Draw(t, "value"), from, through, false)
				w.must(c, err)
				if c.Changed {
					b.at = append(b.at, at)
					b.checkStated(before, b.known(at), from, through)
				}
			}
			if len(b.at) == 0 {
				return
			}
			if target, inTheWay := history.Revert(b.known(w.clock.Now()), b.edit(rapid.IntRange(0, len(b.at)-1).Draw(t, "taken back"))); inTheWay == nil {
				b.become(target)
			}
			for range 2 {
				last := b.edit(len(b.at) - 1)
				target, inTheWay := history.Revert(b.known(w.clock.Now()), last)
				equal(t, "at once nothing is in the way", len(inTheWay), 0)
				b.become(target)
				equal(t, "at once", saidBy(b.known(w.clock.Now())), saidBy(last.Before))
			}
		})
	})
}
