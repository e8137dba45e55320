package recipe

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
)

// parser reads a definition and collects everything that is wrong with it, each problem
// with its path: "Unknown fields/operators → 400 with the path" (api "Report recipe").
type parser struct {
	problem.List
	definition
	// used are the parameters that filters compare with.
	used map[string]bool
}

// node is a value of a definition, with its path.
type node struct {
	path  []string
	value any
}

// rootOf is the node of a whole definition.
func rootOf(definition map[string]any) node { return node{[]string{"definition"}, definition} }

// at is the node of a property; nil is its value if there is none.
func (n node) at(name string) node {
	object, _ := n.value.(map[string]any)
	return node{append(slices.Clone(n.path), name), object[name]}
}

// parse reads a definition for a dataset. The problems are about fields below
// definition.
func parse(dataset *Dataset, given map[string]any) (*definition, problem.List) {
	p := &parser{definition: definition{dataset: dataset}, used: map[string]bool{}}
	root := rootOf(given)
	p.object(root, "columns", "filters", "groupBy", "sort", "chart", "asOf", "parameters", "limit")
	p.readDay(root.at("asOf"))
	p.readParameters(root.at("parameters"))
	p.readGroups(root.at("groupBy"))
	p.readColumns(root.at("columns"))
	p.readFilters(root.at("filters"))
	p.readSort(root.at("sort"))
	p.readChart(root.at("chart"))
	p.readLimit(root.at("limit"))
	p.unused(root.at("parameters"))
	return &p.definition, p.List
}

func (p *parser) refuse(code problem.Code, message string, n node) {
	p.Add(problem.Invalid(code, message, n.path...))
}

// unknown refuses a word that is not among the allowed ones, which it lists.
func (p *parser) unknown(code problem.Code, n node, allowed []string) {
	p.Add(problem.Invalid(code, "must be one of "+strings.Join(allowed, ", "), n.path...).With("allowed", allowed))
}

// list reads a list of at most that many elements; nil and absent count as an empty list.
func (p *parser) list(n node, most int) (elements []node) {
	list, ok := n.value.([]any)
	switch {
	case n.value == nil:
	case !ok:
		p.refuse(problem.InvalidFormat, "must be an array", n)
	case len(list) > most:
		p.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must not hold more than %d", most), n.path...).With("max", most))
		return nil
	}
	for i, v := range list {
		element := n.at(strconv.Itoa(i))
		element.value = v
		elements = append(elements, element)
	}
	return elements
}

// none reports whether a value that may be a list has no element.
func (n node) none() bool {
	list, isList := n.value.([]any)
	return n.value == nil || isList && len(list) == 0
}

// object refuses what is no object, and properties that it does not have.
func (p *parser) object(n node, names ...string) bool {
	object, ok := n.value.(map[string]any)
	if !ok {
		p.refuse(problem.InvalidFormat, "must be an object", n)
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(names, name) {
			p.Add(problem.Invalid(problem.UnknownField, "is not a known property; known are "+strings.Join(names, ", "), n.at(problem.NameOf(name)).path...).With("allowed", names))
		}
	}
	return ok
}

// objects are the elements of a list that are objects with these properties.
func (p *parser) objects(n node, most int, names ...string) iter.Seq[node] {
	return func(yield func(node) bool) {
		for _, element := range p.list(n, most) {
			if p.object(element, names...) && !yield(element) {
				return
			}
		}
	}
}

// word reads a text that is one of a few; the first one if it is absent.
func (p *parser) word(n node, allowed []string) string {
	word, _ := n.value.(string)
	if n.value != nil && !slices.Contains(allowed, word) {
		p.unknown(problem.InvalidFormat, n, allowed)
	}
	if !slices.Contains(allowed, word) {
		return allowed[0]
	}
	return word
}

// field reads the name of a field of the dataset.
func (p *parser) field(n node) *Field {
	if n.value == nil {
		p.refuse(problem.Required, "is required", n)
		return nil
	}
	name, _ := n.value.(string)
	f := p.dataset.field(name)
	if f == nil {
		p.unknown(problem.UnknownField, n, p.dataset.fieldNames())
	}
	return f
}

func (p *parser) readDay(n node) {
	text, _ := n.value.(string)
	if n.value == nil {
		text = asOfToday
	}
	if _, err := date.Parse(text); err != nil && text != asOfToday && text != asOfParameter {
		p.refuse(problem.InvalidFormat, "must be today, parameter, or a date in the form YYYY-MM-DD", n)
	}
	p.asOf = text
}

func (p *parser) readGroups(n node) {
	for _, element := range p.list(n, maxColumns) {
		switch f := p.field(element); {
		case f == nil:
		case slices.Contains(p.groupBy, expression{f, noAggregate}):
			p.refuse(problem.DuplicateKey, "is given more than once", element)
		default:
			p.groupBy = append(p.groupBy, expression{f, noAggregate})
		}
	}
}

func (p *parser) readSort(n node) {
	for object := range p.objects(n, maxSorts, "field", "direction") {
		desc := p.word(object.at("direction"), []string{"asc", "desc"}) == "desc"
		by, sortable := object.at("field"), p.sortable()
		name, _ := by.value.(string)
		i := slices.IndexFunc(sortable, func(e expression) bool { return e.key() == name })
		switch {
		case by.value == nil:
			p.refuse(problem.Required, "is required", by)
		case i < 0:
			p.unknown(problem.UnknownSortField, by, keys(sortable))
		case slices.ContainsFunc(p.sort, func(s sorting) bool { return s.key() == name }):
			p.refuse(problem.DuplicateKey, "is given more than once", by)
		default:
			p.sort = append(p.sort, sorting{sortable[i], desc})
		}
	}
}

// sortable are the columns and every other field with one value for each row: all fields
// of the dataset, or, in a grouped report, those it is grouped by.
func (p *parser) sortable() (all []expression) {
	for _, c := range p.columns {
		all = append(all, c.expression)
	}
	more := p.groupBy
	if !p.grouped() {
		for i := range p.dataset.Fields {
			more = append(more, expression{&p.dataset.Fields[i], noAggregate})
		}
	}
	for _, e := range more {
		if !slices.Contains(keys(all), e.key()) {
			all = append(all, e)
		}
	}
	return all
}

func keys(list []expression) []string {
	all := make([]string, len(list))
	for i, e := range list {
		all[i] = e.key()
	}
	return all
}

func (p *parser) readLimit(n node) {
	p.limit = MaxRows
	if n.value == nil {
		return
	}
	number, _ := n.value.(json.Number)
	limit, err := strconv.Atoi(number.String())
	if err != nil || limit < 1 || limit > MaxRows {
		p.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be an integer from 1 to %d", MaxRows), n.path...).With("max", MaxRows))
		return
	}
	p.limit = limit
}
