package recipe

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/words/problem"
)

var parameterForm = regexp.MustCompile(`^[a-z][A-Za-z0-9]{0,39}$`)

func (p *parser) parameters(path []string, v any) {
	for i, element := range p.list(path, v, maxParameters) {
		here := at(path, i)
		object, ok := p.object(here, element)
		if !ok {
			continue
		}
		p.known(here, object, "name", "type", "required", "default")
		one := Parameter{Type: FieldType(p.word(below(here, "type"), object["type"], texts(fieldTypes)))}
		one.Name, _ = object["name"].(string)
		switch {
		case object["name"] == nil:
			p.refuse(problem.Required, "is required", below(here, "name"))
		case !parameterForm.MatchString(one.Name):
			p.refuse(problem.InvalidFormat, "must be 1 to 40 letters and digits, the first a small letter", below(here, "name"))
		case one.Name == dayParameter:
			p.refuse(problem.ReservedName, "onDate is an argument of every run", below(here, "name"))
		case p.parameter(one.Name) != nil:
			p.refuse(problem.DuplicateKey, "Another parameter has this name", below(here, "name"))
		}
		if required := object["required"]; required != nil {
			if one.Required, ok = required.(bool); !ok {
				p.refuse(problem.InvalidFormat, forms[BooleanField], below(here, "required"))
			}
		}
		p.parameterDefault(&one, below(here, "default"), object["default"])
		p.d.Parameters = append(p.d.Parameters, one)
	}
}

func (p *parser) parameterDefault(one *Parameter, path []string, v any) {
	if v == nil {
		return
	}
	value, ok := one.Type.read(v)
	switch {
	case !ok:
		p.refuse(problem.InvalidFormat, forms[one.Type], path)
	case one.Required:
		p.refuse(problem.NotApplicable, "A required parameter has no default", path)
	default:
		one.Default = value
	}
}

func (p *parser) parameter(name string) *Parameter {
	i := slices.IndexFunc(p.d.Parameters, func(one Parameter) bool { return one.Name == name })
	if i < 0 {
		return nil
	}
	return &p.d.Parameters[i]
}

// unused refuses parameters that have no effect.
func (p *parser) unused(root []string) {
	for i, one := range p.d.Parameters {
		if one.Name != "" && !p.used[one.Name] {
			p.refuse(problem.NotApplicable, "No filter compares with this parameter", below(root, "parameters", strconv.Itoa(i), "name"))
		}
	}
}
