package recipe

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

var parameterForm = regexp.MustCompile(`^[a-z][A-Za-z0-9]{0,39}$`)

// typesOfParameters are the types that a parameter can have.
var typesOfParameters = func() (all []string) {
	for _, t := range value.Types {
		all = append(all, string(t))
	}
	return all
}()

func (p *parser) readParameters(n node) {
	for object := range p.objects(n, maxParameters, "name", "type", "required", "default") {
		one := parameterOf(value.Type(p.word(object.at("type"), typesOfParameters)))
		name, required := object.at("name"), object.at("required")
		one.Name, _ = name.value.(string)
		switch {
		case name.value == nil:
			p.refuse(problem.Required, "is required", name)
		case !parameterForm.MatchString(one.Name):
			p.refuse(problem.InvalidFormat, "must be 1 to 40 letters and digits, the first a small letter", name)
		case one.Name == "onDate":
			p.refuse(problem.ReservedName, "onDate is an argument of every run", name)
		case p.parameter(one.Name) != nil:
			p.refuse(problem.DuplicateKey, "Another parameter has this name", name)
		}
		var isBoolean bool
		if one.Required, isBoolean = required.value.(bool); !isBoolean && required.value != nil {
			p.refuse(problem.InvalidFormat, value.Boolean.Form(), required)
		}
		p.readDefault(&one, object.at("default"))
		p.parameters = append(p.parameters, one)
	}
}

// parameterOf is a parameter, or an operand, of a type.
func parameterOf(t value.Type) insights.Parameter {
	p := insights.Parameter{Type: t}
	if t == value.Text {
		p.Most = maxTextValue
	}
	return p
}

func (p *parser) readDefault(one *insights.Parameter, n node) {
	if n.value == nil {
		return
	}
	v, ok := one.Read(n.value)
	switch {
	case !ok:
		p.refuse(problem.InvalidFormat, one.Form(), n)
	case one.Required:
		p.refuse(problem.NotApplicable, "A required parameter has no default", n)
	default:
		one.Default = insights.Constant(v)
	}
}

func (p *parser) parameter(name string) *insights.Parameter {
	i := slices.IndexFunc(p.parameters, func(one insights.Parameter) bool { return one.Name == name })
	if i < 0 {
		return nil
	}
	return &p.parameters[i]
}

// unused refuses parameters that have no effect.
func (p *parser) unused(n node) {
	for i, one := range p.parameters {
		if one.Name != "" && !p.used[one.Name] {
			p.refuse(problem.NotApplicable, "No filter compares with this parameter", n.at(strconv.Itoa(i)).at("name"))
		}
	}
}
