package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// set are the rows of one statement.
type set struct {
	n, depth int
	// base is the place of the list's rows.
	base *Place
	// lead are the columns that stand before those of the selection.
	lead []string
	// inner are the columns that the list is asked for; columns are those of the
	// statement.
	inner, columns []string
	kinds          []rowset.Kind
	// numbers are the columns of objects.
	numbers []func(any) int64
	joins   []*Place
	// below are the sets of lists that belong to each row, by what is asked for.
	below map[string]*set
	// owners are the column with the ids of the owners of these rows.
	owners []Column
	// single is true if there is at most one row.
	single bool
	// above is the set of the single row that all of these rows belong to, and ownID the
	// expression for its id there. This set's statement finds the id by itself, so that
	// it can go out together with the one of that row.
	above *set
	ownID string
	// byID is true if the rows are those of Run.IDs.
	byID bool
	// counted and cursors say what the pages have to include.
	counted, cursors bool
	from             Source
	// order are the columns that rows without pages are sorted by.
	order string
	text  text
}

// rows returns the place of rows that come from a source.
func (c *Compiler) rows(from Source, lead ...string) *Place {
	s := &set{n: len(c.sets), from: from, lead: lead, below: map[string]*set{}}
	s.base = &Place{set: s, joined: map[string]*Place{}}
	c.sets = append(c.sets, s)
	return s.base
}

// leadOf are the columns in front of the rows of owners, and of objects.
var leadOf = []string{"total", "owner", "place"}

// One compiles a field that is a single row of a source, or null.
func (c *Compiler) One(f *ast.Field, t *Type, from Source) Write {
	at := c.Root(from)
	at.set.single = true
	object := t.Object(c, at, f.SelectionSet)
	if object == nil {
		return nil
	}
	return Unless(func(b []byte, r *Run, _ int) []byte {
		if r.found[at.set.n].rows() == 0 {
			return missing(b, r, f)
		}
		return object(b, r, 0)
	}, at)
}

// Root returns the place of the rows of a source without owners.
func (c *Compiler) Root(from Source) *Place {
	if from.Objects != nil {
		return c.rows(from, leadOf...)
	}
	return c.rows(from)
}

// missing writes null for a field without a value, which fails if the schema allows no
// null.
func missing(b []byte, r *Run, f *ast.Field) []byte {
	if f.Definition.Type.NonNull {
		return r.Fail(b, ErrNull)
	}
	return Null(b)
}

// Whole compiles a field that is a list of all rows of a source, sorted by columns.
func (c *Compiler) Whole(f *ast.Field, t *Type, from Source, sorted ...string) Write {
	at := c.Root(from)
	order := make([]string, len(sorted))
	for i, column := range sorted {
		order[i] = at.Ref(column)
	}
	at.set.order = strings.Join(order, ", ")
	object := t.Object(c, at, f.SelectionSet)
	if object == nil {
		return nil
	}
	n := at.set.n
	return Unless(func(b []byte, r *Run, _ int) []byte { return WriteList(b, r, upTo(r.found[n].rows()), object) }, at)
}

// Below returns the place of the rows that belong to the rows of p, by the id in a
// column. Places of one set that ask for the same are read together.
func (c *Compiler) Below(p *Place, key string, owner Column, from Source) (rows *Place) {
	s := p.set.below[key]
	if s == nil {
		s = c.rows(from, leadOf...).set
		s.depth = p.set.depth + 1
		p.set.below[key] = s
	}
	if !slices.Contains(s.owners, owner) {
		s.owners = append(s.owners, owner)
	}
	return s.base
}

// Of returns the rows of a place that belong to an owner.
func (r *Run) Of(rows *Place, owner int64) []int32 {
	of, _ := r.found[rows.set.n].of(owner)
	return of
}

// All compiles a field that is a list of all rows of an owner.
func (c *Compiler) All(at *Place, f *ast.Field, owner Column, t *Type, from Source) Write {
	rows := c.Below(at, Asked(f), owner, from)
	object := t.Object(c, rows, f.SelectionSet)
	if object == nil {
		return nil
	}
	return Unless(func(b []byte, r *Run, row int) []byte {
		return WriteList(b, r, r.Of(rows, owner.Int(r, row)), object)
	}, rows)
}

// Single compiles a field that is the one row of an owner, or null.
func (c *Compiler) Single(rows *Place, f *ast.Field, owner Column, t *Type) Write {
	object := t.Object(c, rows, f.SelectionSet)
	if object == nil {
		return nil
	}
	return Unless(func(b []byte, r *Run, row int) []byte {
		of := r.Of(rows, owner.Int(r, row))
		if len(of) == 0 {
			return missing(b, r, f)
		}
		return object(b, r, int(of[0]))
	}, rows)
}

// Asked returns a text that stands for a field with its arguments.
func Asked(f *ast.Field) string {
	var b strings.Builder
	b.WriteString(f.Name)
	for _, a := range f.Arguments {
		b.WriteString("," + a.Name + ":" + a.Value.String())
	}
	return b.String()
}

