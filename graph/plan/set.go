package plan

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/page"
	"github.com/uplinehq/upline/internal/store"
)

// set are the rows of one statement.
type set struct {
	n, depth int
	// base is the place of the rows of the list.
	base *Place
	// lead are the columns that stand before those of the selection.
	lead []string
	// inner are the columns that the list is asked for, columns those of the statement.
	inner, columns []string
	kinds          []store.Kind
	joins          []*Place
	// below are lists of which each row has one, by what they are asked for.
	below map[string]*set
	// owners are where the ids of those are whose lists these rows are.
	owners []Column
	// counted and cursors say what is asked for of the pages.
	counted, cursors bool
	from             Source
	text             text
}

// Source is where rows come from.
type Source struct {
	// List returns the list that is read page by page: the whole of it, or that of each
	// of several owners.
	List func(r *Run, owners []int64) (List, error)
	Args func(r *Run) page.Args
	// Rows writes a SELECT of all rows where there are no pages: of owners, with the
	// columns owner and place in front.
	Rows func(s *Builder, columns string)
}

// List is a list of rows that is read page by page; listing.List is one.
type List interface {
	Plan(ctx context.Context, args page.Args) (*page.Query, error)
	Sorted() []page.Key
	// WritePage writes a SELECT of a page with the columns total and those given.
	WritePage(s *store.SQL, plan *page.Query, columns string)
	// WritePages writes a SELECT of the same page of the list of each owner, with the
	// columns total, owner, place, and those given.
	WritePages(s *store.SQL, plan *page.Query, owners []int64, columns string)
}

// Builder is a statement that is written.
type Builder struct {
	*store.SQL
	Run *Run
	// Owners is the placeholder of a list of ids.
	Owners string
	tenant *string
}

// Tenant is the placeholder of the tenant's id, which is an argument from the first use
// on: PostgreSQL refuses one that is not used.
func (b *Builder) Tenant() string {
	if *b.tenant == "" {
		*b.tenant = b.Arg(b.Run.TenantID)
	}
	return *b.tenant
}

// rows returns the place of rows that come from a source.
func (c *Compiler) rows(from Source, lead ...string) *Place {
	s := &set{n: len(c.sets), from: from, lead: lead, below: map[string]*set{}}
	s.base = &Place{set: s, joined: map[string]*Place{}}
	c.sets = append(c.sets, s)
	return s.base
}

// One compiles a field that is one row of a source, or null.
func (c *Compiler) One(f *ast.Field, t *Type, from Source) Write {
	at := c.rows(from)
	object := t.Object(c, at, f.SelectionSet)
	if object == nil {
		return nil
	}
	return func(b []byte, r *Run, row int) []byte {
		if r.found[at.set.n].cells.Rows() == 0 {
			return Null(b)
		}
		return object(b, r, row)
	}
}

// Below returns the place of the rows that belong to those of p, by the id in a column.
// Those of several places of one set that are asked for the same are read together.
func (c *Compiler) Below(p *Place, key, id string, from Source) (rows *Place, owner Column) {
	owner = p.Column(id, store.IntCell)
	s := p.set.below[key]
	if s == nil {
		rows = c.rows(from, "total", "owner", "place")
		s = rows.set
		s.depth = p.set.depth + 1
		p.set.below[key] = s
	}
	if !slices.Contains(s.owners, owner) {
		s.owners = append(s.owners, owner)
	}
	return s.base, owner
}

// All compiles a field that is a list of all rows of an owner.
func (c *Compiler) All(at *Place, f *ast.Field, id string, t *Type, from func(s *Builder, columns string)) Write {
	rows, owner := c.Below(at, asked(f), id, Source{Rows: from})
	object := t.Object(c, rows, f.SelectionSet)
	if object == nil {
		return nil
	}
	n := rows.set.n
	return func(b []byte, r *Run, row int) []byte {
		of, _ := r.found[n].of(owner.Int(r, row))
		return writeList(b, r, of, object)
	}
}

// asked is what stands for the arguments of a field.
func asked(f *ast.Field) string {
	var b strings.Builder
	b.WriteString(f.Name)
	for _, a := range f.Arguments {
		b.WriteString("," + a.Name + ":" + a.Value.String())
	}
	return b.String()
}

// statement writes the query of the rows: those of the list, a page of it perhaps, and
// joined to them whatever there is one of.
func (s *set) statement(r *Run, owners []int64) (store.Statement, error) {
	b := &Builder{SQL: new(store.SQL), Run: r, tenant: new(string)}
	b.Room(s.text.room)
	order, kinds, err := s.rows(b, r, owners)
	if err != nil {
		return store.Statement{}, err
	}
	b.Write(") x")
	for _, j := range s.joins {
		j.write(b)
	}
	if r.err != nil {
		return store.Statement{}, r.err
	}
	if order != "" {
		b.Write(" ORDER BY " + order)
	}
	return store.Statement{SQL: b.SQL, Kinds: kinds}, nil
}

// rows writes what the rows are selected from, up to their end, and returns by what they
// are to be sorted once more, with the kinds of the columns.
func (s *set) rows(b *Builder, r *Run, owners []int64) (order string, kinds []store.Kind, err error) {
	found, kinds := &r.found[s.n], s.text.kinds
	if s.from.Rows != nil {
		b.Write(s.text.columns + " FROM (")
		if owners != nil {
			b.Owners = b.Arg(r.Store.List(owners))
		}
		s.from.Rows(b, s.text.inner)
		return "", kinds, nil
	}
	list, err := s.from.List(r, owners)
	if err != nil {
		return "", nil, err
	}
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
		inner += ", " + k.SQL + " AS " + name
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
	list.WritePages(b.SQL, found.plan, owners, inner)
	return "", kinds, nil
}

// text is what is the same in every statement of a set.
type text struct {
	// columns begin the statement, inner are those that the list is asked for.
	columns, inner string
	kinds          []store.Kind
	// room is about how long the statement is.
	room int
}

// seal writes the text of a set once its selection is compiled.
func (s *set) seal() {
	var columns []string
	for _, name := range s.lead {
		columns, s.text.kinds = append(columns, "x."+name), append(s.text.kinds, store.IntCell)
	}
	columns, s.text.kinds = append(columns, s.columns...), append(s.text.kinds, s.kinds...)
	if len(columns) == 0 { // nothing but __typename: there is one, or not
		columns, s.text.kinds = append(columns, "1"), append(s.text.kinds, store.IntCell)
	}
	s.text.columns, s.text.inner = "SELECT "+strings.Join(columns, ", "), s.named()
	s.text.room = 1024 + len(s.text.columns) + len(s.text.inner)
	for _, j := range s.joins {
		j.seal()
		s.text.room += 512
	}
}

var cellOf = map[page.Kind]store.Kind{page.Text: store.TextCell, page.Int: store.IntCell, page.Time: store.InstantCell, page.Day: store.DayCell}

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

// write joins the table. PostgreSQL is made to look it up row by row: left to itself it
// would read all of it for a page, as long as it has no statistics (decision 23).
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
