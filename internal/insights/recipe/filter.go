package recipe

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

func (p *parser) readFilters(n node) {
	for object := range p.objects(n, maxFilters, "field", "operator", "value") {
		f := p.field(object.at("field"))
		operator := p.operator(object.at("operator"), f)
		if f == nil || operator == "" {
			p.uses(object.at("value").value)
			continue
		}
		p.filters = append(p.filters, filter{f, operator, p.operands(object.at("value"), operator, f)})
	}
}

func (p *parser) operator(n node, f *Field) string {
	allowed := operators
	if f != nil {
		allowed = f.operators()
	}
	operator, _ := n.value.(string)
	switch {
	case n.value == nil:
		p.refuse(problem.Required, "is required", n)
		return ""
	case !slices.Contains(allowed, operator):
		p.unknown(problem.InvalidFormat, n, allowed)
		return ""
	}
	return operator
}

// operands reads the values that a filter compares with: a list for in, the two ends for
// between, true or false for isNull, and otherwise one value.
func (p *parser) operands(n node, operator string, f *Field) []operand {
	switch operator {
	case "isNull":
		if n.value == nil {
			return []operand{{value: true}}
		}
		return []operand{p.operand(n, &Field{Type: value.Boolean})}
	case "in", "between":
		list := p.list(n, maxValues)
		given, isList := n.value.([]any)
		switch {
		case n.value == nil || operator == "in" && n.none():
			p.refuse(problem.Required, "must be an array with at least one value", n)
		case operator == "between" && isList && len(given) <= maxValues && len(given) != 2:
			p.refuse(problem.OutOfRange, "must be an array of two values: the first and the last that match", n)
		}
		operands := make([]operand, len(list))
		for i, element := range list {
			operands[i] = p.operand(element, f)
		}
		return operands
	}
	if n.value == nil {
		p.refuse(problem.Required, "is required; isNull finds rows without a value", n)
		return nil
	}
	if f.Values == nil && f.Type == value.Text && (operator == "contains" || operator == "startsWith") && n.value == "" {
		p.refuse(problem.Required, "must not be empty", n)
	}
	return []operand{p.operand(n, f)}
}

// operand reads a value of a field, {"parameter": "name"}, or, of a date, {"days": 60}.
func (p *parser) operand(n node, f *Field) operand {
	object, isObject := n.value.(map[string]any)
	if _, relative := object["days"]; relative && f.Type == value.Date {
		return p.relative(n)
	}
	if !isObject {
		of := parameterOf(f.Type)
		of.Allowed = f.Values
		v, ok := of.Read(n.value)
		if !ok {
			p.refuse(problem.InvalidFormat, of.Form(), n)
		}
		return operand{value: v}
	}
	p.object(n, "parameter")
	by := n.at("parameter")
	name, _ := by.value.(string)
	one := p.parameter(name)
	p.used[name] = true
	switch {
	case one == nil:
		names := make([]string, len(p.parameters))
		for i, each := range p.parameters {
			names[i] = each.Name
		}
		p.Add(problem.Invalid(problem.UnknownField, "must name one of the parameters of the definition", by.path...).With("allowed", names))
	case one.Type != f.Type:
		p.refuse(problem.InvalidFormat, fmt.Sprintf("must name a parameter of the type %s", f.Type), by)
	}
	return operand{parameter: name}
}

// relative reads a number of days after the day of the report, or before it.
func (p *parser) relative(n node) operand {
	p.object(n, "days")
	number, _ := n.at("days").value.(json.Number)
	days, err := strconv.Atoi(number.String())
	if err != nil || max(days, -days) > maxDays {
		p.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be an integer from -%d to %d", maxDays, maxDays), n.at("days").path...).With("max", maxDays))
	}
	return operand{days: &days}
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
