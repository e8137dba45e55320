package rest

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/selection"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/rest/operations"
	"github.com/uplinehq/upline/rest/paths"
	"github.com/uplinehq/upline/rest/record"
)

// tableRow is a row of the table with its operation.
type tableRow struct {
	schema    *ast.Schema
	api       paths.API
	route     paths.Route
	operation *operations.Operation
}

// shape says how the answer of a path is written.
type shape struct {
	tableRow
	// record is the field whose selection is that of the record.
	record *ast.Field
	// rows writes the record, or each record of the list; nil for removed and valid.
	rows *record.Plan
	// unwritten are properties of the record that are selected and not asked for.
	unwritten []string
	// listOf is the field of a record that holds the list, or the table; nil if the
	// operation's own field holds it.
	listOf *ast.Field
	// connection says that the list is paged in GraphQL too.
	connection bool
	// preview writes the field previewed, which says what a dry run would change; nil if
	// there is none.
	preview   *record.Plan
	previewed string
	// columns are the columns of a list's rows as CSV. A table names its own.
	columns []sheet.Column
}

func (e *shape) plan() (err error) {
	planner := record.Planner{Schema: e.schema, Shape: e.route.Shape, Unwritten: e.unwritten}
	root := e.operation.Root
	switch e.route.Outcome {
	case paths.Removed, paths.Valid:
		return nil
	case paths.Array:
		if root.Definition.Type.Elem == nil {
			return fmt.Errorf("%s is not a list", root.Alias)
		}
	case paths.Listed:
		if root, err = e.planList(root); err != nil {
			return err
		}
	case paths.Tabled:
		root = e.inside(root)
	}
	e.record = root
	if e.rows, err = planner.Record(root); err != nil {
		return err
	}
	if e.route.Outcome == paths.Listed {
		e.columns = planner.Columns(e.rows.Elem)
		return nil
	}
	return e.planPreview(planner, root)
}

// planList returns the field whose elements are the rows. The list may be inside a
// record: agent { aliases { nodes … } }.
func (e *shape) planList(list *ast.Field) (*ast.Field, error) {
	list = e.inside(list)
	fields := selection.Fields(list.SelectionSet)
	nodes := slices.IndexFunc(fields, func(f *ast.Field) bool { return f.Alias == "nodes" })
	if e.connection = nodes >= 0; e.connection {
		list = fields[nodes]
	}
	if list.Definition.Type.Elem == nil {
		return nil, fmt.Errorf("%s is not a list", list.Alias)
	}
	return list, nil
}

// inside returns the only field of a record, if the path answers that field's value;
// otherwise the field itself.
func (e *shape) inside(f *ast.Field) *ast.Field {
	fields := selection.Fields(f.SelectionSet)
	if f.Definition.Type.Elem != nil || len(fields) != 1 {
		return f
	}
	e.listOf = fields[0]
	return e.listOf
}

// selects reports whether a request can choose from the properties of the record. A table
// names its columns itself.
func (e *tableRow) selects() bool {
	return e.route.Method == http.MethodGet && e.route.Outcome != paths.Tabled
}

// hasCSV reports whether the path answers rows, and so serves CSV, too.
func (e *tableRow) hasCSV() bool {
	return e.route.Outcome == paths.Listed || e.route.Outcome == paths.Tabled
}

// answers returns the field whose value the path answers.
func (e *shape) answers() *ast.Field {
	if e.listOf != nil {
		return e.listOf
	}
	return e.operation.Root
}

// argumentDescription returns the schema's description of the argument that takes a
// variable.
func (e *shape) argumentDescription(variable string) string {
	for _, f := range []*ast.Field{e.operation.Root, e.answers()} {
		for _, a := range f.Arguments {
			argument := f.Definition.Arguments.ForName(a.Name)
			if a.Value.Kind == ast.Variable && a.Value.Raw == variable {
				return argument.Description
			}
			for _, v := range a.Value.Children {
				if v.Value.Kind == ast.Variable && v.Value.Raw == variable {
					return e.schema.Types[argument.Type.Name()].Fields.ForName(v.Name).Description
				}
			}
		}
	}
	return ""
}

// revalidates reports whether a client can ask if its copy of the record is current,
// which is answered with 304.
func (e *shape) revalidates() bool { return e.route.Outcome == paths.Found && hasVersion(e.rows) }

// conditional reports whether changes of the path's record can depend on its version.
func (e *tableRow) conditional() bool {
	return e.api.Versioned && (e.route.Method == http.MethodPut || e.route.Method == http.MethodPatch || e.route.Method == http.MethodDelete)
}

// lastModified is the property that gives the version of a record.
const lastModified = "lastModified"

// keyed reports whether requests to the path can have a key. A check changes nothing, so
// it can always be repeated without one.
func (e *tableRow) keyed() bool {
	return e.route.Method == http.MethodPost && e.route.Outcome != paths.Valid
}

// hasVersion reports whether a record has the property that its version is made from.
func hasVersion(record *record.Plan) bool {
	for _, m := range record.Members {
		if m.Name == lastModified || m.Spread && hasVersion(m.Plan) {
			return true
		}
	}
	return false
}

// planPreview plans the answer to a dry run; nil if the operation has none.
func (e *shape) planPreview(p record.Planner, root *ast.Field) (err error) {
	for _, f := range selection.Fields(root.SelectionSet) {
		if f.Definition.Type.Name() == record.ChangeSetType {
			e.previewed = f.Alias
			e.preview, err = p.Value(f.Definition.Type, f, false)
		}
	}
	if asks := e.operation.Definition.VariableDefinitions.ForName(dryRunVariable) != nil; err == nil && asks != (e.preview != nil) {
		err = fmt.Errorf("a preview needs the variable %s and a field that is a %s", dryRunVariable, record.ChangeSetType)
	}
	return err
}
