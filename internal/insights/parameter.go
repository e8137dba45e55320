package insights

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/check"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/text"
)

// ParameterType is the type of a parameter's values.
type ParameterType string

// The types of parameters, as the catalogue names them.
const (
	TextParameter    ParameterType = "text"
	IntegerParameter ParameterType = "integer"
	DayParameter     ParameterType = "date"
)

// Parameter is a parameter of a curated query.
type Parameter struct {
	Name, Description string
	Type              ParameterType
	Required          bool
	// Default is the value if none is given; DefaultText describes it for people if it
	// depends on the request.
	Default     func(r *Run) any
	DefaultText string
	// Allowed are all possible values; nil if they are not listed.
	Allowed []string
	// Least and Most limit an integer.
	Least, Most int
	// Of is a table of reference data whose codes are the values; Also are further
	// values.
	Of   reference
	Also []string
}

// reference is a table of reference data.
type reference struct{ table, noun string }

var (
	providerCompanies  = reference{"agency_provider_company", "provider company"}
	certificationTypes = reference{"agency_certification_type", "certification type"}
	jurisdictions      = reference{"agency_jurisdiction", "jurisdiction"}
)

func constant(v any) func(*Run) any { return func(*Run) any { return v } }

// readParameters reads the parameters that are given; unknown ones are ignored ("unknown
// query parameters ignored", api "Query formats"). Everything that is wrong is reported
// together.
func (r *Run) readParameters(ctx context.Context, given map[string]any) error {
	var refused problem.List
	r.values = map[string]any{}
	for _, p := range r.Query.AllParameters() {
		var (
			v any
			e *problem.Error
		)
		if text, ok := plain(given[p.Name]); given[p.Name] != nil && !ok {
			e = problem.Invalid(problem.InvalidFormat, "must be a single value")
		} else if text != "" {
			v, e = p.parse(text)
		} else if given[p.Name] != nil { // "" is no agent, and not the whole agency
			e = problem.Invalid(problem.InvalidFormat, "must not be blank")
		}
		if v != nil && e == nil && p.Of.table != "" {
			var err error
			if e, err = r.referred(ctx, p, v.(string)); err != nil {
				return err
			}
		}
		if e != nil {
			refused.Add(e.Under("parameters", p.Name))
		} else if v == nil && p.Required {
			refused.Add(problem.Invalid(problem.Required, "is required", "parameters", p.Name))
		} else if v != nil {
			r.values[p.Name], r.given[p.Name] = v, true
		}
	}
	if err := refused.Err(); err != nil {
		return err
	}
	for _, p := range r.Query.AllParameters() {
		if r.values[p.Name] == nil && p.Default != nil {
			if v := p.Default(r); v != nil {
				r.values[p.Name] = v
			}
		}
	}
	return nil
}

// plain returns the text of a parameter, which REST gives as text and GraphQL as JSON.
func plain(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return text.Trim(v), true
	case json.Number:
		return v.String(), true
	case int, int64, bool:
		return fmt.Sprint(v), true
	}
	return "", false
}

func (p Parameter) parse(given string) (any, *problem.Error) {
	switch {
	case p.Allowed != nil:
		if !slices.Contains(p.Allowed, given) {
			return nil, problem.Invalid(problem.OutOfRange, "must be one of "+strings.Join(p.Allowed, ", ")).With("allowed", p.Allowed)
		}
	case p.Type == IntegerParameter:
		n, err := strconv.Atoi(given)
		if err != nil || n < p.Least || n > p.Most {
			return nil, problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be an integer from %d to %d", p.Least, p.Most)).With("min", p.Least).With("max", p.Most)
		}
		return n, nil
	case p.Type == DayParameter:
		d, err := date.Parse(given)
		if err != nil || d < check.FirstDay || d > check.LastDay {
			return nil, problem.Invalid(problem.InvalidFormat, "must be a date in the form YYYY-MM-DD, from "+check.FirstDay.String()+" to "+check.LastDay.String())
		}
		return d, nil
	case !text.Fit(given):
		return nil, problem.Invalid(problem.InvalidFormat, text.ErrUnfit.Error())
	}
	return given, nil
}

// maxAllowed is how many values a refusal lists.
const maxAllowed = 100

// referred refuses a code that the agency has not configured.
func (r *Run) referred(ctx context.Context, p Parameter, code string) (*problem.Error, error) {
	if slices.Contains(p.Also, code) {
		return nil, nil
	}
	codes, err := store.Collect(ctx, r.q, store.ScanOne[string], "SELECT code FROM "+p.Of.table+" WHERE tenant_id = $1 ORDER BY code", r.Tenant.ID)
	if err != nil || slices.Contains(codes, code) {
		return nil, err
	}
	must := "must be " + strings.Join(append(slices.Clone(p.Also), "the code of a configured "+p.Of.noun), " or ")
	if len(codes) > maxAllowed {
		return problem.Invalid(problem.OutOfRange, must), nil
	}
	return problem.Invalid(problem.OutOfRange, must+": "+strings.Join(codes, ", ")).With("allowed", slices.Concat(p.Also, codes)), nil
}

// Day returns a date that is given or a default. Like Int and Text, it returns the zero
// value for a parameter that is neither.
func (r *Run) Day(name string) date.Date { v, _ := r.values[name].(date.Date); return v }

// Int returns an integer parameter; see Day.
func (r *Run) Int(name string) int { v, _ := r.values[name].(int); return v }

// Text returns a text parameter; see Day.
func (r *Run) Text(name string) string { v, _ := r.values[name].(string); return v }

// Given reports whether the request gives a parameter.
func (r *Run) Given(name string) bool { return r.given[name] }

// maxDays limits a range, so that a mistyped year does not query centuries.
const maxDays = 3660

// rangeParameters are the common parameters of queries about a range of days.
var rangeParameters = []Parameter{
	{Name: "from", Type: DayParameter, Description: "First day.", DefaultText: "the first day of the month of through",
		Default: func(r *Run) any {
			t := r.through().Time()
			return date.Of(t.Year(), t.Month(), 1)
		}},
	{Name: "through", Type: DayParameter, Description: "Last day; at most ten years after the first.", DefaultText: "today; from when that is later",
		Default: func(r *Run) any { return max(r.Today, r.Day("from")) }},
}

// interval is the common parameter of queries about the periods of a range.
var interval = Parameter{Name: "interval", Type: TextParameter, Allowed: []string{"day", "week", "month", "quarter"}, Default: constant("month"),
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
var onDate = Parameter{Name: "onDate", Type: DayParameter, Description: "The day.", DefaultText: "today", Default: func(r *Run) any { return r.onDate }}

// match is a parameter that selects rows with its value in a column.
type match struct{ parameter, column string }

// matching writes the conditions, each beginning with AND, for those parameters that are
// given.
func (r *Run) matching(s *store.SQL, matches ...match) {
	for _, m := range matches {
		if r.Given(m.parameter) {
			s.Write(" AND "+m.column+" = ?", r.Text(m.parameter))
		}
	}
}

// licenceType writes the condition, beginning with AND, that a certification type is the
// one of the parameter type, or, if that is not given, has the category LICENSE.
func (r *Run) licenceType(s *store.SQL, column string) {
	if r.Given("type") {
		s.Write(" AND "+column+" = ?", r.Text("type"))
		return
	}
	s.Write(" AND "+column+" IN (SELECT y.code FROM agency_certification_type y WHERE y.tenant_id = ? AND y.category = 'LICENSE')", r.Tenant.ID)
}
