package insights

import (
	"context"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
)

// span is a range of days; both ends count.
type span struct{ since, until date.Date }

// membership says on which days of a range agents are within the scope of a run.
type membership struct {
	whole span
	// spans are the days of each agent who is ever within it; nil if all agents always
	// are.
	spans map[int64][]span
}

// membership reads the membership for a range of days.
func (r *Run) membership(ctx context.Context, from, through date.Date) (m membership, err error) {
	m.whole = span{from, through}
	switch r.scope.kind {
	case personal:
		m.spans = map[int64][]span{r.scope.root: {m.whole}}
	case downline:
		m.spans = map[int64][]span{}
		var s store.SQL
		r.With(&s, from, through)
		s.Write("SELECT agent_id, since, until FROM spans ORDER BY agent_id, since")
		err = store.Each(ctx, r.q, &s, func(row store.Scanner) error {
			var (
				agent int64
				days  span
			)
			err := row.Scan(&agent, &days.since, &days.until)
			m.spans[agent] = append(m.spans[agent], days)
			return err
		})
	}
	return m, err
}

// of returns the spans of an agent, in order.
func (m membership) of(agent int64) []span {
	if m.spans == nil {
		return []span{m.whole}
	}
	return m.spans[agent]
}

// has reports whether an agent is within the scope on a day of the range.
func (m membership) has(agent int64, day date.Date) bool {
	for _, s := range m.of(agent) {
		if day >= s.since && day <= s.until {
			return true
		}
	}
	return false
}

// ever writes the condition, beginning with AND, that an agent can be within the scope;
// it needs With.
func (r *Run) ever(s *store.SQL, agent string) {
	switch r.scope.kind {
	case personal:
		s.Write(" AND "+agent+" = ?", r.scope.root)
	case downline:
		s.Write(" AND " + agent + " IN (SELECT agent_id FROM spans)")
	}
}
