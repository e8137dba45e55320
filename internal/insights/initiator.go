package insights

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
)

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
