package plan

import (
	"maps"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// Connection is how a connection is read and written.
type Connection struct {
	// Name is the name of the connection's type and of its edges, without Connection and
	// Edge.
	Name string
	Node *Type
	// NodeAt returns the place of a row's node, if the node is not the row itself.
	NodeAt func(row *Place) *Place
	// Needs returns columns of a node that are NULL where it is gone: such a row is left
	// out.
	Needs func(node *Place) []Column
	// Edge are the fields of an edge besides cursor and node; More are fields of the
	// connection besides pageInfo, edges and the like.
	Edge, More map[string]Field
	// Owner is the column with the id of the owner of the list; empty for the list of a
	// root field.
	Owner string
	// List returns the list that a field asks for.
	List func(f *ast.Field) func(r *Run, owners page.Owners) (List, error)
}

// pageOf is the page of a connection that is being written.
type pageOf struct {
	page.Page[int32]
}

// Field compiles a field that is such a connection.
func (k *Connection) Field(c *Compiler, at *Place, f *ast.Field) Write {
	from := Source{List: k.List(f), Args: func(r *Run) page.Args { return paging(f, r.Variables) }}
	var (
		rows  *Place
		owner Column
	)
	if k.Owner == "" {
		rows = c.rows(from, "total")
	} else {
		owner = at.Column(k.Owner, rowset.Int)
		rows = c.Below(at, Asked(f), owner, from)
	}
	node := rows
	if k.NodeAt != nil {
		node = k.NodeAt(rows)
	}
	var needs []Column
	if k.Needs != nil {
		needs = k.Needs(node)
	}
	connection := k.object(rows, node)
	connection.Fields["groups"] = grouped{rows: rows, owned: k.Owner != "", owner: owner, at: at, of: f}.field
	object := connection.Object(c, rows, f.SelectionSet)
	if object == nil {
		return nil
	}
	n := rows.set.n
	write := func(b []byte, r *Run, row int) []byte {
		outer := r.page
		p, err := r.pageOf(n, k.Owner != "", owner, row)
		if err != nil {
			return r.Fail(b, err)
		}
		if len(needs) > 0 {
			p.Page = p.Only(func(row int32) bool {
				return !slices.ContainsFunc(needs, func(c Column) bool { return c.IsNull(r, int(row)) })
			})
		}
		r.page = &p
		b = object(b, r, row)
		r.page = outer
		return b
	}
	return Unless(write, rows)
}

// object is the type of the connection. Its fields read the page that is being written.
func (k *Connection) object(rows, node *Place) *Type {
	edge := &Type{Names: []string{k.Name + "Edge"}, Fields: map[string]Field{
		"cursor": func(*Compiler, *Place, *ast.Field) Write {
			rows.set.cursors = true
			return func(b []byte, r *Run, row int) []byte { return String(b, r.page.Cursor(int32(row))) }
		},
		"node": func(c *Compiler, _ *Place, f *ast.Field) Write { return k.Node.Object(c, node, f.SelectionSet) },
	}}
	maps.Copy(edge.Fields, k.Edge)
	connection := &Type{Names: []string{k.Name + "Connection"}, Fields: map[string]Field{
		"nodes": func(c *Compiler, _ *Place, f *ast.Field) Write { return list(k.Node.Object(c, node, f.SelectionSet)) },
		"edges": func(c *Compiler, _ *Place, f *ast.Field) Write { return list(edge.Object(c, rows, f.SelectionSet)) },
		"pageInfo": func(c *Compiler, _ *Place, f *ast.Field) Write {
			return pageInfo(rows.set).Object(c, rows, f.SelectionSet)
		},
		"totalCount": func(*Compiler, *Place, *ast.Field) Write {
			rows.set.counted = true
			return func(b []byte, r *Run, _ int) []byte { return AppendInt(b, r.page.Total) }
		},
	}}
	maps.Copy(connection.Fields, k.More)
	return connection
}

// list writes the rows of the page.
func list(element Write) Write {
	if element == nil {
		return nil
	}
	return func(b []byte, r *Run, _ int) []byte { return WriteList(b, r, r.page.Items, element) }
}

// WriteList writes rows as a list. The lists of the schema have no elements that are null:
// if one has no value, the list has none.
func WriteList(b []byte, r *Run, rows []int32, element Write) []byte {
	start := len(b)
	b = append(b, '[')
	for i, row := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		failures := len(r.failures)
		if b = element(b, r, int(row)); len(r.failures) > failures {
			if r.passed(failures, ast.PathIndex(i)); r.null {
				return Null(b[:start])
			}
		}
	}
	return append(b, ']')
}

