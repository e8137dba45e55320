package recipe

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

// report compiles the definition of a recipe. Values of callers and recipes become
// arguments of the statement only; names have been looked up in the catalogue.
func (d *definition) report(of *Recipe) *insights.Report {
	report := &insights.Report{Slug: of.UID, Title: of.Name, Parameters: d.parameters, MaxPageSize: maxPage, Core: d.core, OfNow: d.dataset.ofNow,
		Definition: &insights.Definition{Version: fmt.Sprintf("%s/%d", of.UID, of.Version), Limit: d.limit, Day: d.day, Prepare: d.dataset.prepare}}
	for i, c := range d.columns {
		out := c.output("q.c" + strconv.Itoa(i))
		out.Measure = out.Key == d.chart
		report.Columns = append(report.Columns, out)
	}
	for i, o := range d.order(false) {
		report.Order = append(report.Order, "o"+strconv.Itoa(i)+insights.Direction(o.desc))
	}
	return report
}

// output is a column with a name in the statement. Sums are read as text, since they can
// be larger than an integer.
func (c column) output(name string) insights.Column {
	out := insights.Column{Key: c.key(), Label: c.label, Type: c.typ(), Format: c.format, SQL: name}
	if c.aggregate == sumOf || c.aggregate == avgOf {
		out.SQL = "CAST(" + name + " AS text)"
	}
	if c.aggregate == avgOf && c.Type == value.Decimal { // in hundredths of hundredths
		out.From = func(_ *insights.Run, v any) any { return v.(*money.Sum).Decimals(4) }
	}
	return out
}

// day returns the day of a run.
func (d *definition) day(in insights.Request, today date.Date) (date.Date, *problem.Error) {
	given := cmp.Or(in.OnDate, in.DefaultDay)
	if own, err := date.Parse(d.asOf); err == nil {
		if in.OnDate != nil && *in.OnDate != own {
			return own, problem.Invalid(problem.NotApplicable, "The recipe has a day of its own", "onDate")
		}
		return own, nil
	}
	switch {
	case given != nil:
		return *given, nil
	case d.asOf == asOfParameter:
		return today, problem.Invalid(problem.Required, "is required by this recipe", "onDate")
	}
	return today, nil
}

// core writes the SELECT of all rows: the columns as c0, c1 …, and what they are ordered
// by as o0, o1 ….
func (d *definition) core(r *insights.Run, s *store.SQL) {
	used := append([]expression(nil), d.groupBy...)
	var selected []string
	for i, c := range d.columns {
		used = append(used, c.expression)
		selected = append(selected, c.sql(r.Postgres)+" AS c"+strconv.Itoa(i))
	}
	for i, o := range d.order(r.Postgres) {
		selected = append(selected, o.sql+" AS o"+strconv.Itoa(i))
	}
	for _, by := range d.sort {
		used = append(used, by.expression)
	}
	for _, f := range d.filters {
		used = append(used, expression{f.Field, noAggregate})
	}
	from := d.dataset.from
	if r.Day("onDate") == r.Today && r.IsOfNow() {
		from = cmp.Or(d.dataset.today, from)
	}
	if !r.Postgres {
		from = cmp.Or(d.dataset.sqlite, from)
	}
	r.Write(s, "SELECT "+strings.Join(selected, ", ")+" FROM "+from+d.dataset.joined(used)+" WHERE "+d.dataset.where)
	for _, f := range d.filters {
		(&statement{r, s}).filter(f)
	}
	for i, g := range d.groupBy {
		r.Write(s, []string{" GROUP BY ", ", "}[min(i, 1)]+g.sql(r.Postgres))
	}
}

// sql is the expression in SQL.
func (e expression) sql(postgres bool) string {
	field := e.on(postgres)
	switch e.aggregate {
	case countOf:
		return "count(" + field + ")"
	case countDistinct:
		return "count(DISTINCT " + field + ")"
	case sumOf:
		if e.Type == value.Decimal {
			return store.Sum(postgres, field)
		}
		return "sum(" + field + ")" // of small numbers
	case avgOf:
		return store.Average(postgres, field)
	case minOf, maxOf:
		if e.Type == value.Text {
			field = bytewise(postgres, field)
		}
		return e.aggregate + "(" + field + ")"
	}
	return field
}

// bytewise is a text that compares by its bytes, as all texts do on SQLite.
func bytewise(postgres bool, text string) string {
	if postgres {
		return "(" + text + ` COLLATE "C")`
	}
	return text
}

// folded is a text in lower case, for ASCII letters only: lower() changes no others on
// SQLite, and with this collation on PostgreSQL.
func folded(postgres bool, text string) string { return "lower(" + bytewise(postgres, text) + ")" }

// clause is a clause of the order in SQL.
type clause struct {
	sql  string
	desc bool
}

// order are the clauses of the order. Rows without a value come last in both directions;
// the case of ASCII letters is ignored. The last clause differs for each row, so that all
// pages have the same order.
func (d *definition) order(postgres bool) (clauses []clause) {
	by := d.sort
	for _, g := range d.groupBy {
		by = append(by, sorting{g, false})
	}
	for _, e := range by {
		sql := e.sql(postgres)
		if e.typ() == value.Text {
			clauses = append(clauses, clause{folded(postgres, sql), e.desc})
			sql = bytewise(postgres, sql)
		}
		clauses = append(clauses, clause{sql, e.desc})
	}
	switch {
	case !d.grouped():
		for _, key := range d.dataset.key {
			clauses = append(clauses, clause{key, false})
		}
	case len(clauses) == 0:
		clauses = append(clauses, clause{"count(*)", false}) // one row
	}
	return clauses
}
