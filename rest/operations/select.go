package operations

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"

	"github.com/uplinehq/upline/graph/selection"
)

// Selecting returns the operation without those fields of a record that are not kept. What
// an object with the alias of a spread holds are fields of the record, too; an object of
// which none is kept goes.
func (o *Operation) Selecting(schema *ast.Schema, record *ast.Field, spread string, keep func(alias string) bool) (*Operation, error) {
	definition := *o.Definition
	definition.SelectionSet = ast.SelectionSet{without(o.Root, record, spread, keep)}
	var document strings.Builder
	formatter.NewFormatter(&document).FormatQueryDocument(&ast.QueryDocument{Operations: ast.OperationList{&definition}})
	return Parse(schema, document.String())
}

// without copies a field with all that is below it, fragments in their place.
func without(f, record *ast.Field, spread string, keep func(alias string) bool) *ast.Field {
	copied := *f
	copied.SelectionSet = nil
	for _, below := range selection.Fields(f.SelectionSet) {
		switch {
		case f == record && below.Alias == spread:
			if below = without(below, below, spread, keep); len(below.SelectionSet) == 0 {
				continue
			}
		case f == record && !keep(below.Alias):
			continue
		default:
			below = without(below, record, spread, keep)
		}
		copied.SelectionSet = append(copied.SelectionSet, below)
	}
	return &copied
}
