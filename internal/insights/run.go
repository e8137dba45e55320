package insights

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/value"
)

// Run is a report being run.
type Run struct {
	*Report
	Tenant *tenant.Tenant
	// Now is when, Today its day for the tenant.
	Now   time.Time
	Today date.Date
	// Postgres reports whether it runs on PostgreSQL.
	Postgres bool

	q       store.Querier
	caller  tenant.Caller
	onDate  date.Date
	team    int64
	instant history.Known
	values  map[string]any
	given   map[string]bool
	scope   scope
	sort    []sortClause
	// prepared is what the definition has prepared.
	prepared string
}

// Insight runs a curated query.
func (s *Service) Insight(ctx context.Context, in Request) (*Result, error) {
	q, err := queryOf(in.Slug)
	if err != nil {
		return nil, err
	}
	return s.Run(ctx, q, in)
}

// Run makes a page of a report for the tenant of the context.
func (s *Service) Run(ctx context.Context, report *Report, in Request) (*Result, error) {
	r, err := s.newRun(ctx, report, in)
	if err == nil {
		err = r.readKnown(ctx, in)
	}
	if err != nil {
		return nil, err
	}
	ctx = visibility.AsKnown(ctx, r.asOf(r.Today))
	size, skipped, err := r.read(ctx, in)
	if err != nil {
		return nil, err
	}
	if ctx, err = r.sweeping(ctx); err != nil {
		return nil, err
	}
	return r.answer(ctx, in, size, skipped)
}

func (s *Service) newRun(ctx context.Context, report *Report, in Request) (*Run, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	now := s.clock.Now()
	r := &Run{Report: report, Tenant: t, Now: now, Today: date.In(now, t.Zone), Postgres: s.store.Postgres(), q: s.store, given: map[string]bool{}}
	r.caller, _ = tenant.CallerFrom(ctx)
	r.onDate = r.Today
	if in.DefaultDay != nil {
		r.onDate = *in.DefaultDay
	}
	if report.Definition != nil { // its statements find the team
		return r, nil
	}
	_, err := store.One(ctx, s.store, []any{&r.team}, "SELECT id FROM agency_team WHERE tenant_id = $1 AND name = 'default'", t.ID)
	return r, err
}

// read reads a request. What is wrong with its place, its parameters and its order is
// reported together; the place in a report by definition depends on the parameters, so it
// is read after them.
func (r *Run) read(ctx context.Context, in Request) (size, skipped int, err error) {
	var refused problem.List
	if r.Definition == nil {
		var tooLarge, misplaced *problem.Error
		size, tooLarge = in.Size(1, r.MaxPageSize)
		skipped, misplaced = in.Skipped()
		refused.Add(tooLarge, misplaced)
	}
	wrong, err := r.readParameters(ctx, in)
	if err != nil {
		return 0, 0, err
	}
	refused.Add(append(wrong, r.readSort(in.Sort))...)
	if err := refused.Err(); err != nil {
		return 0, 0, err
	}
	if r.Definition != nil {
		var tooLarge, misplaced *problem.Error
		size, tooLarge = in.Size(0, r.MaxPageSize)
		skipped, misplaced = r.place(in)
		refused.Add(tooLarge, misplaced)
		return size, skipped, refused.Err()
	}
	if r.Check != nil {
		if err := r.Check(r); err != nil {
			return 0, 0, err
		}
	}
	return size, skipped, r.resolveScope(ctx)
}

// answer reads or makes the rows of a page.
func (r *Run) answer(ctx context.Context, in Request, size, skipped int) (out *Result, err error) {
	out = &Result{Report: r.Report, GeneratedAt: r.Now, Parameters: r.values, HasPrev: skipped > 0}
	switch d := r.Definition; {
	case r.Make != nil:
		all, err := r.Make(ctx, r)
		if err != nil {
			return nil, err
		}
		r.sortRows(all)
		out.Rows, out.TotalCount = all[min(skipped, len(all)):min(skipped+size, len(all))], len(all)
		if r.Complete != nil {
			if out.Rows, err = r.Complete(ctx, r, out.Rows); err != nil {
				return nil, err
			}
		}
	case d == nil:
		if out.Rows, err = r.rows(ctx, size, skipped, &out.TotalCount); err == nil && len(out.Rows) == 0 && skipped > 0 { // behind the last row
			out.TotalCount, err = r.count(ctx)
		}
	default:
		if d.Prepare != nil {
			if r.prepared, err = d.Prepare(r, ctx); err != nil {
				return nil, err
			}
		}
		out.Rows, err = r.rows(ctx, min(size+1, max(d.Limit-skipped, 0)), skipped, nil)
		if out.HasNext = len(out.Rows) > size; out.HasNext {
			out.Rows = out.Rows[:size]
		}
		if n := len(out.Rows); n > 0 {
			out.Start, out.End = r.cursor(skipped+1), r.cursor(skipped+n)
		}
		if err == nil && in.Counted {
			out.TotalCount, err = r.count(ctx)
		}
		return out, err
	}
	out.HasNext = skipped+len(out.Rows) < out.TotalCount
	return out, err
}

