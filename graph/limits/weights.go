package limits

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// weights is what each field of a schema weighs, in points.
//
// A field weighs what @cost(weight:) on its definition says. Without the directive it
// weighs 1 when it returns an object, and nothing when it returns a scalar or an enum,
// which are read with their object. The parts of a page (edges, node, nodes, pageInfo)
// together weigh 1 per row, so that both ways of writing a page cost the same: edges and
// nodes weigh 1, node and pageInfo nothing.
//
// What the database reads besides the rows of an answer weighs too: a point for each 5,000
// rows that an offset skips, up to two million, and for each ten values of lists among the
// arguments. How much a count reads is not known beforehand: app charges
// afterwards what statements took beyond the cost.
//
// A page of a connection costs as many rows as it has room for, or, if @listSize says how
// many there usually are, no more than that. The number of objects is bounded by the room
// in any case.
//
// A field of an interface weighs as much as the heaviest field that implements it. A list
// that is no connection also weighs 1 for each of its rows, when its @listSize says how
// many there are.
type weights map[*ast.FieldDefinition]weight

// weight is what one field of a schema weighs.
type weight struct {
	points int64
	// size is set by @listSize.
	size *size
	// row is set for a list whose size is given by the field around it.
	row bool
	// likely is what @listSize assumes of a connection; 0 without the directive.
	likely int64
}

func readWeights(schema *ast.Schema) (weights, error) {
	w := weights{}
	for _, parent := range schema.Types {
		for _, field := range parent.Fields {
			points, err := weigh(schema, parent, field)
			if err != nil {
				return nil, err
			}
			w[field] = weight{points: points}
		}
	}
	for _, parent := range schema.Types {
		if parent.Kind != ast.Interface {
			continue
		}
		for _, field := range parent.Fields {
			for _, object := range schema.PossibleTypes[parent.Name] {
				w[field] = weight{points: max(w[field].points, w[object.Fields.ForName(field.Name)].points)}
			}
		}
	}
	return w, w.readSizes(schema)
}

// defaultWeight is that of the directive: @cost(weight: Int! = 1).
const defaultWeight = 1

func weigh(schema *ast.Schema, parent *ast.Definition, field *ast.FieldDefinition) (int64, error) {
	if directive := field.Directives.ForName("cost"); directive != nil {
		argument := directive.Arguments.ForName("weight")
		if argument == nil {
			return defaultWeight, nil
		}
		weight, err := strconv.ParseInt(argument.Value.Raw, 10, 32)
		if err != nil || weight < 0 {
			return 0, fmt.Errorf("limits: %s.%s: the weight of @cost must be an integer of at least 0", parent.Name, field.Name)
		}
		return weight, nil
	}
	returned := schema.Types[field.Type.Name()]
	if returned == nil || returned.IsLeafType() || isWrapping(parent.Name, field.Name) {
		return 0, nil
	}
	return defaultWeight, nil
}

// of returns the weight of a selected field. Fields that no type declares, such as
// __schema, weigh what a field without a directive does.
func (w weights) of(field *ast.Field) weight {
	if known, ok := w[field.Definition]; ok {
		return known
	}
	if len(field.SelectionSet) == 0 {
		return weight{}
	}
	return weight{points: defaultWeight}
}

// isConnection reports whether a type is a connection, by its name.
func isConnection(typeName string) bool { return strings.HasSuffix(typeName, "Connection") }

// isWrapping reports whether a field only holds a page together: it comes with
// the connection or with the row.
func isWrapping(parentName, fieldName string) bool {
	return fieldName == "pageInfo" && isConnection(parentName) ||
		fieldName == "node" && strings.HasSuffix(parentName, "Edge")
}
