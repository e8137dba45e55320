package insights

import (
	"cmp"
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
)

// transition is the day on which an agent's value becomes another one; nil stands for no
// value.
type transition[V comparable] struct {
	on         date.Date
	agentID    int64
	code, name string
	from, to   *V
	// period is the period that begins, or, before no value, the one that ended; by is
	// who recorded it, if the periods say so.
	period beginning[V]
	by     string
}

// periods describes where a history of a team's agents is: the rows p of a table.
type periods struct {
	// value is SQL for the value, in terms of p and the join.
	table, value, join string
	// tellsBy is set if the query asks who recorded the periods.
	tellsBy bool
}

// transitions reads the transitions in a range of days. One is reported to the agents who
// were above its agent on the day or on the day before, so a move is also reported to
// those whom the agent leaves.
func transitions[V comparable](ctx context.Context, r *Run, h periods) ([]transition[V], error) {
	from, through := r.Day("from"), r.Day("through")
	before := from.AddDays(-1)
	within, err := r.membership(ctx, before, through)
	if err != nil {
		return nil, err
	}
	var s store.SQL
	r.With(&s, before, through)
	// Only periods that begin or end in the range; after one that ends on the last day of
	// the range, nothing follows within it.
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
	// last is the last value, in force until the day before last.on.
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

// orNil returns the value that a pointer points to, or nil.
func orNil[V any](v *V) any {
	if v == nil {
		return nil
	}
	return *v
}
