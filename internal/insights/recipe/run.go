package recipe

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/clock"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/money"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Run are the arguments of a run.
type Run struct {
	// Parameters are by name, as JSON values; Texts are the same as texts of a URL. Only
	// one of the two is given.
	Parameters, Texts map[string]any
	// OnDate is the day of the report, for a recipe without a day of its own; nil for the
	// tenant's today.
	OnDate *date.Date
	// DefaultDay replaces OnDate if that is nil, for a recipe that takes a day; nil for
	// none.
	DefaultDay *date.Date
	First      *int
	After      *string
	// Offset is how many rows to skip, if After is not given.
	Offset *int
	// Counted asks for TotalCount.
	Counted bool
}

// Report is a page of the result of a recipe.
type Report struct {
	GeneratedAt time.Time
	// Parameters are the parameters of the run, onDate among them.
	Parameters map[string]any
	Columns    []ReportColumn
	// Rows are JSON objects, by the keys of the columns.
	Rows             []json.RawMessage
	HasNext, HasPrev bool
	Start, End       *string
	// TotalCount is the number of rows on all pages, 0 unless it was asked for.
	TotalCount int
}

// ReportColumn is a column of a report.
type ReportColumn struct{ Key, Label, Type, Format string }

// The arguments of a run.
const (
	argumentParameters = "tenantParameters"
	argumentTexts      = "parameterTexts"
	dayParameter       = "onDate"
)

// skipped is how many rows a run skips.
func (in Run) skipped() (int, error) {
	switch {
	case in.Offset == nil:
		return 0, nil
	case *in.Offset < 0:
		return 0, problem.Invalid(problem.OutOfRange, "must not be negative", "offset")
	case in.After != nil:
		return 0, problem.Invalid(problem.OutOfRange, "offset goes with first only, not with after", "offset")
	}
	return *in.Offset, nil
}

// named puts a problem of a parameter below the argument that gave it.
func (in Run) named(err error) error {
	problems := problem.From(err)
	if in.Texts == nil || problems == nil {
		return err
	}
	for i, p := range problems {
		if len(p.Field) > 0 && p.Field[0] == argumentParameters {
			e := *p
			e.Field = append([]string{argumentTexts}, p.Field[1:]...)
			problems[i] = &e
		}
	}
	return problems
}

// Run makes a page of a report for the tenant in ctx. It checks the definition again,
// since a field may have been removed after it was stored. A caller needs the scope of
// the dataset.
func (r *Service) Run(ctx context.Context, recipe *Recipe, in Run) (*Report, error) {
	report, err := r.run(ctx, recipe, in)
	return report, in.named(err)
}

func (r *Service) run(ctx context.Context, recipe *Recipe, in Run) (*Report, error) {
	t := tenant.From(ctx)
	if t == nil || t == tenant.Platform {
		return nil, tenant.ErrNone
	}
	definition, err := decode(recipe.Definition)
	if err != nil {
		return nil, fmt.Errorf("recipe: definition of %s: %w", recipe.UID, err)
	}
	rows, err := pageSize(in.First)
	if err != nil {
		return nil, err
	}
	if in.Parameters != nil && in.Texts != nil {
		return nil, problem.Invalid(problem.NotApplicable, "goes without "+argumentParameters, argumentTexts)
	}
	if recipe.Dataset == savedQuery {
		if in.First == nil { // the tenant's lists allow no more
			rows = min(rows, t.MaxPageSize)
		}
		return r.runQuery(ctx, definition, in, rows)
	}
	dataset := datasetOf(recipe.Dataset)
	if dataset == nil {
		return nil, problem.List{unknownDataset()}
	}
	d, refused := parse(dataset, definition)
	if err := refused.Err(); err != nil {
		return nil, err
	}
	if err := mayRead(ctx, dataset); err != nil {
		return nil, err
	}
	q := &question{dataset: dataset, d: d, postgres: r.store.Postgres(), tenantID: t.ID}
	if err := q.answerFor(in, clock.Today(r.clock, t.Zone)); err != nil {
		return nil, err
	}
	return r.report(ctx, recipe, q, in, rows)
}

// mayRead refuses a caller whose token may not read the dataset.
func mayRead(ctx context.Context, d *Dataset) error {
	caller, ok := tenant.CallerFrom(ctx)
	if ok && caller.HasScope(d.Scope) {
		return nil
	}
	return (&problem.Error{Scope: d.Scope, Category: problem.Forbidden, Code: problem.ForbiddenCode,
		Message: "The token does not hold the scope " + d.Scope + ", which the dataset needs"}).With("requiredScope", d.Scope)
}

func pageSize(first *int) (int, error) {
	switch {
	case first == nil:
		return defaultPage, nil
	case *first > maxPage:
		return 0, problem.Invalid(problem.PageSizeExceeded, fmt.Sprintf("Page Size cannot exceed %d", maxPage), "first").With("max", maxPage)
	case *first < 0:
		return 0, problem.Invalid(problem.OutOfRange, "must not be negative", "first")
	}
	return *first, nil
}

