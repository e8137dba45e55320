package recipe

import (
	"fmt"
	"slices"

	"github.com/uplinehq/upline/internal/words/problem"
)

func (p *parser) filters(path []string, v any) {
	for i, element := range p.list(path, v, maxFilters) {
		here := at(path, i)
		object, ok := p.object(here, element)
		if !ok {
			continue
		}
		p.known(here, object, "field", "operator", "value")
		f := p.field(below(here, "field"), object["field"])
		operator := p.operator(below(here, "operator"), object["operator"], f)
		if f == nil || operator == "" {
			p.uses(object["value"])
			continue
		}
		p.d.Filters = append(p.d.Filters, Filter{Field: f.Name, Operator: operator,
			Operands: p.operands(below(here, "value"), operator, object["value"], f)})
	}
}

func (p *parser) operator(path []string, v any, f *Field) string {
	allowed := operators
	if f != nil {
		allowed = operatorsOf(f)
	}
	operator, _ := v.(string)
	switch {
	case v == nil:
		p.refuse(problem.Required, "is required", path)
		return ""
	case !slices.Contains(allowed, operator):
		p.unknown(problem.InvalidFormat, path, allowed)
		return ""
	}
	return operator
}

// operands reads the values that a filter compares with: a list for in, the two ends for
// between, true or false for isNull, and otherwise one value.
func (p *parser) operands(path []string, operator string, v any, f *Field) []Operand {
	switch operator {
	case "isNull":
		if v == nil {
			return []Operand{{Value: true}}
		}
		return []Operand{p.operand(path, v, &Field{Type: BooleanField})}
	case "in", "between":
		list := p.list(path, v, maxValues)
		switch {
		case v == nil || operator == "in" && none(v):
			p.refuse(problem.Required, "must be an array with at least one value", path)
		case operator == "between" && list != nil && len(list) != 2:
			p.refuse(problem.OutOfRange, "must be an array of two values: the first and the last that match", path)
		}
		operands := make([]Operand, len(list))
		for i, element := range list {
			operands[i] = p.operand(at(path, i), element, f)
		}
		return operands
	}
	if v == nil {
		p.refuse(problem.Required, "is required; isNull finds rows without a value", path)
		return nil
	}
	if f.Values == nil && f.Type == StringField && (operator == "contains" || operator == "startsWith") && v == "" {
		p.refuse(problem.Required, "must not be empty", path)
	}
	return []Operand{p.operand(path, v, f)}
}

// operand reads a value of a field, or {"parameter": "name"}.
func (p *parser) operand(path []string, v any, f *Field) Operand {
	object, named := v.(map[string]any)
	if !named {
		value, ok := f.fits(v)
		if !ok {
			p.refuse(problem.InvalidFormat, f.form(), path)
		}
		return Operand{Value: value}
	}
	p.known(path, object, "parameter")
	name, _ := object["parameter"].(string)
	one := p.parameter(name)
	p.used[name] = true
	switch {
	case one == nil:
		names := make([]string, len(p.d.Parameters))
		for i, each := range p.d.Parameters {
			names[i] = each.Name
		}
		p.Add(problem.Invalid(problem.UnknownField, "must name one of the parameters of the definition", below(path, "parameter")...).With("allowed", names))
	case one.Type != f.Type:
		p.refuse(problem.InvalidFormat, fmt.Sprintf("must name a parameter of the type %s", f.Type), below(path, "parameter"))
	}
	return Operand{Parameter: name}
}

// uses notes the parameters in a value whose filter is refused, so that they are not
// reported as unused.
func (p *parser) uses(v any) {
	switch v := v.(type) {
	case map[string]any:
		name, _ := v["parameter"].(string)
		p.used[name] = true
	case []any:
		for _, element := range v {
			p.uses(element)
		}
	}
}
