package limits

import (
	"reflect"

	"github.com/vektah/gqlparser/v2/ast"
)

// amount is the cost of a selection set. Below a connection, what is selected
// once per row (under edges and nodes) is kept apart, until the field that has
// the page size multiplies it: the two may be in different fragments.
type amount struct {
	points, nodes       int64
	rowPoints, rowNodes int64
}

func (a *amount) add(b amount) {
	a.points = plus(a.points, b.points)
	a.nodes = plus(a.nodes, b.nodes)
	a.rowPoints = plus(a.rowPoints, b.rowPoints)
	a.rowNodes = plus(a.rowNodes, b.rowNodes)
}

// times multiplies by the rows of a page: the objects by the rows that the page has room
// for, the cost by those that it is likely to have.
func (a amount) times(rows, likely int64) amount {
	return amount{
		points: plus(a.points, times(likely, a.rowPoints)),
		nodes:  plus(a.nodes, times(rows, a.rowNodes)),
	}
}

// program is the cost of an operation as a function of its variables.
type program struct {
	root *plan
	// shared is how many fragments have a plan with parts; each has a slot.
	shared int
}

// plan is the cost of a selection set: a fixed amount, and the parts that
// depend on variables or on page sizes. Most point reads are all fixed.
type plan struct {
	fixed amount
	parts []part
	// slot is where the amount of a fragment is kept during one evaluation,
	// counted from 1; 0 for a plan that only one selection uses.
	slot int
}

// part is a selection whose cost is not known in advance.
type part struct {
	conditions []condition
	// field is nil for a fragment.
	field *fieldCost
	below *plan
}

// fieldCost is what a field adds to what is selected below it.
type fieldCost struct {
	points, nodes int64
	// page is set for a connection and for what has a @listSize; row for edges
	// and nodes of a connection, and for the lists of an object with a size.
	page *page
	row  bool
	// likely is how many rows a page usually has at most; 0 if that is not known.
	likely int64
	// reads is nil if the arguments say nothing of what is read.
	reads *reading
	// list is set when the field is itself the list that page counts: each row
	// then weighs 1, as in a page of a connection.
	list bool
}

// around returns the cost of a field from the cost of what is below it, with room for
// so many rows.
func (f *fieldCost) around(below amount, rows int64) amount {
	if f.list {
		below = amount{rowPoints: plus(below.points, defaultWeight), rowNodes: plus(below.nodes, 1)}
	}
	likely := rows
	if f.likely > 0 {
		likely = min(rows, f.likely)
	}
	total := below.times(rows, likely)
	total.points = plus(total.points, f.points)
	total.nodes = plus(total.nodes, f.nodes)
	if f.row {
		return amount{rowPoints: total.points, rowNodes: total.nodes}
	}
	return total
}

// total evaluates the program. Variables are coerced; usual and most are the
// rows of a page without a size, and of the largest page.
func (p *program) total(variables map[string]any, usual, most int) amount {
	e := p.evaluation(variables, usual, most)
	return e.plan(p.root)
}

func (p *program) evaluation(variables map[string]any, usual, most int) evaluation {
	e := evaluation{variables: variables, usual: int64(usual), most: int64(most)}
	if p.shared > 0 {
		e.known = make([]known, p.shared+1)
	}
	return e
}

type evaluation struct {
	variables   map[string]any
	usual, most int64
	// known holds the amounts of the fragments met so far, by slot: each is
	// evaluated once.
	known []known
	// steps counts the parts that were looked at.
	steps int
}

type known struct {
	amount
	done bool
}

func (e *evaluation) plan(p *plan) amount {
	if p.slot > 0 && e.known[p.slot].done {
		return e.known[p.slot].amount
	}
	total := p.fixed
	for i := range p.parts {
		total.add(e.part(&p.parts[i]))
	}
	if p.slot > 0 {
		e.known[p.slot] = known{total, true}
	}
	return total
}

