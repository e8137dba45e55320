package rest

import (
	"net/http"
	"net/url"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/scan"
	"github.com/uplinehq/upline/rest/input"
)

// dryRunVariable is the query parameter that asks for a preview. An operation that
// declares it selects what would change with @include(if: $dryRun).
const dryRunVariable = "dryRun"

// readDryRun refuses dryRun on a path without a preview: if the parameter were ignored,
// the request would make a change that its sender does not want yet.
func (e *shape) readDryRun(query url.Values, c *input.Checker) {
	if e.route.Method != http.MethodGet && e.preview == nil && query.Has(dryRunVariable) {
		c.Refuse(problem.NotApplicable, "is not available: this path has no preview", []string{dryRunVariable})
	}
}

// replyPreview answers a dry run: 200 with { "applied": false, "changes": … }.
func (e *shape) replyPreview(root []byte) (*reply, error) {
	changes, err := scan.Member(root, e.previewed)
	if err != nil || changes == nil {
		return nil, scan.ErrJSON
	}
	body, err := e.preview.Append([]byte(`{"applied":false,"changes":`), changes)
	return &reply{status: http.StatusOK, header: http.Header{}, body: append(body, '}')}, err
}
