package rest

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/rest/operations"
	"github.com/uplinehq/upline/rest/paths"
	"github.com/uplinehq/upline/rest/record"
)

// newEndpoints returns the endpoints of the table, not yet bound to a door.
func newEndpoints(schema *ast.Schema, apis []paths.API) ([]*endpoint, error) {
	var endpoints []*endpoint
	for _, a := range apis {
		for _, r := range a.Routes {
			e, err := newEndpoint(schema, a, r)
			if err != nil {
				return nil, err
			}
			endpoints = append(endpoints, e)
		}
	}
	return endpoints, nil
}

// newEndpoint reads the operation of a route. The error says how it does not fit the
// schema or the route.
func newEndpoint(schema *ast.Schema, a paths.API, r paths.Route) (*endpoint, error) {
	op, err := operations.Read(schema, r.Operation)
	if err != nil {
		return nil, fmt.Errorf("rest: %s %s: %w", r.Method, r.Path, err)
	}
	e := &endpoint{intake: intake{shape: shape{tableRow: tableRow{schema, a, r, op}}}}
	if err := e.plan(); err != nil {
		return nil, fmt.Errorf("rest: %s: %w", r.Operation, err)
	}
	if err := e.bind(); err != nil {
		return nil, fmt.Errorf("rest: %s: %w", r.Operation, err)
	}
	return e, nil
}

// selecting returns the endpoint of answers that have only some properties of the record.
// Its operation asks for no others, but for the version of the record's ETag.
func (e *endpoint) selecting(chosen []string) (*endpoint, error) {
	return e.selections.Of(e.route.Operation, chosen, func() (*endpoint, error) {
		narrow := *e
		if e.revalidates() && !slices.Contains(chosen, lastModified) {
			narrow.unwritten = []string{lastModified}
		}
		var err error
		narrow.operation, err = e.operation.Selecting(e.Executor.Schema(), e.record, record.SpreadAlias, func(name string) bool {
			return slices.Contains(chosen, name) || slices.Contains(narrow.unwritten, name)
		})
		if err != nil {
			return nil, err
		}
		return &narrow, narrow.plan()
	})
}

// ServeHTTP runs the operation of the path.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.hasCSV() {
		w.Header().Add("Vary", "Accept")
	}
	var answered *reply
	r, err := followed(r)
	if err == nil {
		answered, err = e.answer(w, r)
	}
	if err != nil {
		e.refuse(w, r, err)
		return
	}
	answered.write(w)
}

func (e *endpoint) answer(w http.ResponseWriter, r *http.Request) (*reply, error) {
	q, err := e.read(w, r)
	if err == nil && q.fields != nil {
		e, err = e.selecting(q.fields)
	}
	if err != nil {
		return nil, err
	}
	ctx, done, refused := e.Admit(r.Context())
	if refused != nil {
		return nil, refused
	}
	defer done()
	r = r.WithContext(ctx)
	run := e.run
	if q.key != "" && !q.dryRun() {
		run = e.runOnce
	}
	a, err := run(r, q)
	if err != nil {
		return nil, err
	}
	return a, e.reveal(r, a)
}

func (e *endpoint) run(r *http.Request, q request) (*reply, error) {
	ctx := r.Context()
	if q.match != nil {
		ctx = q.match.expect(ctx)
	}
	if q.csv { // a header must not be enough to get a file with an agency's sensitive values
		ctx = tenant.Masked(ctx)
	}
	ctx, shown := audit.Hold(ctx)
	a, err := e.reply(r, e.Executor.Execute(ctx, e.operation.Document, e.operation.Definition.Name, q.variables), q)
	if err == nil && !q.dryRun() { // A preview writes nothing of the record.
		a.shown = *shown
	}
	return a, err
}