// answerFor sets the day and the parameters of a run.
func (q *question) answerFor(in Run, today date.Date) error {
	given, _, err := normal(in.Parameters)
	if err != nil {
		return err
	}
	if in.Texts != nil {
		given = q.fromTexts(in.Texts)
	}
	refused := q.parameters(given)
	onDate := cmp.Or(in.OnDate, in.DefaultDay)
	q.day = today
	if onDate != nil {
		q.day = *onDate
	}
	switch q.d.AsOf {
	case asOfToday:
	case asOfParameter:
		if onDate == nil {
			refused.Add(problem.Invalid(problem.Required, "is required by this recipe", dayParameter))
		}
	default:
		q.day, _ = date.Parse(q.d.AsOf) // was checked
		if in.OnDate != nil && *in.OnDate != q.day {
			refused.Add(problem.Invalid(problem.NotApplicable, "The recipe has a day of its own", dayParameter))
		}
	}
	q.isToday = q.day == today
	return refused.Err()
}

// fromTexts returns the parameters that texts stand for. A text that stands for no value
// stays as it is, and is refused by parameters.
func (q *question) fromTexts(texts map[string]any) map[string]any {
	given := maps.Clone(texts)
	for _, p := range q.d.Parameters {
		text, ok := texts[p.Name].(string)
		switch {
		case ok && p.Type == IntField:
			given[p.Name] = json.Number(text)
		case ok && p.Type == BooleanField && (text == "true" || text == "false"):
			given[p.Name] = text == "true"
		}
	}
	return given
}

// parameters reads the parameters of a run: "bad parameters → 400 naming the parameter
// and listing what is allowed".
func (q *question) parameters(given map[string]any) (refused problem.List) {
	q.values = make(map[string]any, len(q.d.Parameters))
	names := make([]string, len(q.d.Parameters))
	for i, p := range q.d.Parameters {
		names[i] = p.Name
		v := given[p.Name]
		value, ok := p.Type.read(v)
		switch {
		case v == nil && p.Required:
			refused.Add(problem.Invalid(problem.Required, "is required; "+forms[p.Type], argumentParameters, p.Name))
		case v == nil:
			q.values[p.Name] = p.Default
		case !ok:
			refused.Add(problem.Invalid(problem.InvalidFormat, forms[p.Type], argumentParameters, p.Name))
		default:
			q.values[p.Name] = value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(names, name) {
			continue
		}
		if !propertyForm.MatchString(name) {
			name = "?"
		}
		refused.Add(problem.Invalid(problem.UnknownField, "is not a parameter of this recipe", argumentParameters, name).With("allowed", names))
	}
	return refused
}

func (r *Service) report(ctx context.Context, recipe *Recipe, q *question, in Run, size int) (*Report, error) {
	list := cursorOf(recipe, q)
	skipped, err := in.skipped()
	if err != nil {
		return nil, err
	}
	if in.After != nil {
		if skipped, err = list.read(*in.After); err != nil {
			return nil, err
		}
	}
	keys, types := make([]string, len(q.d.Columns)), make([]outputType, len(q.d.Columns))
	out := &Report{GeneratedAt: r.clock.Now(), Parameters: q.answered(), Rows: []json.RawMessage{}, HasPrev: skipped > 0}
	for i, c := range q.d.Columns {
		keys[i], types[i] = c.key(), c.output(q.dataset.field(c.Field))
		out.Columns = append(out.Columns, ReportColumn{keys[i], c.Label, string(types[i].FieldType), c.Format})
	}
	left := max(q.d.Limit-skipped, 0)
	text, args := q.page(min(size+1, left), skipped)
	if out.Rows, err = store.Collect(ctx, r.store, scanRow(keys, types), text, args...); err != nil {
		return nil, fmt.Errorf("recipe: run %s: %w", recipe.UID, err)
	}
	if out.HasNext = len(out.Rows) > size; out.HasNext {
		out.Rows = out.Rows[:size]
	}
	if n := len(out.Rows); n > 0 {
		out.Start, out.End = list.write(skipped+1), list.write(skipped+n)
	}
	if in.Counted {
		text, args := q.count()
		if _, err := store.One(ctx, r.store, []any{&out.TotalCount}, text, args...); err != nil {
			return nil, fmt.Errorf("recipe: count %s: %w", recipe.UID, err)
		}
	}
	return out, nil
}

// answered are the parameters of the run, as JSON values.
func (q *question) answered() map[string]any {
	all := map[string]any{dayParameter: q.day.String()}
	for name, v := range q.values {
		p := q.d.parameter(name)
		if v != nil && p.Type == DecimalField {
			v = money.Amount(v.(int64)).String()
		}
		if at, ok := v.(time.Time); ok {
			v = at.Format(time.RFC3339Nano)
		}
		if d, ok := v.(date.Date); ok {
			v = d.String()
		}
		all[name] = v
	}
	return all
}
