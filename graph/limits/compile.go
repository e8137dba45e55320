package limits

import "github.com/vektah/gqlparser/v2/ast"

// compiler turns selection sets into plans. Like surveyor it takes each
// fragment once.
type compiler struct {
	doc       *ast.QueryDocument
	weights   weights
	fragments map[*ast.FragmentDefinition]*plan
	shared    int
	// steps counts the selections that were looked at.
	steps int
}

// compile returns the program of an operation whose shape is within the limits.
func compile(doc *ast.QueryDocument, operation *ast.OperationDefinition, w weights) *program {
	c := compiler{doc: doc, weights: w, fragments: map[*ast.FragmentDefinition]*plan{}}
	return c.operation(operation)
}

func (c *compiler) operation(operation *ast.OperationDefinition) *program {
	root := c.set(operation.SelectionSet)
	return &program{root: root, shared: c.shared}
}

func (c *compiler) set(set ast.SelectionSet) *plan {
	p := &plan{}
	for _, selection := range set {
		c.steps++
		switch selection := selection.(type) {
		case *ast.Field:
			p.add(part{
				conditions: conditions(selection.Directives),
				field:      c.field(selection),
				below:      c.set(selection.SelectionSet),
			})
		case *ast.InlineFragment:
			p.add(part{conditions: conditions(selection.Directives), below: c.set(selection.SelectionSet)})
		case *ast.FragmentSpread:
			p.add(part{conditions: conditions(selection.Directives), below: c.fragment(selection.Name)})
		}
	}
	return p
}

// add adds a selection: to the fixed amount when nothing about it can vary.
func (p *plan) add(s part) {
	varies := len(s.conditions) > 0 || len(s.below.parts) > 0 || s.field != nil && (s.field.page != nil || s.field.reads != nil)
	switch {
	case varies:
		p.parts = append(p.parts, s)
	case s.field == nil:
		p.fixed.add(s.below.fixed)
	default:
		p.fixed.add(s.field.around(s.below.fixed, 1))
	}
}

func (c *compiler) field(field *ast.Field) *fieldCost {
	w := c.weights.of(field)
	f := &fieldCost{points: w.points, likely: w.likely, reads: c.reads(field)}
	if len(field.SelectionSet) == 0 {
		return f
	}
	parent := ""
	if field.ObjectDefinition != nil {
		parent = field.ObjectDefinition.Name
	}
	if !isWrapping(parent, field.Name) {
		f.nodes = 1
	}
	f.row = w.row || isConnection(parent) && (field.Name == "edges" || field.Name == "nodes")
	switch {
	case field.Definition != nil && isConnection(field.Definition.Type.Name()):
		f.nodes = 0 // its rows are counted instead
		f.page = &page{first: argument(field, "first"), last: argument(field, "last")}
	case w.size != nil:
		f.page = &page{size: w.size}
		if len(w.size.argument) > 0 {
			f.page.first = argument(field, w.size.argument[0])
		}
		if f.list = !w.size.within; f.list {
			f.nodes = 0 // its rows are counted instead
		}
	}
	return f
}

// reads returns what the arguments of a field say about how much the database reads for
// it; nil if they say nothing.
func (c *compiler) reads(field *ast.Field) *reading {
	r := &reading{}
	for _, a := range field.Arguments {
		switch {
		case a.Name == "offset":
			r.offset = a.Value
		case a.Value.Kind != ast.Variable && len(a.Value.Children) == 0: // neither a list nor an object
		default:
			r.lists = append(r.lists, a.Value)
		}
	}
	if r.offset == nil && r.lists == nil {
		return nil
	}
	return r
}

func (c *compiler) fragment(name string) *plan {
	definition := c.doc.Fragments.ForName(name)
	if definition == nil {
		return &plan{} // refused by the validator
	}
	if known, ok := c.fragments[definition]; ok {
		return known
	}
	c.fragments[definition] = &plan{} // ends a cycle, which Shape has refused
	p := c.set(definition.SelectionSet)
	if len(p.parts) > 0 {
		c.shared++
		p.slot = c.shared
	}
	c.fragments[definition] = p
	return p
}

// argument returns the value of an argument, or its default in the schema.
func argument(field *ast.Field, name string) *ast.Value {
	if a := field.Arguments.ForName(name); a != nil {
		return a.Value
	}
	if a := field.Definition.Arguments.ForName(name); a != nil {
		return a.DefaultValue
	}
	return nil
}

func conditions(directives ast.DirectiveList) []condition {
	var list []condition
	for _, d := range directives {
		if d.Name != "skip" && d.Name != "include" {
			continue
		}
		if a := d.Arguments.ForName("if"); a != nil {
			list = append(list, condition{value: a.Value, want: d.Name == "include"})
		}
	}
	return list
}