// statement writes the query for the rows of the list, or a page of it, with every to-one
// relation joined to them.
func (s *set) statement(r *Run, owners *page.Owners) (store.Statement, error) {
	b := NewBuilder(r)
	order, kinds, err := s.rows(b, r, owners)
	if err != nil {
		return store.Statement{}, err
	}
	b.Write(") x")
	for _, j := range s.joins {
		j.write(b)
	}
	if b.err != nil {
		return store.Statement{}, b.err
	}
	if order != "" {
		b.Write(" ORDER BY " + order)
	}
	list := r.found[s.n].list
	return store.Statement{SQL: b.SQL, Kinds: kinds, PlannedAnew: owners == nil && list != nil && list.IsByValue()}, nil
}

// rows writes what the rows are selected from, up to the end. It returns what they have
// to be sorted by once more, with the kinds of those columns.
func (s *set) rows(b *Builder, r *Run, owners *page.Owners) (order string, kinds []rowset.Kind, err error) {
	found, kinds := &r.found[s.n], s.text.kinds
	if s.from.Rows != nil {
		b.Write(s.text.columns).Write(" FROM (")
		if owners != nil {
			b.Owners = owners.List(b.SQL, r.Store)
		}
		s.from.Rows(b, s.text.inner)
		return s.order, kinds, nil
	}
	var of page.Owners
	if owners != nil {
		of = *owners
	}
	list, err := s.from.List(r, of)
	if err != nil {
		return "", nil, err
	}
	found.list = list
	args := s.from.Args(r)
	args.Counted = s.counted
	if found.plan, err = list.Plan(r.Ctx, args); err != nil {
		return "", nil, err
	}
	found.keys, found.keyAt = list.Sorted(), len(kinds)
	b.Write(s.text.columns)
	inner := s.text.inner
	for i, k := range found.keys {
		name := "k" + strconv.Itoa(i)
		inner += ", " + k.Value() + " AS " + name
		if s.cursors {
			b.Write(", x." + name)
			kinds = append(kinds[:len(kinds):len(kinds)], cellOf[k.Kind])
		}
	}
	inner = strings.TrimPrefix(inner, ", ")
	b.Write(" FROM (")
	if owners == nil {
		list.WritePage(b.SQL, found.plan, inner)
		return found.plan.OrderByNames("x.k"), kinds, nil
	}
	list.WritePages(b.SQL, found.plan, of, inner)
	return "", kinds, nil
}

// text is the part that is the same in every statement of a set.
type text struct {
	// columns begin the statement; inner are the columns that the list is asked for.
	columns, inner string
	kinds          []rowset.Kind
}

// seal writes the text of a set once its selection is compiled.
func (s *set) seal() {
	var columns []string
	for _, name := range s.lead {
		columns, s.text.kinds = append(columns, "x."+name), append(s.text.kinds, rowset.Int)
	}
	columns, s.text.kinds = append(columns, s.columns...), append(s.text.kinds, s.kinds...)
	if len(columns) == 0 { // nothing but __typename: there is one, or not
		columns, s.text.kinds = append(columns, "1"), append(s.text.kinds, rowset.Int)
	}
	s.text.columns, s.text.inner = "SELECT "+strings.Join(columns, ", "), s.named()
	for _, j := range s.joins {
		j.seal()
	}
}

var cellOf = map[page.Kind]rowset.Kind{page.Text: rowset.Text, page.Int: rowset.Int, page.Time: rowset.Instant, page.Day: rowset.Day}

// named returns the columns of the list, each with its name.
func (s *set) named() string {
	if len(s.inner) == 0 && s.from.Rows != nil {
		return "1 AS v0"
	}
	var b strings.Builder
	for i, column := range s.inner {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(column + " AS v" + strconv.Itoa(i))
	}
	return b.String()
}

// seal writes what is the same in every join of the table.
func (p *Place) seal() {
	columns := make([]string, len(p.columns))
	for i, column := range p.columns {
		columns[i] = p.alias + "." + column
	}
	p.head = " LEFT JOIN LATERAL (SELECT " + strings.Join(columns, ", ") + " FROM " + p.table + " " + p.alias + " WHERE " + p.alias + ".tenant_id = "
	p.tail = " LIMIT 1) " + p.alias + " ON true"
}

// write joins the table. It makes PostgreSQL look the table up row by row: otherwise
// PostgreSQL would read all of it for a page, as long as it has no statistics (decision
// 11).
func (p *Place) write(b *Builder) {
	if b.Run.Store.Postgres() {
		b.Write(p.head)
	} else {
		b.Write(" LEFT JOIN " + p.table + " " + p.alias + " ON " + p.alias + ".tenant_id = ")
	}
	b.Write(b.Tenant())
	b.Write(" AND ")
	p.on(b, p.alias)
	if b.Run.Store.Postgres() {
		b.Write(p.tail)
	}
}
