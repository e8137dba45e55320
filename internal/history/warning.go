package history

import (
	"fmt"

	"github.com/uplinehq/upline/internal/date"
)

// WarningCode names a consequence that may surprise the caller. The values are those of
// the GraphQL enum PeriodWarningCode.
type WarningCode string

// The warnings that Apply gives.
const (
	// FuturePeriodsRemoved: an open-ended period removes periods that start
	// after it, today or later.
	FuturePeriodsRemoved WarningCode = "FUTURE_PERIODS_REMOVED"
	// SplitSameValue: a period with the same value is split or shortened. "When
	// effectiveFrom is omitted on an update it defaults to today, which may split the
	// existing status period at today's date even though the status is unchanged"
	// (specification, Certifications).
	SplitSameValue WarningCode = "SPLIT_SAME_VALUE"
	// BackdatedBeforeToday: the period starts before today.
	BackdatedBeforeToday WarningCode = "BACKDATED_BEFORE_TODAY"
	// GapBeforePeriod: there are days without a period between the previous period and
	// the new one.
	GapBeforePeriod WarningCode = "GAP_BEFORE_PERIOD"
)

// The warnings that areas add, because they depend on the kind of value.
const (
	// AffectsCommissionEligibility: a certification status or pay status is
	// changed in the past.
	AffectsCommissionEligibility WarningCode = "AFFECTS_COMMISSION_ELIGIBILITY"
	// HierarchyRebuildRequired: an upline changes.
	HierarchyRebuildRequired WarningCode = "HIERARCHY_REBUILD_REQUIRED"
)

// Warning is one consequence of a plan. It does not stop the plan.
type Warning struct {
	Code WarningCode
	// Message is for people. It holds dates and counts, never a value.
	Message string
}

// warnings returns the warnings about a plan that adds the applied period.
func warnings[V comparable](plan Plan[V], applied Period[V], today date.Date) []Warning {
	var found []Warning
	warn := func(code WarningCode, format string, args ...any) {
		found = append(found, Warning{Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if n := futureRemoved(plan.Operations, applied, today); n > 0 {
		warn(FuturePeriodsRemoved, "The new period is open-ended: periods that start after it will be removed (%d).", n)
	}
	if cutsSameValue(plan.Operations, applied.Value) {
		warn(SplitSameValue, "A period with the same value will be divided at the new period.")
	}
	if applied.From < today {
		warn(BackdatedBeforeToday, "The new period starts before today, %s.", today)
	}
	if from, through, ok := gapBefore(plan.After, applied.From); ok {
		warn(GapBeforePeriod, "No period will hold from %s through %s.", from, through)
	}
	return found
}

// futureRemoved counts the removed periods of FuturePeriodsRemoved.
func futureRemoved[V comparable](ops []Operation[V], applied Period[V], today date.Date) int {
	if applied.Through != nil {
		return 0
	}
	n := 0
	for _, o := range ops {
		if o.Kind == Removed && o.Existing.From > applied.From && o.Existing.From >= today {
			n++
		}
	}
	return n
}

// cutsSameValue reports whether a period with the value is split or shortened.
func cutsSameValue[V comparable](ops []Operation[V], value V) bool {
	for _, o := range ops {
		if (o.Kind == Split || o.Kind == Shortened) && o.Existing.Value == value {
			return true
		}
	}
	return false
}

// gapBefore returns the days without a period before the one that starts at start. There
// is no gap before the first period of a history. The periods are ordered by From.
func gapBefore[V comparable](periods []Period[V], start date.Date) (from, through date.Date, ok bool) {
	for i := 1; i < len(periods); i++ {
		if periods[i].From == start {
			from, through = periods[i-1].end().AddDays(1), start.AddDays(-1)
			return from, through, from <= through
		}
	}
	return 0, 0, false
}
