package check

import (
	"fmt"

	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/problem"
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

// Period refuses a first day outside FirstDay and LastDay, and a last day before the first
// one. The last day may be any later one: other systems write 9999-12-31 for an open end.
func (p *Problems) Period(from date.Date, through *date.Date) {
	p.Day(&from, LastDay, "effectiveFrom")
	p.InOrder(&from, through, "effectiveFrom", "effectiveThrough")
}
