package rest

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/selection"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/scan"
	"github.com/uplinehq/upline/rest/input"
	"github.com/uplinehq/upline/rest/record"
)

// dryRunVariable is the query parameter that asks for a preview. An operation that
// declares it selects what would change with @include(if: $dryRun).
const dryRunVariable = "dryRun"

// planPreview plans the answer to a dry run; nil if the operation has none.
func (e *endpoint) planPreview(p record.Planner, root *ast.Field) (err error) {
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

// readDryRun refuses dryRun on a path without a preview: if the parameter were ignored,
// the request would make a change that its sender does not want yet.
func (e *endpoint) readDryRun(query url.Values, c *input.Checker) {
	if e.route.Method != http.MethodGet && e.preview == nil && query.Has(dryRunVariable) {
		c.Refuse(problem.NotApplicable, "is not available: this path has no preview", []string{dryRunVariable})
	}
}

// replyPreview answers a dry run: 200 with { "applied": false, "changes": … }.
func (e *endpoint) replyPreview(root []byte) (*reply, error) {
	changes, err := scan.Member(root, e.previewed)
	if err != nil || changes == nil {
		return nil, scan.ErrJSON
	}
	body, err := e.preview.Append([]byte(`{"applied":false,"changes":`), changes)
	return &reply{status: http.StatusOK, header: http.Header{}, body: append(body, '}')}, err
}
