// Package history applies a period to an effective-dated history: certification
// status, pay status, W9, assigned upline and assigned agent level.
//
// It computes a Plan and does no I/O. The same plan is shown as the preview of
// a write and then stored by it, so the two cannot differ. Stored rows are
// never changed in place: a row that the new period touches is superseded, and
// what is left of it is written as new rows. That keeps what was known at an
// earlier moment readable.
package history

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
)

// Period is a value and the days it holds. "Each has effectiveFrom and an
// optional effectiveThrough, both inclusive; a missing effectiveThrough means
// open-ended" (specification, Effective-dated history rules).
type Period[V comparable] struct {
	// ID is the id of the stored row, 0 for a period that is not stored yet.
	ID   int64
	From date.Date
	// Through is the last day, nil for an open end.
	Through *date.Date
	Value   V
	// Stated is the id of the row in which these days were first stated, that of the period
	// itself if nothing was cut from it; 0 if they are stated by a period that is not stored
	// yet. It is read by StatedSQL where a history is changed, and is 0 elsewhere.
	Stated int64
}

// StatedSQL reads what Period.Stated holds.
const StatedSQL = "coalesce(stated, id)"

// Remainder returns some days of a period that is cut: a period that is not stored yet, with
// the statement of the whole.
func (p Period[V]) Remainder(from date.Date, through *date.Date) Period[V] {
	return Period[V]{From: from, Through: through, Value: p.Value, Stated: p.Stated}
}

// end returns the last day of the period. No day comes after date.Max, so a period
// through that day leaves as little after it as an open-ended one.
func (p Period[V]) end() date.Date { return min(date.OrMax(p.Through), date.Max) }

// identical reports whether both periods have "exactly the same status and
// date range" (specification, Certification statuses). An open end is equal
// only to an open end.
func (p Period[V]) identical(q Period[V]) bool {
	sameThrough := p.Through == q.Through ||
		p.Through != nil && q.Through != nil && *p.Through == *q.Through
	return p.Value == q.Value && p.From == q.From && sameThrough
}

// At returns the period that covers a day, false when none does. The periods
// may come in any order.
func At[V comparable](periods []Period[V], day date.Date) (Period[V], bool) {
	for _, p := range periods {
		if p.From <= day && day <= p.end() {
			return p, true
		}
	}
	return Period[V]{}, false
}

// Apply plans what writing a period does to a history, by the five rules of the
// specification, Effective-dated history rules: "When a period is applied, the new period
// always wins and existing periods are adjusted". "Adjacent periods with the same status
// are not merged", but "if an identical period exists nothing changes" (Certification
// statuses).
//
// The existing periods may come in any order and are not modified; today only decides
// about warnings. A period that ends before it starts is the problem
// PERIOD_ENDS_BEFORE_START. Existing periods that overlap are a fault of the store,
// returned as an ordinary error.
func Apply[V comparable](existing []Period[V], applied Period[V], today date.Date) (Plan[V], error) {
	if applied.end() < applied.From {
		return Plan[V]{}, problem.Invalid(problem.PeriodEndsBeforeStart,
			"The period must not end before it starts.", "effectiveThrough")
	}
	before, err := inOrder(existing)
	if err != nil {
		return Plan[V]{}, err
	}
	if i := slices.IndexFunc(before, applied.identical); i >= 0 {
		return unchanged(before, before[i]), nil
	}
	applied.ID, applied.Stated = 0, 0

	plan := Plan[V]{Before: before}
	for _, p := range before {
		op, touched := adjust(p, applied)
		if !touched {
			plan.After = append(plan.After, p)
			continue
		}
		plan.After = append(plan.After, op.Results...)
		plan.Operations = append(plan.Operations, op)
	}
	// Rule 5: "The new period is added."
	plan.After = append(plan.After, applied)
	plan.Operations = append(plan.Operations, Operation[V]{Kind: Added, Results: []Period[V]{applied}})

	slices.SortFunc(plan.After, byFrom)
	slices.SortStableFunc(plan.Operations, func(a, b Operation[V]) int { return cmp.Compare(a.From(), b.From()) })
	plan.Warnings = warnings(plan, applied, today)
	return plan, nil
}

// adjust applies rules 1 to 4 to one existing period; touched is false if it shares no
// day with the applied one. A part before the applied period may remain, a part after it,
// both or neither. A part needs at least one day: so a containing period that starts on
// the same day is moved, and one that ends on the same day is shortened.
func adjust[V comparable](p, applied Period[V]) (op Operation[V], touched bool) {
	if p.end() < applied.From || applied.end() < p.From {
		return op, false
	}
	startsBefore, endsAfter := p.From < applied.From, applied.end() < p.end()
	op.Existing = &p
	switch {
	case startsBefore && endsAfter:
		op.Kind = Split
	case startsBefore:
		op.Kind = Shortened
	case endsAfter:
		op.Kind = Moved
	default:
		op.Kind = Removed
	}
	if startsBefore {
		op.Results = append(op.Results, p.Remainder(p.From, applied.From.AddDays(-1).Ptr()))
	}
	if endsAfter {
		op.Results = append(op.Results, p.Remainder(applied.end().AddDays(1), p.Through))
	}
	return op, true
}

// unchanged returns the plan for a period that the history already has.
func unchanged[V comparable](before []Period[V], held Period[V]) Plan[V] {
	return Plan[V]{
		Before:     before,
		After:      slices.Clone(before),
		Operations: []Operation[V]{{Kind: Unchanged, Existing: &held, Results: []Period[V]{held}}},
	}
}

// inOrder returns a copy of stored periods ordered by From, or an error when
// they are not "a list of non-overlapping periods".
func inOrder[V comparable](stored []Period[V]) ([]Period[V], error) {
	periods := slices.Clone(stored)
	slices.SortFunc(periods, byFrom)
	for i, p := range periods {
		if p.end() < p.From {
			return nil, fmt.Errorf("history: stored period %d ends before it starts", p.ID)
		}
		if i > 0 && periods[i-1].end() >= p.From {
			return nil, fmt.Errorf("history: stored periods %d and %d overlap", periods[i-1].ID, p.ID)
		}
	}
	return periods, nil
}

func byFrom[V comparable](a, b Period[V]) int { return cmp.Compare(a.From, b.From) }
