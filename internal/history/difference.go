package history

import (
	"slices"

	"github.com/uplinehq/upline/internal/date"
)

// Difference is a range of days on which two histories have different values; nil for
// none.
type Difference[V comparable] struct {
	From     date.Date
	Through  *date.Date
	Old, New *V
}

// Differences returns the ranges of days on which two histories differ, in order, each as
// long as it can be.
func Differences[V comparable](before, after []Period[V]) (all []Difference[V]) {
	var days []date.Date
	for _, p := range slices.Concat(before, after) {
		if days = append(days, p.From); p.Through != nil {
			days = append(days, p.Through.AddDays(1))
		}
	}
	slices.Sort(days)
	days = slices.Compact(days)
	for i, from := range days {
		var through *date.Date
		if i+1 < len(days) {
			through = new(days[i+1].AddDays(-1))
		}
		was, is := valueOn(before, from), valueOn(after, from)
		if equal(was, is) {
			continue
		}
		if last := len(all) - 1; last >= 0 && all[last].Through != nil && all[last].Through.AddDays(1) == from && equal(all[last].Old, was) && equal(all[last].New, is) {
			all[last].Through = through
			continue
		}
		all = append(all, Difference[V]{from, through, was, is})
	}
	return all
}

func valueOn[V comparable](periods []Period[V], day date.Date) *V {
	if p, ok := At(periods, day); ok {
		return &p.Value
	}
	return nil
}

func equal[V comparable](a, b *V) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// Overlaps reports whether the period has a day of a range; through is nil for no end.
func (p Period[V]) Overlaps(from date.Date, through *date.Date) bool {
	return (through == nil || p.From <= *through) && (p.Through == nil || *p.Through >= from)
}
