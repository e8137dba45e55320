package plan

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/platform/page"
)

// grouped is how many rows of a connection have the same values: a statement beside that
// of the page, which has made the list.
type grouped struct {
	rows  *Place
	owned bool
	owner Column
	at    *Place
	// of is the field of the connection.
	of *ast.Field
}

func (g grouped) field(c *Compiler, _ *Place, f *ast.Field) Write {
	asked := func(r *Run) (by []string, first int) {
		given := f.ArgumentMap(r.Variables)
		switch list := given["by"].(type) {
		case []any:
			for _, one := range list {
				name, _ := one.(string)
				by = append(by, name)
			}
		case string: // a list of one may be written without brackets
			by = []string{list}
		}
		if n := OptionalInt(given["first"]); n != nil {
			first = *n
		}
		return by, first
	}
	from := Source{
		When: func(r *Run) bool { return r.found[g.rows.set.n].refused == nil },
		Rows: func(s *Builder, columns string) {
			by, first := asked(s.Run)
			if err := s.Run.found[g.rows.set.n].list.WriteGroups(s.SQL, by, first, s.Owners, columns); err != nil {
				s.Fail(err)
			}
		},
	}
	group := func(groups *Place) *Type {
		keys := make([]*Type, page.GroupKeys)
		for i := range keys {
			n := strconv.Itoa(i)
			keys[i] = &Type{Names: []string{"GroupKey"}, Fields: map[string]Field{
				"by": Computed(func(b []byte, r *Run, _ int) []byte {
					by, _ := asked(r)
					return String(b, by[i])
				}),
				"value": Text("g.v" + n), "label": Text("g.l" + n),
			}}
		}
		return &Type{Names: []string{"Group"}, Fields: map[string]Field{
			"count": Int("g.n"),
			"keys": func(c *Compiler, _ *Place, f *ast.Field) Write {
				each := make([]Write, len(keys))
				for i, key := range keys {
					if each[i] = key.Object(c, groups, f.SelectionSet); each[i] == nil {
						return nil
					}
				}
				return func(b []byte, r *Run, row int) []byte {
					by, _ := asked(r)
					b = append(b, '[')
					for i := range by {
						if i > 0 {
							b = append(b, ',')
						}
						b = each[i](b, r, row)
					}
					return append(b, ']')
				}
			},
		}}
	}
	if g.owned {
		groups := c.Below(g.at, Asked(g.of)+" "+Asked(f), g.owner, from)
		object := group(groups).Object(c, groups, f.SelectionSet)
		if object == nil {
			return nil
		}
		return Unless(func(b []byte, r *Run, row int) []byte {
			return WriteList(b, r, r.Of(groups, g.owner.Int(r, row)), object)
		}, groups)
	}
	groups := c.Root(from)
	groups.set.order = groups.Ref("g.place")
	object := group(groups).Object(c, groups, f.SelectionSet)
	if object == nil {
		return nil
	}
	n := groups.set.n
	return Unless(func(b []byte, r *Run, _ int) []byte { return WriteList(b, r, upTo(r.found[n].rows()), object) }, groups)
}
