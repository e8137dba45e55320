package record

import (
	"slices"

	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/value"
)

// Columns returns the columns of a record.
func (p Planner) Columns(record *Plan) []sheet.Column {
	var columns []sheet.Column
	var walk func(o *Plan, path []string)
	walk = func(o *Plan, path []string) {
		for _, m := range o.Members {
			if m.Drop || m.Name == o.KeyedBy {
				continue
			}
			at := m.Plan.written()
			here := append(slices.Clip(path), m.Name)
			switch {
			case m.Spread:
				walk(m.Plan, path)
			case at.Kind == Object && at.KeyedBy != "":
				for _, key := range p.Shape.Keys[m.Name] {
					walk(at, append(slices.Clip(here), key))
				}
			case at.Kind == Object:
				walk(at, here)
			default:
				columns = append(columns, sheet.Column{Path: here, Kind: kindOf(at)})
			}
		}
	}
	walk(record, nil)
	return columns
}

// written returns the plan of the value that is written: of an object that is written as
// its only member, that member's.
func (p *Plan) written() *Plan {
	for p.Kind == Single {
		p = p.Members[0].Plan
	}
	return p
}

// kindOf returns the kind of a column's cells; numbers are never taken for formulas.
func kindOf(p *Plan) value.Type {
	if p.Kind == Leaf && (p.Type.NamedType == "Int" || p.Type.NamedType == "Long") {
		return value.Integer
	}
	return value.Text
}
