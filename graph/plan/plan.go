// Package plan answers a field of a query with few statements: one for the rows of each
// level of its selection, with only the columns that are asked for, and whatever there
// is one of joined into it. Those of one level go out together. What they find is
// written as JSON from the cells of the rows, without an object being made of each.
//
// A plan is compiled once, from the selection of a cached document and a table of types:
// of each field of an object which columns it needs, which tables or lists it leads to,
// and how it is written. A type that does not have a field compiles to nothing: then the
// caller takes one that has more, such as the row of a code instead of the code alone. The
// table as a whole has every field (TestEveryFieldIsRead).
package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// Write appends the JSON of a value of a row. For a value that cannot be shown it returns
// what Run.Fail returns.
type Write func(b []byte, r *Run, row int) []byte

// Field compiles a field of an object whose columns are at a place; nil when a plan
// cannot answer it.
type Field func(c *Compiler, at *Place, f *ast.Field) Write

// At compiles a field whose columns are at another place.
func (write Field) At(place func(*Place) *Place) Field {
	return func(c *Compiler, at *Place, f *ast.Field) Write { return write(c, place(at), f) }
}

// Type is how an object type is read and written.
type Type struct {
	// Names are the type's name and the interfaces it implements.
	Names  []string
	Fields map[string]Field
}

// Compiler compiles the selection of one field, for the variables that its directives
// depend on.
type Compiler struct {
	variables map[string]any
	sets      []*set
}

// Plan is a compiled selection.
type Plan struct {
	sets  []*set
	depth int
	write Write
}

// New compiles a field; nil when it has no plan. The place of the field is nil, since its
// rows belong to no other row. The plan serves all operations whose variables have the
// same values for Conditions.
func New(field Field, f *ast.Field, variables map[string]any) *Plan {
	c := &Compiler{variables: variables}
	write := field(c, nil, f)
	if write == nil {
		return nil
	}
	p := &Plan{sets: c.sets, write: write}
	for _, s := range c.sets {
		s.belong(c.sets)
		s.seal()
		p.depth = max(p.depth, s.depth)
	}
	return p
}

type member struct {
	name  string // `"agentCode":`
	field *ast.Field
	write Write
}

// settle tells the failures of a member where they are. A member without a value is null;
// isMissing is true if the schema does not allow that.
func (m *member) settle(b []byte, r *Run, at, failures int) (_ []byte, isMissing bool) {
	r.passed(failures, ast.PathName(m.field.Alias))
	if !r.null {
		return b, false
	}
	r.null = false
	return Null(b[:at]), m.field.Definition.Type.NonNull
}

// Object compiles the selection of an object at a place.
func (t *Type) Object(c *Compiler, at *Place, s ast.SelectionSet) Write {
	fields, ok := c.fields(t.Names, s)
	if !ok {
		return nil
	}
	if len(fields) == 0 { // all are left out
		return constant("{}")
	}
	members := make([]member, len(fields))
	for i, f := range fields {
		write := t.field(c, at, f)
		if write == nil {
			return nil
		}
		members[i] = member{"," + strconv.Quote(f.Alias) + ":", f, write}
	}
	members[0].name = "{" + members[0].name[1:]
	return func(b []byte, r *Run, row int) []byte {
		start, isNull := len(b), false
		for i := range members {
			m := &members[i]
			b = append(b, m.name...)
			at, failures := len(b), len(r.failures)
			if b = m.write(b, r, row); r.null || len(r.failures) > failures {
				var isMissing bool
				b, isMissing = m.settle(b, r, at, failures)
				isNull = isNull || isMissing // the members behind it may have failures to tell, too
			}
		}
		if isNull {
			r.null = true
			return Null(b[:start])
		}
		return append(b, '}')
	}
}

func (t *Type) field(c *Compiler, at *Place, f *ast.Field) Write {
	if f.Name == "__typename" {
		return constant(strconv.Quote(t.Names[0]))
	}
	if compile, known := t.Fields[f.Name]; known {
		return compile(c, at, f)
	}
	return nil
}

// Place is where the columns of an object come from: a row of a list, or of a table that
// is joined to one.
type Place struct {
	set *set
	// alias and table are those of a joined table; empty for a row of the list itself.
	alias, table string
	on           On
	columns      []string
	joined       map[string]*Place
	// head and tail are what stands around the condition that joins the table.
	head, tail string
}

// On writes the condition that joins a table, besides that of the tenant, which
// alias stands for.
type On func(s *Builder, alias string)

// Ref is the name of a column in the conditions of tables that are joined to the place.
// It begins with the alias that the table has in lists.
func (p *Place) Ref(name string) string {
	if p.alias == "" {
		return "x.v" + strconv.Itoa(indexOf(&p.set.inner, name))
	}
	column := name[strings.IndexByte(name, '.')+1:]
	indexOf(&p.columns, column)
	return p.alias + "." + column
}

// Column adds a column to those that are read with the rows of the place.
func (p *Place) Column(name string, kind rowset.Kind) Column {
	at := indexOf(&p.set.columns, p.Ref(name))
	if at == len(p.set.kinds) {
		p.set.kinds = append(p.set.kinds, kind)
	}
	return Column{p.set.n, len(p.set.lead) + at}
}

// Join returns the place of the row of a table that meets a condition, if there is one.
// Joins with the same key are one.
func (p *Place) Join(key, table string, on On) *Place {
	if j := p.joined[key]; j != nil {
		return j
	}
	j := &Place{set: p.set, table: table, alias: "j" + strconv.Itoa(len(p.set.joins)), on: on, joined: map[string]*Place{}}
	p.joined[key] = j
	p.set.joins = append(p.set.joins, j)
	return j
}

// Optional compiles an object that is null where a column is NULL.
func (p *Place) Optional(c *Compiler, t *Type, f *ast.Field, column string, kind rowset.Kind) Write {
	present := p.Column(column, kind)
	object := t.Object(c, p, f.SelectionSet)
	if object == nil {
		return nil
	}
	return func(b []byte, r *Run, row int) []byte {
		if present.IsNull(r, row) {
			return missing(b, r, f)
		}
		return object(b, r, row)
	}
}

func indexOf(list *[]string, s string) int {
	if i := slices.Index(*list, s); i >= 0 {
		return i
	}
	*list = append(*list, s)
	return len(*list) - 1
}
