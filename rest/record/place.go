package record

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
)

// PropertyAt returns the steps to a property, from those to its field.
func (p *Plan) PropertyAt(path ast.Path) (steps []string, ok bool) {
	if len(path) == 0 {
		return nil, true
	}
	switch step := path[0].(type) {
	case ast.PathIndex:
		if p.Elem == nil {
			return nil, false
		}
		steps, ok = p.Elem.PropertyAt(path[1:])
		return append([]string{strconv.Itoa(int(step))}, steps...), ok
	case ast.PathName:
		for i := range p.Members {
			m := &p.Members[i]
			if m.Name != string(step) || m.Drop {
				continue
			}
			steps, ok = m.Plan.PropertyAt(path[1:])
			if p.Kind != Single && !m.Spread {
				steps = append([]string{m.Name}, steps...)
			}
			return steps, ok
		}
	}
	return nil, false
}
