package insights

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
	"github.com/uplinehq/upline/internal/value"
)

// Parameter is a parameter of a report.
type Parameter struct {
	Name, Description string
	Type              value.Type
	Required          bool
	// Default is the value if none is given; DefaultText describes it for people if it
	// depends on the request.
	Default     func(r *Run) any
	DefaultText string
	// Allowed are all possible values; nil if they are not listed.
	Allowed []string
	// Least and Most limit an integer or a day, and Most the characters of a text; there
	// is no limit if Most is 0.
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
	products           = reference{"agency_product", "product"}
)

// Constant is a default that does not depend on the request.
func Constant(v any) func(*Run) any { return func(*Run) any { return v } }

// DefaultOf returns the default of a parameter in words; nil if it has none.
func (p Parameter) DefaultOf() *string {
	words := p.DefaultText
	if words == "" {
		if p.Default == nil {
			return nil
		}
		words = fmt.Sprint(p.Default(nil))
	}
	return &words
}

// Read reads a JSON value; ok is false if it is none of the parameter.
func (p Parameter) Read(given any) (v any, ok bool) {
	if v, ok = p.Type.Read(given); !ok {
		return nil, false
	}
	switch v := v.(type) {
	case string:
		ok = (p.Allowed == nil || slices.Contains(p.Allowed, v)) && (p.Most == 0 || utf8.RuneCountInString(v) <= p.Most)
	case int64:
		ok = p.Most == 0 || v >= int64(p.Least) && v <= int64(p.Most)
	case date.Date:
		ok = p.Most == 0 || v >= date.Date(p.Least) && v <= date.Date(p.Most)
	}
	return v, ok
}

// Form says what the values must be; it continues the name of the parameter.
func (p Parameter) Form() string {
	switch {
	case p.Allowed != nil:
		return "must be one of " + strings.Join(p.Allowed, ", ")
	case p.Most == 0:
		return p.Type.Form()
	case p.Type == value.Text:
		return fmt.Sprintf("must be a text of at most %d characters", p.Most)
	case p.Type == value.Date:
		return fmt.Sprintf("%s, from %s to %s", p.Type.Form(), date.Date(p.Least), date.Date(p.Most))
	}
	return fmt.Sprintf("%s from %d to %d", p.Type.Form(), p.Least, p.Most)
}

// refusal is the problem of a value that is none of the parameter.
func (p Parameter) refusal() *problem.Error {
	switch {
	case p.Allowed != nil:
		return problem.Invalid(problem.OutOfRange, p.Form()).With("allowed", p.Allowed)
	case p.Type == value.Integer && p.Most > 0:
		return problem.Invalid(problem.OutOfRange, p.Form()).With("min", p.Least).With("max", p.Most)
	}
	return problem.Invalid(problem.InvalidFormat, p.Form())
}

// readParameters reads the parameters that are given, and reports everything that is
// wrong together. A curated query ignores unknown ones ("unknown query parameters
// ignored", api "Query formats"). A report by definition refuses them ("bad parameters →
// 400 naming the parameter and listing what is allowed", api "Report recipe").
func (r *Run) readParameters(ctx context.Context, in Request) (refused problem.List, err error) {
	given, from, must := in.Parameters, argument, ""
	if r.Definition != nil {
		if given, err = r.asJSON(in); err != nil {
			return nil, err
		}
		from = in.Given()
	}
	r.values = map[string]any{}
	for _, p := range r.AllParameters() {
		v, wrong, err := r.parameter(ctx, p, given[p.Name])
		if err != nil {
			return nil, err
		}
		if r.Definition != nil {
			r.values[p.Name], must = nil, "; "+p.Form()
		}
		switch {
		case wrong != nil:
			refused.Add(wrong.Under(from, p.Name))
		case v == nil && p.Required:
			refused.Add(problem.Invalid(problem.Required, "is required"+must, from, p.Name))
		case v != nil:
			r.values[p.Name], r.given[p.Name] = v, true
		}
	}
	if r.Definition != nil {
		day, wrong := r.Definition.Day(in, r.Today)
		refused.Add(append(r.unknown(given, from), wrong)...)
		r.values[onDate.Name] = day
		if at := r.instant.At(); at != nil {
			r.values[asKnownAt.Name] = *at
		}
	}
	for _, p := range r.AllParameters() {
		if len(refused) == 0 && r.values[p.Name] == nil && p.Default != nil {
			if v := p.Default(r); v != nil {
				r.values[p.Name] = v
			}
		}
	}
	return refused, nil
}

// asJSON returns the parameters of a request for a report by definition as JSON values.
func (r *Run) asJSON(in Request) (map[string]any, error) {
	if in.Texts == nil {
		text, err := json.Marshal(in.Parameters)
		if err != nil {
			return nil, err
		}
		return value.Object(text)
	}
	given := maps.Clone(in.Texts)
	for _, p := range r.Parameters {
		if text, ok := given[p.Name].(string); ok {
			given[p.Name] = p.Type.FromText(text)
		}
	}
	return given, nil
}

// unknown refuses parameters that the report does not have.
func (r *Run) unknown(given map[string]any, from string) (refused problem.List) {
	names := make([]string, len(r.Parameters))
	for i, p := range r.Parameters {
		names[i] = p.Name
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			refused.Add(problem.Invalid(problem.UnknownField, "is not a parameter of this recipe", from, problem.NameOf(name)).With("allowed", names))
		}
	}
	return refused
}

// parameter reads the value of a parameter; nil for one that is not given.
func (r *Run) parameter(ctx context.Context, p Parameter, given any) (v any, refused *problem.Error, err error) {
	if given == nil {
		return nil, nil, nil
	}
	if r.Definition == nil {
		text, ok := plain(given)
		switch {
		case !ok:
			return nil, problem.Invalid(problem.InvalidFormat, "must be a single value"), nil
		case text == "": // is no agent, and not the whole agency
			return nil, problem.Invalid(problem.InvalidFormat, "must not be blank"), nil
		}
		given = p.Type.FromText(text)
	}
	v, ok := p.Read(given)
	if !ok {
		return nil, p.refusal(), nil
	}
	if p.Of.table != "" {
		refused, err = r.referred(ctx, p, v.(string))
	}
	return v, refused, err
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
func (r *Run) Int(name string) int { v, _ := r.values[name].(int64); return int(v) }

// Text returns a text parameter; see Day.
func (r *Run) Text(name string) string { v, _ := r.values[name].(string); return v }

// Parameter returns the value of a parameter of any type; nil for one that is neither.
func (r *Run) Parameter(name string) any { return r.values[name] }

// Given reports whether the request gives a parameter.
func (r *Run) Given(name string) bool { return r.given[name] }
