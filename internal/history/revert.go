package history

import (
	"cmp"
	"slices"

	"github.com/uplinehq/upline/internal/date"
)

// Edit is a history as it was known just before a change, and just after it.
type Edit[V comparable] struct{ Before, After []Period[V] }

// Conflict is a range of days that an edit changed and that was stated anew since.
type Conflict struct {
	// Edit is the place of the edit among those that are taken back.
	Edit int
	From date.Date
	// Through is the last day, nil for an open end.
	Through *date.Date
}

// Revert takes edits back from a history, day by day, each from what the one before it
// left: the newest comes first. A day with the statement that an edit left it with gets that
// of before the edit, or none; so a period that the edit divided is one again. A day that
// was stated anew since stays as it is if the edit did not change its value, or if it has
// the value of before the edit again; otherwise it is in the way.
//
// All periods are stored ones. Those of the outcome have no ID: see Become. With a conflict,
// the outcome is no history to go on with.
func Revert[V comparable](now []Period[V], edits ...Edit[V]) (outcome []Period[V], inTheWay []Conflict) {
	for i, e := range edits {
		outcome = nil
		for _, d := range stretches(now, e.Before, e.After) {
			was, made, is := on(e.Before, d.From), on(e.After, d.From), on(now, d.From)
			switch {
			case sameStatement(is, made):
				is = was
			case equal(value(was), value(made)), equal(value(was), value(is)):
			default:
				inTheWay = withConflict(inTheWay, Conflict{i, d.From, d.Through})
			}
			outcome = withDays(outcome, is, d)
		}
		now = outcome
	}
	return outcome, inTheWay
}

// Become plans how a history becomes another one: a period that stands there already, with
// its statement, keeps its row, the others are removed or added. Periods of either that
// overlap are a fault, returned as an ordinary error.
func Become[V comparable](existing, target []Period[V]) (plan Plan[V], err error) {
	if plan.Before, err = inOrder(existing); err != nil {
		return plan, err
	}
	if plan.After, err = inOrder(target); err != nil {
		return plan, err
	}
	gone := slices.Clone(plan.Before)
	for i, p := range plan.After {
		plan.After[i].ID = 0
		if held := slices.IndexFunc(gone, func(q Period[V]) bool { return p.identical(q) && p.Stated == q.Stated }); held >= 0 {
			plan.After[i].ID = gone[held].ID
			gone = slices.Delete(gone, held, held+1)
			continue
		}
		plan.Operations = append(plan.Operations, Operation[V]{Kind: Added, Results: []Period[V]{plan.After[i]}})
	}
	for _, p := range gone {
		plan.Operations = append(plan.Operations, Operation[V]{Kind: Removed, Existing: &p})
	}
	slices.SortStableFunc(plan.Operations, func(a, b Operation[V]) int { return cmp.Compare(a.From(), b.From()) })
	return plan, nil
}

func sameStatement[V comparable](p, q *Period[V]) bool {
	return equal(value(p), value(q)) && (p == nil || p.Stated == q.Stated)
}

// withDays adds the days of a range to periods, nil for none. They go on with the last
// period if they have its statement.
func withDays[V comparable](periods []Period[V], p *Period[V], d stretch) []Period[V] {
	if p == nil {
		return periods
	}
	if p.end() <= date.OrMax(d.Through) { // whether it ends with Max or is open-ended
		d.Through = p.Through
	}
	if last := len(periods) - 1; last >= 0 && periods[last].end()+1 == d.From && sameStatement(&periods[last], p) {
		periods[last].Through = d.Through
		return periods
	}
	return append(periods, p.Remainder(d.From, d.Through))
}

// withConflict adds a conflict, which may go on with the last one.
func withConflict(all []Conflict, c Conflict) []Conflict {
	if last := len(all) - 1; last >= 0 && all[last].Edit == c.Edit && all[last].Through != nil && *all[last].Through+1 == c.From {
		all[last].Through = c.Through
		return all
	}
	return append(all, c)
}