func (e *evaluation) part(p *part) amount {
	e.steps++
	for _, c := range p.conditions {
		if !c.holds(e.variables) {
			return amount{}
		}
	}
	below := e.plan(p.below)
	if p.field == nil {
		return below
	}
	rows := int64(1)
	if p.field.page != nil {
		rows = p.field.page.rows(e)
	}
	total := p.field.around(below, rows)
	if p.field.reads != nil {
		total.points = plus(total.points, p.field.reads.points(e))
	}
	return total
}

// reading is what the database reads for a field besides the rows that it answers.
type reading struct {
	// offset are the rows of a list that are passed over; lists hold the values that
	// rows are compared with.
	offset *ast.Value
	lists  []*ast.Value
}

const (
	// skippedRows is how many skipped rows cost a point, and mostSkipped how many count:
	// where pages begin is remembered, and what skipping took is paid afterwards.
	skippedRows, mostSkipped = 5_000, 2_000_000
	// comparedValues is how many values of lists cost a point.
	comparedValues = 10
)

func (r *reading) points(e *evaluation) int64 {
	skipped, _ := e.number(r.offset, ceiling)
	compared := int64(0)
	for _, list := range r.lists {
		if value, err := list.Value(e.variables); err == nil {
			compared = plus(compared, elements(reflect.ValueOf(value)))
		}
	}
	return plus(max(0, min(skipped, mostSkipped))/skippedRows, compared/comparedValues)
}

// elements counts the elements of the lists in a value.
func elements(v reflect.Value) (n int64) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return elements(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			n += 1 + elements(v.Index(i))
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			n += elements(entries.Value())
		}
	}
	return n
}

// condition is an @skip or @include.
type condition struct {
	value *ast.Value
	want  bool
}

// holds reports whether the condition lets the selection run. A value that is no boolean
// counts as true here: the executor refuses it.
func (c condition) holds(variables map[string]any) bool {
	value, err := c.value.Value(variables)
	given, ok := value.(bool)
	return err != nil || !ok || given == c.want
}

// page holds the arguments that set a page size; nil for one that is absent.
type page struct {
	first, last *ast.Value
	// size is nil for a connection, whose sizes are the tenant's; otherwise first holds
	// the argument that it names.
	size *size
}

// rows returns the page size that is asked for. A page of a connection above the maximum
// is counted as the maximum: it is refused when it runs ("never silently truncated",
// specification, Errors), with its own message.
func (p *page) rows(e *evaluation) int64 {
	if p.size != nil {
		return p.size.rows(e, p.first)
	}
	first, hasFirst := e.integer(p.first)
	last, hasLast := e.integer(p.last)
	rows := max(first, last)
	if !hasFirst && !hasLast {
		rows = e.usual
	}
	return max(0, min(rows, e.most))
}

// rows returns how many rows the list has room for. No tenant's maximum bounds them, so
// they count as they are asked for.
func (s *size) rows(e *evaluation, argument *ast.Value) int64 {
	if argument == nil {
		return s.assumed
	}
	value, err := argument.Value(e.variables)
	if err != nil {
		return ceiling
	}
	for _, name := range s.argument[1:] {
		fields, _ := value.(map[string]any)
		value = fields[name]
	}
	n, given := number(value, ceiling)
	switch list := reflect.ValueOf(value); {
	case !given:
		return s.assumed
	case list.Kind() == reflect.Slice:
		return int64(list.Len())
	case s.elements:
		return 1 // GraphQL takes a single value as a list of one
	}
	return max(0, min(n, ceiling))
}

func (e *evaluation) integer(v *ast.Value) (n int64, given bool) { return e.number(v, e.most) }

// number returns a value as a number; a number too large for an int64 counts as most.
func (e *evaluation) number(v *ast.Value, most int64) (n int64, given bool) {
	if v == nil {
		return 0, false
	}
	value, err := v.Value(e.variables)
	if err != nil {
		return most, true
	}
	return number(value, most)
}

// number returns a value as a number of rows, at most most.
func number(value any, most int64) (n int64, given bool) {
	switch value := value.(type) {
	case nil:
		return 0, false
	case int64:
		return value, true
	case int:
		return int64(value), true
	case float64:
		return int64(min(value, float64(most))), true
	}
	return most, true // of another type, which the client got past coercion
}
