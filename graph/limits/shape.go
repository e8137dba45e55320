package limits

import "github.com/vektah/gqlparser/v2/ast"

// ceiling is where counting stops. It is far above every limit, and its square
// fits an int64, so that no document can make a number overflow.
const ceiling = 1 << 31

func plus(a, b int64) int64  { return min(a+b, ceiling) }
func times(a, b int64) int64 { return min(a*b, ceiling) }

// shape is the size of a selection set with its fragments spread out.
type shape struct {
	// width is the fields of the set itself, fields those of all levels.
	width, fields       int64
	aliases, directives int64
	// depth is the longest chain of nested fields; meta the longest that goes
	// through introspection.
	depth, meta int64
}

func (s *shape) add(other shape) {
	s.width = plus(s.width, other.width)
	s.fields = plus(s.fields, other.fields)
	s.aliases = plus(s.aliases, other.aliases)
	s.directives = plus(s.directives, other.directives)
	s.depth = max(s.depth, other.depth)
	s.meta = max(s.meta, other.meta)
}

// over returns the limit that an operation of this shape exceeds, or nil.
func (s shape) over() *excess {
	return exceeded(
		excess{"depth", s.depth, MaxDepth},
		excess{"introspectionDepth", s.meta, MaxIntrospectionDepth},
		excess{"rootFields", s.width, MaxRootFields},
		excess{"fields", s.fields, MaxFields},
		excess{"aliases", s.aliases, MaxAliases},
		excess{"directives", s.directives, MaxDirectives},
	)
}

// surveyor measures selection sets. Each fragment is measured once, however
// often it is spread: the time is linear in the document, even when the spread
// out document is exponential in it.
type surveyor struct {
	doc       *ast.QueryDocument
	fragments map[*ast.FragmentDefinition]*shape
	// steps counts the selections that were looked at.
	steps int
}

func measure(doc *ast.QueryDocument, operation *ast.OperationDefinition) shape {
	s := surveyor{doc: doc, fragments: map[*ast.FragmentDefinition]*shape{}}
	return s.operation(operation)
}

func (s *surveyor) operation(operation *ast.OperationDefinition) shape {
	total := s.set(operation.SelectionSet)
	total.directives = plus(total.directives, int64(len(operation.Directives)))
	for _, variable := range operation.VariableDefinitions {
		total.directives = plus(total.directives, int64(len(variable.Directives)))
	}
	return total
}

func (s *surveyor) set(set ast.SelectionSet) shape {
	var total shape
	for _, selection := range set {
		s.steps++
		switch selection := selection.(type) {
		case *ast.Field:
			total.add(s.field(selection))
		case *ast.InlineFragment:
			total.add(s.set(selection.SelectionSet))
			total.directives = plus(total.directives, int64(len(selection.Directives)))
		case *ast.FragmentSpread:
			total.add(s.fragment(selection.Name))
			total.directives = plus(total.directives, int64(len(selection.Directives)))
		}
	}
	return total
}

func (s *surveyor) field(field *ast.Field) shape {
	below := s.set(field.SelectionSet)
	total := shape{
		width:      1,
		fields:     plus(below.fields, 1),
		aliases:    below.aliases,
		directives: plus(below.directives, int64(len(field.Directives))),
		depth:      plus(below.depth, 1),
	}
	if field.Alias != field.Name {
		total.aliases = plus(total.aliases, 1)
	}
	if below.meta > 0 {
		total.meta = plus(below.meta, 1)
	}
	if field.Name == "__schema" || field.Name == "__type" {
		total.meta, total.depth = total.depth, 1
	}
	return total
}

// fragment measures a named fragment. The validator refuses cycles; should one
// come this far it exceeds every limit.
func (s *surveyor) fragment(name string) shape {
	definition := s.doc.Fragments.ForName(name)
	if definition == nil {
		return shape{} // refused by the validator
	}
	if known, ok := s.fragments[definition]; ok {
		return *known
	}
	known := &shape{depth: ceiling}
	s.fragments[definition] = known
	*known = s.set(definition.SelectionSet)
	known.directives = plus(known.directives, int64(len(definition.Directives)))
	return *known
}
