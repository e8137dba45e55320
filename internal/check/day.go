package check

import (
	"fmt"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
)

// FirstDay and LastDay bound the days that are recorded: "startDate: cannot be in the
// future or before 1900-01-01" (Resources, "Agent"). Days in other years are typing
// mistakes; one of them would stretch the history of an agency over millennia.
var FirstDay, LastDay = date.Of(1900, 1, 1), date.Of(2200, 12, 31)

// Day refuses a day before FirstDay or after latest; nil is no day.
func (p *Problems) Day(d *date.Date, latest date.Date, field ...string) {
	if d != nil && (*d < FirstDay || *d > latest) {
		p.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be from %s to %s", FirstDay, latest), field...).
			With("min", FirstDay.String()).With("max", latest.String()))
	}
}

// End is Day for the last day of something that is in force. It is before LastDay, so that
// what goes on behind it begins within the bounds, or 9999-12-31, which other systems write
// for an open end.
func (p *Problems) End(d *date.Date, field ...string) {
	if d != nil && *d != date.Max {
		p.Day(d, LastDay.AddDays(-1), field...)
	}
}

// Period refuses days of a period outside FirstDay and LastDay, and a last day before the
// first one.
func (p *Problems) Period(from date.Date, through *date.Date) {
	p.Day(&from, LastDay, "effectiveFrom")
	p.End(through, "effectiveThrough")
	p.InOrder(&from, through, "effectiveFrom", "effectiveThrough")
}
