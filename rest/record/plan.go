// Package record writes the answer of a stored operation as the record that REST
// documents: a plan, made once for each operation, says how, and the JSON of the answer is
// walked over once without being decoded.
package record

import (
	"fmt"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/selection"
	"github.com/uplinehq/upline/rest/paths"
)

// outcomeFields are the fields of a mutation's answer that are not written.
var outcomeFields = []string{"applied", "userErrors"}

const (
	// ChangeSetType is the type that describes a change, or a list of it. It is no part
	// of the record.
	ChangeSetType = "PeriodChangeSet"
	// plannedType is the type of a period in a change set.
	plannedType = "PlannedPeriod"
)

// SpreadAlias is the alias of an object whose fields are written in its place.
const SpreadAlias = "_"

// Kind says how a value is written.
type Kind int

// The kinds of values.
const (
	Leaf    Kind = iota // copied
	Enum                // respelled
	Object              // member by member
	Single              // written as its only member
	List                // element by element
	Entries             // elements of a key and a value, as a dictionary
)

// Plan says how one value of a response is written. It is made once for each operation.
type Plan struct {
	Kind Kind
	Type *ast.Type
	// Elem is the plan of the elements of a list.
	Elem      *Plan
	Members   []Property
	spellings map[string]string
	// KeyedBy is the member whose value becomes the key of a dictionary.
	KeyedBy string
	// verbatim values are copied with all their content.
	verbatim bool
}

// Property is one property of an object.
type Property struct {
	Name        string
	Description string
	// label is the name as it is written: in quotes, with its colon.
	label []byte
	Plan  *Plan
	// Absent properties are left out when they are null.
	Absent bool
	// Spread properties are objects whose own are written in their place.
	Spread bool
	// Drop is set for what is selected and not written.
	Drop bool
}

// Planner makes plans of the records of one shape.
type Planner struct {
	Schema *ast.Schema
	Shape  paths.Shape
	// Unwritten are properties that are selected for the engine alone.
	Unwritten []string
}

// Record makes the plan of a record of the shape, or of the answer of a mutation that
// holds one.
func (p Planner) Record(f *ast.Field) (*Plan, error) {
	made, err := p.Value(f.Definition.Type, f, true)
	if err != nil {
		return nil, err
	}
	return made, checkUnique(made)
}

// Value makes the plan of a field's value. row is true for the record itself, to which
// the shape applies, and false below it.
func (p Planner) Value(t *ast.Type, f *ast.Field, row bool) (*Plan, error) {
	if t.Elem != nil {
		elem, err := p.Value(t.Elem, f, row)
		if err != nil {
			return nil, err
		}
		return &Plan{Kind: List, Type: t, Elem: elem, verbatim: elem.verbatim}, nil
	}
	def := p.Schema.Types[t.NamedType]
	switch def.Kind {
	case ast.Scalar:
		if enum := p.Schema.Types[p.Shape.Values]; enum != nil && f.ObjectDefinition.Name == plannedType && f.Name == "value" {
			return &Plan{Kind: Enum, Type: t, spellings: Spellings(enum)}, nil
		}
		return &Plan{Kind: Leaf, Type: t, verbatim: true}, nil
	case ast.Enum:
		return &Plan{Kind: Enum, Type: t, spellings: Spellings(def)}, nil
	case ast.Object:
		return p.object(t, f, row)
	default:
		return nil, fmt.Errorf("%s: a %s cannot be written", f.Alias, def.Kind)
	}
}

func (p Planner) object(t *ast.Type, f *ast.Field, row bool) (*Plan, error) {
	o := &Plan{Kind: Object, Type: t, verbatim: true}
	for _, field := range selection.Fields(f.SelectionSet) {
		m, err := p.member(field, row)
		if err != nil {
			return nil, err
		}
		o.Members = append(o.Members, m)
		o.verbatim = o.verbatim && m.Plan.verbatim && !m.Absent && !m.Spread && !m.Drop
	}
	if len(o.Members) == 1 && !o.Members[0].Spread && !row {
		o.Kind, o.verbatim = Single, false
	}
	return o, nil
}

func (p Planner) member(f *ast.Field, row bool) (Property, error) {
	m := Property{
		Name: f.Alias, label: []byte(`"` + f.Alias + `":`), Description: f.Definition.Description,
		Spread: f.Alias == SpreadAlias,
		Drop:   row && (slices.Contains(outcomeFields, f.Alias) || slices.Contains(p.Unwritten, f.Alias) || f.Definition.Type.Name() == ChangeSetType),
		Absent: row && slices.Contains(p.Shape.Absent, f.Alias),
	}
	var err error
	if m.Plan, err = p.Value(f.Definition.Type, f, row && m.Spread); err != nil {
		return m, err
	}
	if key := p.Shape.Keyed[f.Alias]; row && key != "" {
		if entry := m.Plan.entry(); len(entry.Members) < 2 || entry.Members[0].Name != key {
			return m, fmt.Errorf("%s: the first field must be %s", f.Alias, key)
		}
		m.Plan.KeyedBy, m.Plan.verbatim = key, false
		if m.Plan.Kind == List {
			m.Plan.Kind = Entries
		}
	}
	return m, nil
}

// entry is the object of a list's element, or of a dictionary's entry.
func (p *Plan) entry() *Plan {
	if p.Elem != nil {
		return p.Elem
	}
	return p
}

// checkUnique refuses a record that would have the same property twice: its own, and one
// of an object that is written in its place.
func checkUnique(p *Plan) error {
	seen := map[string]bool{}
	for _, name := range p.Properties() {
		if seen[name] {
			return fmt.Errorf("the property %s is selected twice", name)
		}
		seen[name] = true
	}
	return nil
}

// Properties are the names of what is written of a record, or of each record of a list.
func (p *Plan) Properties() (names []string) {
	for _, m := range p.entry().Members {
		switch {
		case m.Spread:
			names = append(names, m.Plan.Properties()...)
		case !m.Drop:
			names = append(names, m.Name)
		}
	}
	return names
}
