package insights

import (
	"cmp"
	"context"
	"slices"
	"time"

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

// beginning identifies the begin of a period with a value, however often it was recorded.
type beginning[V comparable] struct {
	agentID int64
	on      date.Date
	value   V
	isGiven bool
}

func beginningOf[V comparable](agentID int64, on date.Date, value *V) beginning[V] {
	b := beginning[V]{agentID: agentID, on: on, isGiven: value != nil}
	if value != nil {
		b.value = *value
	}
	return b
}

// record is a row of a history: when and by whom it was written, and when it was
// replaced.
type record struct {
	id        int64
	at        time.Time
	by        string
	replaced  *time.Time
	isReplica bool // the row that replaced it
}

// tellBy adds to transitions who recorded their periods.
func tellBy[V comparable](ctx context.Context, r *Run, h periods, told []transition[V]) error {
	agents := make([]int64, len(told))
	for i, t := range told {
		agents[i] = t.agentID
	}
	slices.Sort(agents)
	s := h.records(r, slices.Compact(agents))
	recorded := map[beginning[V]][]record{}
	err := store.Each(ctx, r.q, s, func(row store.Scanner) error {
		var (
			agentID int64
			on      date.Date
			value   *V
			found   record
		)
		err := row.Scan(&agentID, &on, &value, &found.id, &found.at, &found.by, &found.replaced)
		b := beginningOf(agentID, on, value)
		recorded[b] = append(recorded[b], found)
		return err
	})
	for i, t := range told {
		told[i].by = initiator(recorded[t.period])
	}
	return err
}

// records is the statement of all rows of agents' histories, replaced ones included.
func (h periods) records(r *Run, agents []int64) *store.SQL {
	s := new(store.SQL)
	s.Write("SELECT p.agent_id, p.effective_from, "+h.value+", p.id, p.recorded_at, p.recorded_by, p.superseded_at FROM "+h.table+" p"+h.join+
		" WHERE p.tenant_id = ? AND p.team_id = ? AND ", r.Tenant.ID, r.team)
	return s.Write(r.q.In("p.agent_id", s.Arg(r.q.List(agents)))+" AND p.effective_from <= ?", r.Day("through"))
}

// initiator is who first recorded a period. A change of other days records the remains of
// a period anew, in the name of whoever makes it. So the rows are followed back as long
// as one replaced the next.
func initiator(rows []record) string {
	for i := range rows {
		rows[i].isReplica = slices.ContainsFunc(rows, func(b record) bool {
			return b.replaced != nil && b.replaced.Equal(rows[i].at) && b.id < rows[i].id
		})
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r record) bool { return r.isReplica })
	if len(rows) == 0 {
		return ""
	}
	return slices.MaxFunc(rows, func(a, b record) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id)) }).by
}
