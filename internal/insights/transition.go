package insights

import (
	"cmp"
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
)

// transition is the day on which what holds of an agent becomes something else;
// nil stands for nothing.
type transition[V comparable] struct {
	on         date.Date
	agentID    int64
	code, name string
	from, to   *V
	// period is the one that begins, or, before nothing, that ended; by is who recorded
	// it, where the periods tell.
	period beginning[V]
	by     string
}

// periods are where a history is, of a team's agents: the rows p of a table.
type periods struct {
	// value is what holds, in SQL over p and the join.
	table, value, join string
	// tellsBy is set where somebody asks who recorded what.
	tellsBy bool
}

// transitions reads those of a range of days. An agent is told of by whoever it was
// below on the day or on the day before: a move is of those it leaves, too.
func transitions[V comparable](ctx context.Context, r *Run, h periods) ([]transition[V], error) {
	from, through := r.Day("from"), r.Day("through")
	before := from.AddDays(-1)
	within, err := r.membership(ctx, before, through)
	if err != nil {
		return nil, err
	}
	var s store.SQL
	r.With(&s, before, through)
	// Only periods that begin or end in the range; one that ends on its last day
	// is followed by nothing in it.
	s.Write("SELECT p.agent_id, a.code, "+agentName+", p.effective_from, p.effective_through, "+h.value+" FROM "+h.table+" p JOIN agency_agent a ON a.tenant_id = p.tenant_id AND a.id = p.agent_id"+h.join+`
		WHERE p.tenant_id = ? AND p.team_id = ? AND p.superseded_at IS NULL AND ((p.effective_from >= ? AND p.effective_from <= ?) OR (p.effective_through >= ? AND p.effective_through < ?))`,
		r.Tenant.ID, r.team, from, through, before, through)
	r.ever(&s, "p.agent_id")
	s.Write(" ORDER BY p.agent_id, p.effective_from")
	var all []transition[V]
	tell := func(t transition[V]) {
		same := t.from == nil && t.to == nil || t.from != nil && t.to != nil && *t.from == *t.to
		if !same && t.on >= from && t.on <= through && (within.has(t.agentID, t.on) || within.has(t.agentID, t.on-1)) {
			all = append(all, t)
		}
	}
	// last is what held last: until the day before its on.
	var last transition[V]
	ended := func() {
		if last.from != nil {
			tell(last)
		}
	}
	err = store.Each(ctx, r.q, &s, func(row store.Scanner) error {
		var (
			t     transition[V]
			until *date.Date
		)
		if err := row.Scan(&t.agentID, &t.code, &t.name, &t.on, &until, &t.to); err != nil {
			return err
		}
		t.period = beginningOf(t.agentID, t.on, t.to)
		if last.agentID == t.agentID && last.on == t.on {
			t.from = last.from
		} else {
			ended()
		}
		tell(t)
		last = t
		last.from, last.to, last.on = t.to, nil, date.OrMax(until)
		if until != nil {
			last.on++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	ended()
	if h.tellsBy {
		if err := tellBy(ctx, r, h, all); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b transition[V]) int { return cmp.Or(cmp.Compare(a.on, b.on), cmp.Compare(a.code, b.code)) })
	return all, nil
}

// orNil is what a pointer points to.
func orNil[V any](v *V) any {
	if v == nil {
		return nil
	}
	return *v
}
