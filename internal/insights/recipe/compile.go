package recipe

import (
	"strings"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
)

// question is a definition with everything that a run adds. Values of callers and recipes
// become arguments of the statement only; names have been looked up in the catalogue.
type question struct {
	dataset  *Dataset
	d        *Definition
	postgres bool
	tenantID int64
	day      date.Date
	// isToday reports whether day is the tenant's today.
	isToday bool
	// values are the values of the parameters; nil for one that was not given.
	values map[string]any
}

// shown is the expression of a column, or of a sort clause.
type shown struct {
	sql string
	typ FieldType
}

// statement is a question that is being turned into SQL.
type statement struct {
	*question
	s store.SQL
	// dayArgument and tenantArgument are the placeholders of these, once they are used:
	// PostgreSQL refuses unused arguments.
	dayArgument, tenantArgument string
	// groups are the expressions that rows are grouped by.
	groups []shown
}

func (q *question) begin() *statement {
	st := &statement{question: q}
	for _, name := range q.d.GroupBy {
		st.groups = append(st.groups, st.field(name))
	}
	return st
}

func (st *statement) field(name string) shown {
	f := st.dataset.field(name)
	return shown{st.fill(f.expression(st.postgres)), f.Type}
}

// fill replaces the placeholders in a text of the catalogue.
func (st *statement) fill(text string) string {
	if !strings.Contains(text, "@") {
		return text
	}
	if st.tenantArgument == "" {
		st.tenantArgument = st.s.Arg(st.tenantID)
	}
	if st.dayArgument == "" && strings.Contains(text, "@day") {
		if st.dayArgument = st.s.Arg(st.day); st.postgres {
			st.dayArgument += "::date"
		}
	}
	team := "(SELECT t.id FROM agency_team t WHERE t.tenant_id = " + st.tenantArgument + " AND t.name = 'default')"
	return strings.NewReplacer("@day", st.dayArgument, "@tenant", st.tenantArgument, "@team", team).Replace(text)
}

// page returns the statement for the rows of a page: that many rows, after that many
// skipped ones.
func (q *question) page(rows, skipped int) (text string, args []any) {
	st := q.begin()
	columns := make([]string, len(q.d.Columns))
	for i, c := range q.d.Columns {
		columns[i] = st.output(st.column(c), c.Aggregate)
	}
	st.s.Write("SELECT " + strings.Join(columns, ", "))
	st.rest()
	st.s.Write(" ORDER BY " + strings.Join(st.order(), ", "))
	st.s.Write(" LIMIT ? OFFSET ?", int64(rows), int64(skipped))
	return st.s.Text(), st.s.Args()
}

// count returns the statement that counts the rows of all pages.
func (q *question) count() (text string, args []any) {
	st := q.begin()
	one := "1 AS one"
	if q.d.grouped() {
		one = "count(*) AS one"
	}
	st.s.Write("SELECT count(*) FROM (SELECT " + one)
	st.rest()
	st.s.Write(" LIMIT ?) counted", int64(q.d.Limit))
	return st.s.Text(), st.s.Args()
}

// rest writes what both statements share: FROM, WHERE and GROUP BY.
func (st *statement) rest() {
	from := st.dataset.from
	if st.isToday && st.dataset.today != "" {
		from = st.dataset.today
	}
	st.s.Write(st.fill(" FROM " + from + st.dataset.joined(st.fields()) + " WHERE " + st.dataset.where))
	for _, f := range st.d.Filters {
		st.filter(f)
	}
	for i, g := range st.groups {
		st.s.Write([]string{" GROUP BY ", ", "}[min(i, 1)] + g.sql)
	}
}

// fields are all fields that the definition names.
func (st *statement) fields() []*Field {
	var fields []*Field
	add := func(name string) {
		if f := st.dataset.field(name); f != nil {
			fields = append(fields, f)
		}
	}
	for _, c := range st.d.Columns {
		add(c.Field)
	}
	for _, f := range st.d.Filters {
		add(f.Field)
	}
	for _, name := range st.d.GroupBy {
		add(name)
	}
	for _, s := range st.d.Sort {
		add(s.Field) // the key of an aggregate is no field
	}
	return fields
}

// column is the expression of a column for comparisons and order.
func (st *statement) column(c Column) shown {
	f := st.field(c.Field)
	e := f.sql
	switch c.Aggregate {
	case countOf:
		return shown{"count(" + e + ")", IntField}
	case countDistinct:
		return shown{"count(DISTINCT " + e + ")", IntField}
	case sumOf:
		if f.typ == DecimalField {
			return shown{store.Sum(st.postgres, e), f.typ}
		}
		return shown{"sum(" + e + ")", f.typ} // of small numbers
	case avgOf:
		return shown{store.Average(st.postgres, e), DecimalField}
	case minOf, maxOf:
		if f.typ == StringField {
			e = st.bytewise(e)
		}
		return shown{c.Aggregate + "(" + e + ")", f.typ}
	}
	return f
}

// output is the expression of a column for reading: sums as text, since they can be
// larger than an integer.
func (st *statement) output(e shown, aggregate string) string {
	if aggregate == sumOf || aggregate == avgOf {
		return "CAST(" + e.sql + " AS text)"
	}
	return e.sql
}

// bytewise is a text that compares by its bytes, as all texts do on SQLite.
func (st *statement) bytewise(e string) string {
	if st.postgres {
		return "(" + e + ` COLLATE "C")`
	}
	return e
}

// folded is a text in lower case, for ASCII letters only: lower() changes no others on
// SQLite, and with this collation on PostgreSQL.
func (st *statement) folded(e string) string { return "lower(" + st.bytewise(e) + ")" }

// order are the clauses of the order. Rows without a value come last in both directions;
// the case of ASCII letters is ignored. The last clause differs for each row, so that all
// pages have the same order.
func (st *statement) order() []string {
	var clauses []string
	add := func(e shown, desc bool) {
		direction := " ASC NULLS LAST"
		if desc {
			direction = " DESC NULLS LAST"
		}
		if e.typ == StringField {
			clauses = append(clauses, st.folded(e.sql)+direction, st.bytewise(e.sql)+direction)
			return
		}
		clauses = append(clauses, e.sql+direction)
	}
	for _, s := range st.d.Sort {
		add(st.sorted(s.Field), s.Desc)
	}
	for _, g := range st.groups {
		add(g, false)
	}
	switch {
	case !st.d.grouped():
		clauses = append(clauses, st.dataset.key...)
	case len(clauses) == 0:
		clauses = append(clauses, "count(*)") // one row
	}
	return clauses
}

// sorted is the expression that a sort clause names: a column by its key, or a field.
func (st *statement) sorted(name string) shown {
	for _, c := range st.d.Columns {
		if c.key() == name {
			return st.column(c)
		}
	}
	return st.field(name)
}