// rows reads a page of Core, and with it how many rows there are in all, if total is not
// nil.
func (r *Run) rows(ctx context.Context, size, skipped int, total *int) ([]Row, error) {
	s := r.page(size, skipped)
	rows, err := store.Collect(ctx, r.q, func(row store.Scanner) (Row, error) { return r.scan(row, total) }, s.Text(), s.Args()...)
	if err != nil {
		return nil, fmt.Errorf("insights: run %s: %w", r.Slug, err)
	}
	return rows, nil
}

// count counts the rows of Core, as far as the limit.
func (r *Run) count(ctx context.Context) (total int, err error) {
	var s store.SQL
	s.Write("SELECT count(*) FROM (")
	r.Core(r, &s)
	if r.Definition != nil {
		s.Write(" LIMIT ?", int64(r.Definition.Limit))
	}
	_, err = store.One(ctx, r.q, []any{&total}, s.Write(") q").Text(), s.Args()...)
	return total, err
}

// page is the statement of a page of Core: the same text for all pages, so that it is
// prepared once.
func (r *Run) page(size, skipped int) *store.SQL {
	var columns []string
	total := ""
	if r.Definition == nil {
		columns, total = append(columns, "q.total"), ", count(*) OVER () AS total"
	}
	for _, k := range r.Keys {
		columns = append(columns, "q."+k)
	}
	for _, c := range r.Columns {
		columns = append(columns, c.SQL)
	}
	order := r.orderBy()
	s := new(store.SQL)
	s.Write("SELECT " + strings.Join(columns, ", ") + " FROM (SELECT q.*" + total + " FROM (")
	r.Core(r, s)
	s.Write(") q ORDER BY "+order+" LIMIT ? OFFSET ?) q", int64(size), int64(skipped))
	if r.Detail != nil {
		r.Detail(r, s)
	}
	return s.Write(" ORDER BY " + order)
}

func (r *Run) scan(row store.Scanner, total *int) (made Row, err error) {
	made = Row{Values: make([]any, len(r.Columns)), Keys: make([]int64, len(r.Keys))}
	var targets []any
	if total != nil {
		targets = append(targets, total)
	}
	for i := range made.Keys {
		targets = append(targets, &made.Keys[i])
	}
	for i := range made.Values {
		targets = append(targets, &made.Values[i])
	}
	if err := row.Scan(targets...); err != nil {
		return Row{}, err
	}
	for i, c := range r.Columns {
		v, err := cmp.Or(c.Of, c.Type).Stored(made.Values[i])
		if err != nil {
			return Row{}, fmt.Errorf("column %s: %w", c.Key, err)
		}
		if c.From != nil && v != nil {
			v = c.From(r, v)
		}
		made.Values[i] = v
	}
	return made, nil
}

// orderBy is the order in SQL: first what the request asks for, with missing values last,
// then the report's own.
func (r *Run) orderBy() string {
	var clauses []string
	for _, c := range r.sort {
		clauses = append(clauses, "q."+r.Columns[c.column].Sort+Direction(c.desc))
	}
	for _, column := range r.Order {
		clauses = append(clauses, "q."+column)
	}
	return strings.Join(clauses, ", ")
}

// Direction ends a clause of an order in SQL: missing values come last in both directions.
func Direction(desc bool) string {
	if desc {
		return " DESC NULLS LAST"
	}
	return " ASC NULLS LAST"
}

// sortRows is orderBy for rows that Make has made, in the query's own order.
func (r *Run) sortRows(rows []Row) {
	slices.SortStableFunc(rows, func(x, y Row) int {
		for _, c := range r.sort {
			a, b := x.Values[c.column], y.Values[c.column]
			n := 0
			switch {
			case a == nil || b == nil:
				n = strings.Compare(fmt.Sprint(a == nil), fmt.Sprint(b == nil))
			case c.desc:
				n = value.Compare(b, a)
			default:
				n = value.Compare(a, b)
			}
			if n != 0 {
				return n
			}
		}
		return 0
	})
}

// mark is what stands for an argument in a text of SQL.
var mark = regexp.MustCompile(`@[a-zA-Z]+`)

// theTeam finds the team within a statement.
const theTeam = "(SELECT t.id FROM agency_team t WHERE t.tenant_id = @tenant AND t.name = 'default')"

// Fill replaces the marks in a text of SQL: @tenant, @team, @today, and the names of
// parameters, such as @onDate. Each is one argument of the statement, however often it is
// marked.
func (r *Run) Fill(s *store.SQL, text string) string {
	return mark.ReplaceAllStringFunc(text, func(m string) string {
		v := r.values[m[1:]]
		switch m {
		case "@tenant":
			v = r.Tenant.ID
		case "@team":
			if v = r.team; r.Definition != nil {
				return r.Fill(s, theTeam)
			}
		case "@today":
			v = r.Today
		case "@prepared":
			v = r.prepared
		}
		placeholder := s.Named(m, v)
		if _, isDay := v.(date.Date); isDay && r.Postgres {
			placeholder += "::date"
		}
		return placeholder
	})
}

// Write continues a statement with a text that has marks.
func (r *Run) Write(s *store.SQL, text string) { s.Write(r.Fill(s, text)) }
