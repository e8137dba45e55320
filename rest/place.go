package rest

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
)

// propertyAt returns the steps to a property, from those to its field.
func (p *plan) propertyAt(path ast.Path) (steps []string, ok bool) {
	if len(path) == 0 {
		return nil, true
	}
	switch step := path[0].(type) {
	case ast.PathIndex:
		if p.elem == nil {
			return nil, false
		}
		steps, ok = p.elem.propertyAt(path[1:])
		return append([]string{strconv.Itoa(int(step))}, steps...), ok
	case ast.PathName:
		for i := range p.members {
			m := &p.members[i]
			if m.name != string(step) || m.drop {
				continue
			}
			steps, ok = m.plan.propertyAt(path[1:])
			if p.kind != singlePlan && !m.spread {
				steps = append([]string{m.name}, steps...)
			}
			return steps, ok
		}
	}
	return nil, false
}
