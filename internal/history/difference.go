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
	for _, d := range stretches(before, after) {
		was, is := value(on(before, d.From)), value(on(after, d.From))
		if equal(was, is) {
			continue
		}
		if last := len(all) - 1; last >= 0 && all[last].Through != nil && all[last].Through.AddDays(1) == d.From && equal(all[last].Old, was) && equal(all[last].New, is) {
			all[last].Through = d.Through
			continue
		}
		all = append(all, Difference[V]{d.From, d.Through, was, is})
	}
	return all
}

// stretch is a range of days.
type stretch struct {
	From    date.Date
	Through *date.Date
}

// stretches returns the ranges of days, in order, on each of which no period of the
// histories begins or ends.
func stretches[V comparable](histories ...[]Period[V]) (all []stretch) {
	var days []date.Date
	for _, p := range slices.Concat(histories...) {
		if days = append(days, p.From); p.Through != nil {
			days = append(days, p.Through.AddDays(1))
		}
	}
	slices.Sort(days)
	days = slices.Compact(days)
	for i, from := range days {
		all = append(all, stretch{From: from})
		if i+1 < len(days) {
			all[i].Through = new(days[i+1].AddDays(-1))
		}
	}
	return all
}

// on returns the period that covers a day, nil for none.
func on[V comparable](periods []Period[V], day date.Date) *Period[V] {
	if p, ok := At(periods, day); ok {
		return &p
	}
	return nil
}

func value[V comparable](p *Period[V]) *V {
	if p == nil {
		return nil
	}
	return &p.Value
}

func equal[V comparable](a, b *V) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// Overlaps reports whether the period has a day of a range; through is nil for no end.
func (p Period[V]) Overlaps(from date.Date, through *date.Date) bool {
	return (through == nil || p.From <= *through) && (p.Through == nil || *p.Through >= from)
}
