package demo

import "iter"

var periodColumns = []string{"effective_from", "effective_through", "recorded_at", "recorded_by"}

func (b *batch) payStatusPeriods() iter.Seq[[]any] {
	return periodsOf(b, func(a *Agent) []Period[string] { return a.PayStatusPeriods },
		func(i int, status string) []any { return []any{b.tenant.ID, b.id(i), status} })
}

func (b *batch) uplinePeriods() iter.Seq[[]any] {
	return periodsOf(b, func(a *Agent) []Period[int] { return a.UplinePeriods },
		func(i, upline int) []any {
			if upline == NoUpline {
				return []any{b.tenant.ID, b.teamID, b.id(i), nil}
			}
			return []any{b.tenant.ID, b.teamID, b.id(i), b.agentIDs[upline]}
		})
}

func (b *batch) levelPeriods() iter.Seq[[]any] {
	return periodsOf(b, func(a *Agent) []Period[int] { return a.LevelPeriods },
		func(i, level int) []any { return []any{b.tenant.ID, b.teamID, b.id(i), level} })
}

// periodsOf makes a row of each period of a history of each agent: what begin
// returns, then periodColumns.
func periodsOf[T any](b *batch, history func(*Agent) []Period[T], begin func(i int, value T) []any) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for i := range b.agents {
			for _, p := range history(&b.agents[i]) {
				if !yield(period(b, i, p, begin(i, p.Value))) {
					return
				}
			}
		}
	}
}

func (b *batch) certificationPeriods() iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		n := 0
		for i := range b.agents {
			for _, c := range b.agents[i].Certifications {
				for _, p := range c.Periods {
					if !yield(period(b, i, p, []any{b.tenant.ID, b.certificationIDs[n], p.Value})) {
						return
					}
				}
				n++
			}
		}
	}
}

// period appends the columns that every history has.
func period[T any](b *batch, i int, p Period[T], row []any) []any {
	return append(row, p.From, p.Through, b.recorded(i, p.From), initiator)
}
