package insights

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/money"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// defaultPageSize: "Business Insights paged queries pageSize: default 50; maximum
// set per query" (Limits).
const defaultPageSize = 50

// Request asks for a page of a curated query.
type Request struct {
	Slug string
	// Parameters are texts, numbers or booleans, by name.
	Parameters map[string]any
	// OnDate is the default of the parameter of this name; nil for today.
	OnDate *date.Date
	// Sort are clauses of the form "key [asc|desc]", separated by commas.
	Sort *string
	// First is the size of the page, Offset how many rows are skipped.
	First, Offset *int
}

// Run is a curated query being run.
type Run struct {
	Query  *Query
	Tenant *tenant.Tenant
	// Now is when, Today its day for the tenant.
	Now   time.Time
	Today date.Date

	q        store.Querier
	postgres bool
	caller   tenant.Caller
	onDate   date.Date
	team     int64
	values   map[string]any
	given    map[string]bool
	scope    scope
	sort     []sortClause
}

// Result is a page of a curated query.
type Result struct {
	*Query
	GeneratedAt time.Time
	// Parameters are those in force, defaults included.
	Parameters map[string]any
	Rows       []Row
	TotalCount int
	// Offset is how many rows come before the page.
	Offset int
}

// Insight runs a curated query.
func (s *Service) Insight(ctx context.Context, in Request) (*Result, error) {
	r, err := s.newRun(ctx, in)
	if err != nil {
		return nil, err
	}
	var refused problem.List
	first, offset := r.place(in, &refused)
	for _, check := range []func() error{
		func() error { return r.readParameters(ctx, in.Parameters) },
		func() error { return r.readSort(in.Sort) },
	} {
		err := check()
		problems := problem.From(err)
		if err != nil && problems == nil {
			return nil, err
		}
		refused.Add(problems...)
	}
	if err := refused.Err(); err != nil {
		return nil, err
	}
	if err := r.fits(ctx); err != nil {
		return nil, err
	}
	if ctx, err = r.sweeping(ctx); err != nil {
		return nil, err
	}
	result := &Result{Query: r.Query, GeneratedAt: r.Now, Parameters: r.values, Offset: offset}
	result.Rows, result.TotalCount, err = r.rows(ctx, first, offset)
	return result, err
}

func (s *Service) newRun(ctx context.Context, in Request) (*Run, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	now := s.clock.Now()
	r := &Run{Tenant: t, Now: now, Today: date.In(now, t.Zone), q: s.store, postgres: s.store.Postgres(), given: map[string]bool{}}
	r.caller, _ = tenant.CallerFrom(ctx)
	r.onDate = r.Today
	if in.OnDate != nil {
		r.onDate = *in.OnDate
	}
	var slugs []string
	for _, q := range queries {
		if slugs = append(slugs, q.Slug); q.Slug == in.Slug {
			r.Query = q
		}
	}
	if r.Query == nil {
		return nil, problem.Missing(problem.NotFoundCode, "There is no query of this name; there are "+strings.Join(slugs, ", "), "slug").With("allowed", slugs)
	}
	_, err := store.One(ctx, s.store, []any{&r.team}, "SELECT id FROM agency_team WHERE tenant_id = $1 AND name = 'default'", t.ID)
	return r, err
}

// place checks the size and the place of the page: "Page Size cannot exceed
// <max>; it is never silently truncated" (Errors, 2).
func (r *Run) place(in Request, refused *problem.List) (first, offset int) {
	first = defaultPageSize
	if in.First != nil {
		first = *in.First
	}
	if in.Offset != nil {
		offset = *in.Offset
	}
	switch {
	case first > r.Query.MaxPageSize:
		refused.Add(problem.Invalid(problem.PageSizeExceeded, fmt.Sprintf("Page Size cannot exceed %d", r.Query.MaxPageSize), "first").With("max", r.Query.MaxPageSize))
	case first < 1:
		refused.Add(problem.Invalid(problem.OutOfRange, "must be at least 1", "first"))
	}
	if offset < 0 {
		refused.Add(problem.Invalid(problem.OutOfRange, "must not be negative", "offset"))
	}
	return first, offset
}

// fits checks the parameters together.
func (r *Run) fits(ctx context.Context) error {
	if r.Query.Check != nil {
		if err := r.Query.Check(r); err != nil {
			return err
		}
	}
	return r.resolveScope(ctx)
}

func (r *Run) rows(ctx context.Context, first, offset int) ([]Row, int, error) {
	if r.Query.Make == nil {
		return r.read(ctx, first, offset)
	}
	all, err := r.Query.Make(ctx, r)
	if err != nil {
		return nil, 0, err
	}
	r.sortRows(all)
	return all[min(offset, len(all)):min(offset+first, len(all))], len(all), nil
}

// read reads a page of Core, and how many rows there are in all.
func (r *Run) read(ctx context.Context, first, offset int) (rows []Row, total int, err error) {
	s := r.page(first, offset)
	rows, err = store.Collect(ctx, r.q, func(row store.Scanner) (Row, error) { return r.scan(row, &total) }, s.Text(), s.Args()...)
	if err == nil && len(rows) == 0 && offset > 0 { // behind the last row
		var s store.SQL
		s.Write("SELECT count(*) FROM (")
		r.Query.Core(r, &s)
		_, err = store.One(ctx, r.q, []any{&total}, s.Write(") q").Text(), s.Args()...)
	}
	return rows, total, err
}

// page is the statement of a page of Core: the same text for all pages, so that it is
// prepared once.
func (r *Run) page(first, offset int) *store.SQL {
	s := new(store.SQL)
	s.Write("SELECT q.total")
	for _, k := range r.Query.Keys {
		s.Write(", q." + k)
	}
	for _, c := range r.Query.Columns {
		s.Write(", " + c.SQL)
	}
	order := r.orderBy("q.")
	s.Write(" FROM (SELECT q.*, count(*) OVER () AS total FROM (")
	r.Query.Core(r, s)
	s.Write(") q ORDER BY "+order+" LIMIT ? OFFSET ?) q", int64(first), int64(offset))
	if r.Query.Detail != nil {
		r.Query.Detail(r, s)
	}
	return s.Write(" ORDER BY " + order)
}

func (r *Run) scan(row store.Scanner, total *int) (made Row, err error) {
	made.Keys = make([]int64, len(r.Query.Keys))
	targets := []any{total}
	for i := range made.Keys {
		targets = append(targets, &made.Keys[i])
	}
	cells := make([]func() any, len(r.Query.Columns))
	for i, c := range r.Query.Columns {
		typ := c.Type
		if c.Of != "" {
			typ = c.Of
		}
		var target any
		target, cells[i] = cell(typ)
		targets = append(targets, target)
	}
	if err := row.Scan(targets...); err != nil {
		return Row{}, err
	}
	for i, c := range r.Query.Columns {
		v := cells[i]()
		if c.From != nil && v != nil {
			v = c.From(r, v)
		}
		made.Values = append(made.Values, v)
	}
	return made, nil
}

// cell returns where a value of a type is scanned to, and how it is read then.
func cell(typ ColumnType) (target any, value func() any) {
	switch typ {
	case Integer:
		return nullable[int64]()
	case Decimal:
		return nullable[money.Amount]()
	case Day:
		return nullable[date.Date]()
	case Boolean:
		return nullable[bool]()
	}
	return nullable[string]()
}

func nullable[T any]() (target any, value func() any) {
	var v *T
	return &v, func() any {
		if v == nil {
			return nil
		}
		return *v
	}
}
