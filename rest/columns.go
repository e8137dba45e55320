package rest

import "github.com/uplinehq/upline/internal/exchange/sheet"

// columns returns the columns of a record.
func (p planner) columns(record *plan) []sheet.Column {
	var columns []sheet.Column
	var walk func(o *plan, path []string)
	walk = func(o *plan, path []string) {
		for _, m := range o.members {
			if m.drop || m.name == o.keyedBy {
				continue
			}
			value := m.plan.written()
			here := below(path, m.name)
			switch {
			case m.spread:
				walk(m.plan, path)
			case value.kind == objectPlan && value.keyedBy != "":
				for _, key := range p.shape.Keys[m.name] {
					walk(value, below(here, key))
				}
			case value.kind == objectPlan:
				walk(value, here)
			default:
				columns = append(columns, sheet.Column{Path: here, Kind: kindOf(value)})
			}
		}
	}
	walk(record, nil)
	return columns
}

// written returns the plan of the value that is written: of an object that is written as
// its only member, that member's.
func (p *plan) written() *plan {
	for p.kind == singlePlan {
		p = p.members[0].plan
	}
	return p
}

// kindOf returns the kind of a column's cells; numbers are never taken for formulas.
func kindOf(p *plan) sheet.Kind {
	if p.kind == leafPlan && (p.typ.NamedType == "Int" || p.typ.NamedType == "Float") {
		return sheet.Number
	}
	return sheet.Text
}
