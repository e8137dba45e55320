package rest

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
	// changeSetType is the type that describes a change, or a list of it. It is no part
	// of the record.
	changeSetType = "PeriodChangeSet"
	// plannedType is the type of a period in a change set.
	plannedType = "PlannedPeriod"
)

// spreadAlias is the alias of an object whose fields are written in its place.
const spreadAlias = "_"

type planKind int

const (
	leafPlan    planKind = iota // copied
	enumPlan                    // respelled
	objectPlan                  // member by member
	singlePlan                  // written as its only member
	listPlan                    // element by element
	entriesPlan                 // elements of a key and a value, as a dictionary
)

// plan says how one value of a response is written. It is made once for each operation.
type plan struct {
	kind      planKind
	typ       *ast.Type
	elem      *plan
	members   []planMember
	spellings map[string]string
	// keyedBy is the member whose value becomes the key of a dictionary.
	keyedBy string
	// verbatim values are copied with all their content.
	verbatim bool
}

// planMember is one property of an object.
type planMember struct {
	name        string
	description string
	// label is the name as it is written: in quotes, with its colon.
	label  []byte
	plan   *plan
	absent bool
	spread bool
	drop   bool
}

// planner makes plans.
type planner struct {
	schema *ast.Schema
	shape  paths.Shape
}

// record makes the plan of a record of the shape, or of the answer of a mutation that
// holds one.
func (p planner) record(f *ast.Field) (*plan, error) {
	made, err := p.value(f.Definition.Type, f, true)
	if err != nil {
		return nil, err
	}
	return made, checkUnique(made)
}

// value makes the plan of a field's value. row is true for the record itself, to which
// the shape applies, and false below it.
func (p planner) value(t *ast.Type, f *ast.Field, row bool) (*plan, error) {
	if t.Elem != nil {
		elem, err := p.value(t.Elem, f, row)
		if err != nil {
			return nil, err
		}
		return &plan{kind: listPlan, typ: t, elem: elem, verbatim: elem.verbatim}, nil
	}
	def := p.schema.Types[t.NamedType]
	switch def.Kind {
	case ast.Scalar:
		if enum := p.schema.Types[p.shape.Values]; enum != nil && f.ObjectDefinition.Name == plannedType && f.Name == "value" {
			return &plan{kind: enumPlan, typ: t, spellings: enumSpellings(enum)}, nil
		}
		return &plan{kind: leafPlan, typ: t, verbatim: true}, nil
	case ast.Enum:
		return &plan{kind: enumPlan, typ: t, spellings: enumSpellings(def)}, nil
	case ast.Object:
		return p.object(t, f, row)
	default:
		return nil, fmt.Errorf("%s: a %s cannot be written", f.Alias, def.Kind)
	}
}

func (p planner) object(t *ast.Type, f *ast.Field, row bool) (*plan, error) {
	o := &plan{kind: objectPlan, typ: t, verbatim: true}
	for _, field := range selection.Fields(f.SelectionSet) {
		m, err := p.member(field, row)
		if err != nil {
			return nil, err
		}
		o.members = append(o.members, m)
		o.verbatim = o.verbatim && m.plan.verbatim && !m.absent && !m.spread && !m.drop
	}
	if len(o.members) == 1 && !o.members[0].spread && !row {
		o.kind, o.verbatim = singlePlan, false
	}
	return o, nil
}

func (p planner) member(f *ast.Field, row bool) (planMember, error) {
	m := planMember{
		name: f.Alias, label: []byte(`"` + f.Alias + `":`), description: f.Definition.Description,
		spread: f.Alias == spreadAlias,
		drop:   row && (slices.Contains(outcomeFields, f.Alias) || f.Definition.Type.Name() == changeSetType),
		absent: row && slices.Contains(p.shape.Absent, f.Alias),
	}
	var err error
	if m.plan, err = p.value(f.Definition.Type, f, row && m.spread); err != nil {
		return m, err
	}
	if key := p.shape.Keyed[f.Alias]; row && key != "" {
		if entry := m.plan.entry(); len(entry.members) < 2 || entry.members[0].name != key {
			return m, fmt.Errorf("%s: the first field must be %s", f.Alias, key)
		}
		m.plan.keyedBy, m.plan.verbatim = key, false
		if m.plan.kind == listPlan {
			m.plan.kind = entriesPlan
		}
	}
	return m, nil
}

// entry is the object of a dictionary's entry.
func (p *plan) entry() *plan {
	if p.elem != nil {
		return p.elem
	}
	return p
}

// checkUnique refuses a record that would have the same property twice: its own, and one
// of an object that is written in its place.
func checkUnique(p *plan) error {
	seen := map[string]bool{}
	var walk func(*plan) error
	walk = func(p *plan) error {
		for _, m := range p.members {
			if m.spread {
				if err := walk(m.plan); err != nil {
					return err
				}
				continue
			}
			if seen[m.name] {
				return fmt.Errorf("the property %s is selected twice", m.name)
			}
			seen[m.name] = true
		}
		return nil
	}
	return walk(p)
}
