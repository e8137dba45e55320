package recipe

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/problem"
)

// parser reads a definition and collects everything that is wrong with it, each problem
// with its path: "Unknown fields/operators → 400 with the path" (api "Report recipe").
type parser struct {
	problem.List
	dataset *Dataset
	d       Definition
	// used are the parameters that filters compare with.
	used map[string]bool
}

// parse reads a definition for a dataset. The problems are about fields below
// definition.
func parse(dataset *Dataset, definition map[string]any) (*Definition, problem.List) {
	p := &parser{dataset: dataset, used: map[string]bool{}}
	root := []string{definitionField}
	p.known(root, definition, "columns", "filters", "groupBy", "sort", "asOf", "parameters", "limit")
	p.asOf(root, definition["asOf"])
	p.parameters(below(root, "parameters"), definition["parameters"])
	p.groupBy(below(root, "groupBy"), definition["groupBy"])
	p.columns(below(root, "columns"), definition["columns"])
	p.filters(below(root, "filters"), definition["filters"])
	p.sort(below(root, "sort"), definition["sort"])
	p.limit(below(root, "limit"), definition["limit"])
	p.unused(root)
	return &p.d, p.List
}

const definitionField = "definition"

func (p *parser) refuse(code problem.Code, message string, path []string) {
	p.Add(problem.Invalid(code, message, path...))
}

// unknown refuses a word that is not among the allowed ones, which it lists.
func (p *parser) unknown(code problem.Code, path, allowed []string) {
	p.Add(problem.Invalid(code, "must be one of "+strings.Join(allowed, ", "), path...).With("allowed", allowed))
}

// propertyForm matches texts that look like names of properties. Other texts are not
// repeated: a value in the wrong place could be sensitive.
var propertyForm = regexp.MustCompile(`^[A-Za-z_]{1,50}$`)

// known refuses properties that an object does not have.
func (p *parser) known(path []string, object map[string]any, names ...string) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if slices.Contains(names, name) {
			continue
		}
		if !propertyForm.MatchString(name) {
			name = "?"
		}
		p.Add(problem.Invalid(problem.UnknownField, "is not a known property; known are "+strings.Join(names, ", "), below(path, name)...).With("allowed", names))
	}
}

// list reads a list of at most that many elements; nil and absent count as an empty list.
func (p *parser) list(path []string, v any, most int) []any {
	list, ok := v.([]any)
	switch {
	case v == nil:
	case !ok:
		p.refuse(problem.InvalidFormat, "must be an array", path)
	case len(list) > most:
		p.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must not hold more than %d", most), path...).With("max", most))
		return nil
	}
	return list
}

// none reports whether a value that may be a list has no element.
func none(v any) bool {
	list, isList := v.([]any)
	return v == nil || isList && len(list) == 0
}

func (p *parser) object(path []string, v any) (map[string]any, bool) {
	object, ok := v.(map[string]any)
	if !ok {
		p.refuse(problem.InvalidFormat, "must be an object", path)
	}
	return object, ok
}

// word reads a text that is one of a few; the first one if it is absent.
func (p *parser) word(path []string, v any, allowed []string) string {
	if v == nil {
		return allowed[0]
	}
	word, _ := v.(string)
	if !slices.Contains(allowed, word) {
		p.unknown(problem.InvalidFormat, path, allowed)
		return allowed[0]
	}
	return word
}

// field reads the name of a field of the dataset.
func (p *parser) field(path []string, v any) *Field {
	name, isText := v.(string)
	if v == nil {
		p.refuse(problem.Required, "is required", path)
		return nil
	}
	f := p.dataset.field(name)
	if !isText || f == nil {
		p.unknown(problem.UnknownField, path, p.dataset.fieldNames())
		return nil
	}
	return f
}

func (p *parser) asOf(root []string, v any) {
	text, _ := v.(string)
	if v == nil {
		text = asOfToday
	}
	if _, err := date.Parse(text); err != nil && text != asOfToday && text != asOfParameter {
		p.refuse(problem.InvalidFormat, "must be today, parameter, or a date in the form YYYY-MM-DD", below(root, "asOf"))
	}
	p.d.AsOf = text
}

func (p *parser) groupBy(path []string, v any) {
	for i, element := range p.list(path, v, maxColumns) {
		f := p.field(at(path, i), element)
		switch {
		case f == nil:
		case slices.Contains(p.d.GroupBy, f.Name):
			p.refuse(problem.DuplicateKey, "is given more than once", at(path, i))
		default:
			p.d.GroupBy = append(p.d.GroupBy, f.Name)
		}
	}
}

func (p *parser) sort(path []string, v any) {
	for i, element := range p.list(path, v, maxSorts) {
		here := at(path, i)
		object, ok := p.object(here, element)
		if !ok {
			continue
		}
		p.known(here, object, "field", "direction")
		direction := p.word(below(here, "direction"), object["direction"], []string{"asc", "desc"})
		name, _ := object["field"].(string)
		switch {
		case object["field"] == nil:
			p.refuse(problem.Required, "is required", below(here, "field"))
		case !slices.Contains(p.sortable(), name):
			p.unknown(problem.UnknownSortField, below(here, "field"), p.sortable())
		case slices.ContainsFunc(p.d.Sort, func(s Sort) bool { return s.Field == name }):
			p.refuse(problem.DuplicateKey, "is given more than once", below(here, "field"))
		default:
			p.d.Sort = append(p.d.Sort, Sort{Field: name, Desc: direction == "desc"})
		}
	}
}

// sortable are the keys of the columns and every other field with one value for each row:
// all fields of the dataset, or, in a grouped report, those it is grouped by.
func (p *parser) sortable() []string {
	names := make([]string, len(p.d.Columns))
	for i, c := range p.d.Columns {
		names[i] = c.key()
	}
	more := p.dataset.fieldNames()
	if p.d.grouped() {
		more = p.d.GroupBy
	}
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (p *parser) limit(path []string, v any) {
	p.d.Limit = MaxRows
	if v == nil {
		return
	}
	number, _ := v.(json.Number)
	n, err := strconv.Atoi(number.String())
	if err != nil || n < 1 || n > MaxRows {
		p.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be an integer from 1 to %d", MaxRows), path...).With("max", MaxRows))
		return
	}
	p.d.Limit = n
}

func texts[T ~string](list []T) []string {
	all := make([]string, len(list))
	for i, v := range list {
		all[i] = string(v)
	}
	return all
}
