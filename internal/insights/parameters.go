package insights

import (
	"context"
	"fmt"
	"time"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

// The days that a parameter can be.
var firstDay, lastDay = int(check.FirstDay), int(check.LastDay)

// maxDays limits a range, so that a mistyped year does not query centuries.
const maxDays = 3660

// rangeParameters are the common parameters of queries about a range of days.
var rangeParameters = []Parameter{
	{Name: "from", Type: value.Date, Least: firstDay, Most: lastDay, Description: "First day.", DefaultText: "the first day of the month of through",
		Default: func(r *Run) any {
			t := r.through().Time()
			return date.Of(t.Year(), t.Month(), 1)
		}},
	{Name: "through", Type: value.Date, Least: firstDay, Most: lastDay, Description: "Last day; at most ten years after the first.", DefaultText: "today; from when that is later",
		Default: func(r *Run) any { return max(r.Today, r.Day("from")) }},
}

// interval is the common parameter of queries about the periods of a range.
var interval = Parameter{Name: "interval", Type: value.Text, Allowed: []string{"day", "week", "month", "quarter"}, Default: Constant("month"),
	Description: "How long a period is. Weeks begin on Monday (ISO 8601); the first and the last period are cut where the range is."}

func (r *Run) through() date.Date {
	if d, ok := r.values["through"].(date.Date); ok {
		return d
	}
	return r.Today
}

// checkRange refuses a range that ends before it begins, or is too long.
func checkRange(r *Run) error {
	switch days := r.Day("through") - r.Day("from"); {
	case days < 0:
		return problem.Invalid(problem.OutOfRange, "must not be before from", "parameters", "through")
	case days > maxDays:
		return problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be at most %d days after from", maxDays), "parameters", "through").With("max", maxDays)
	}
	return nil
}

// onDate is the common parameter of queries about a day.
var onDate = Parameter{Name: "onDate", Type: value.Date, Least: firstDay, Most: lastDay, Description: "The day.", DefaultText: "today", Default: func(r *Run) any { return r.onDate }}

// asKnownAt is the common parameter of the reports that answer as it was known.
var asKnownAt = Parameter{Name: "asKnownAt", Type: value.DateTime, Description: "As it was known at this instant.", DefaultText: "as it is known now"}

// readKnown reads the instant whose knowledge counts, before the other parameters, which are
// looked up as they were known. What is none is refused with these.
func (r *Run) readKnown(ctx context.Context, in Request) error {
	at := in.AsKnownAt
	if given := in.Parameters[asKnownAt.Name]; r.Definition == nil && given != nil {
		v, wrong, err := r.parameter(ctx, asKnownAt, given)
		if err != nil || wrong != nil {
			return err
		}
		instant := v.(time.Time)
		at = &instant
	}
	switch {
	case at == nil:
		return nil
	case r.OfNow != "":
		field := []string{asKnownAt.Name}
		if r.Definition == nil {
			field = []string{argument, asKnownAt.Name}
		}
		return problem.Invalid(problem.NotApplicable, "cannot be answered here: "+r.OfNow, field...)
	}
	r.instant = history.KnownAt(*at)
	return nil
}

// asOf is a day, as it was known at the instant that counts.
func (r *Run) asOf(day date.Date) history.AsOf { return history.AsOf{Day: day, Known: r.instant} }

// IsOfNow reports whether a run answers with what is known now, which the flattened
// hierarchy has of today.
func (r *Run) IsOfNow() bool { return r.instant.At() == nil }

// match is a parameter that selects rows with its value in a column.
type match struct{ parameter, column string }

// matching writes the conditions, each beginning with AND, for those parameters that are
// given.
func (r *Run) matching(s *store.SQL, matches ...match) {
	for _, m := range matches {
		if r.Given(m.parameter) {
			r.Write(s, " AND "+m.column+" = @"+m.parameter)
		}
	}
}

// licenceType writes the condition, beginning with AND, that a certification type is the
// one of the parameter type, or, if that is not given, has the category LICENSE.
func (r *Run) licenceType(s *store.SQL, column string) {
	if r.Given("type") {
		r.Write(s, " AND "+column+" = @type")
		return
	}
	r.Write(s, " AND "+column+" IN (SELECT y.code FROM agency_certification_type y WHERE y.tenant_id = @tenant AND y.category = 'LICENSE')")
}