func pageInfo(s *set) *Type {
	cursor := func(of func(items []int32) int32) Field {
		return func(*Compiler, *Place, *ast.Field) Write {
			s.cursors = true
			return func(b []byte, r *Run, _ int) []byte {
				if len(r.page.Items) == 0 {
					return Null(b)
				}
				return String(b, r.page.Cursor(of(r.page.Items)))
			}
		}
	}
	return &Type{Names: []string{"PageInfo"}, Fields: map[string]Field{
		"hasNextPage":     Computed(func(b []byte, r *Run, _ int) []byte { return AppendBool(b, r.page.HasNext) }),
		"hasPreviousPage": Computed(func(b []byte, r *Run, _ int) []byte { return AppendBool(b, r.page.HasPrev) }),
		"startCursor":     cursor(func(items []int32) int32 { return items[0] }),
		"endCursor":       cursor(func(items []int32) int32 { return items[len(items)-1] }),
	}}
}

// pageOf returns the page of the list of a row, or of a list that has no owner.
func (r *Run) pageOf(set int, owned bool, owner Column, row int) (pageOf, error) {
	f := &r.found[set]
	var (
		rows  []int32
		total int
		id    int64
	)
	if owned {
		var s span
		id = owner.Int(r, row)
		rows, s = f.of(id)
		total = s.total
	} else if rows = upTo(f.cells.Rows()); len(rows) > 0 {
		total = f.list.Told(f.plan, int(f.cells.Int(0, totalAt)))
	}
	if f.plan.Backward() { // of which the page is turned round
		rows = slices.Clone(rows)
	}
	if len(rows) == 0 && f.plan.Beyond() {
		counted, err := r.beyond(f)
		if err != nil {
			return pageOf{}, err
		}
		total = counted[id]
	}
	p := page.Cut(f.plan, rows, func(row int32) []any { return f.keysOf(int(row)) })
	p.Total = total
	return pageOf{p}, nil
}

// beyond counts the lists of which the page has no row that could tell their size, by
// their owners; a list without owners has the key 0.
func (r *Run) beyond(f *result) (map[int64]int, error) {
	if f.beyond != nil {
		return f.beyond, nil
	}
	beyond := map[int64]int{}
	owners, count := f.owners, func(empty []int64) (map[int64]int, error) { return f.list.Counts(r.Ctx, empty) }
	if owners == nil {
		owners, count = []int64{0}, func([]int64) (map[int64]int, error) {
			n, err := f.list.Count(r.Ctx)
			return map[int64]int{0: n}, err
		}
	}
	for i, s := range f.spans {
		if s.n > 0 {
			beyond[f.owners[i]] = 0 // its rows tell
		}
	}
	if err := f.plan.Complete(owners, beyond, count); err != nil {
		return nil, err
	}
	f.beyond = beyond
	return beyond, nil
}

// keysOf returns the values of the sort keys of a row.
func (f *result) keysOf(row int) []any {
	values := make([]any, len(f.keys))
	for i, k := range f.keys {
		at := f.keyAt + i
		switch k.Kind {
		case page.Int:
			values[i] = f.cells.Int(row, at)
		case page.Time:
			values[i] = f.cells.Instant(row, at)
		case page.Day:
			values[i] = f.cells.Day(row, at)
		default:
			values[i] = string(f.cells.Text(row, at))
		}
	}
	return values
}

// paging reads the arguments of a connection. The schema has checked their types.
func paging(f *ast.Field, variables map[string]any) (args page.Args) {
	given := f.ArgumentMap(variables)
	number := func(name string) *int { return OptionalInt(given[name]) }
	text := func(name string) *string {
		s, ok := given[name].(string)
		if !ok {
			return nil
		}
		return &s
	}
	return page.Args{First: number("first"), Last: number("last"), Offset: number("offset"), After: text("after"), Before: text("before")}
}

// OptionalInt reads a number argument; nil when it is not given.
func OptionalInt(v any) *int {
	if v == nil {
		return nil
	}
	n, err := graphql.UnmarshalInt(v)
	if err != nil {
		return nil
	}
	return &n
}
