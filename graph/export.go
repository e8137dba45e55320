package graph

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/extract"
	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/graph/read"
	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/graph/transport"
	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/scan"
)

// exportPage is how many rows of an export are read at once, if they do not cost too
// much. It is more than a request may ask for, since nobody waits for them.
const exportPage = 500

// Exports returns what reads queries for exports. They run on the same executable schema
// as requests, so with their scopes, limits and masks.
func (s *Server) Exports() export.Source { return exports{s} }

type exports struct{ *Server }

// Plan implements export.Source.
func (s exports) Plan(ctx context.Context, q export.Query) (export.Plan, error) {
	c, err := extract.New(s.schema, q.Document, q.Path, func(doc *ast.QueryDocument, errs gqlerror.List) {
		op := &graphql.OperationContext{}
		if doc != nil && len(doc.Operations) > 0 {
			op.Doc, op.Operation = doc, doc.Operations[0]
		}
		transport.Explain(op, errs)
	})
	if err != nil {
		return nil, err
	}
	p := &exportPlan{server: s.Server, Connection: c, query: q, size: exportPage}
	return p, p.fit(ctx)
}

// exportPlan implements export.Plan.
type exportPlan struct {
	server *Server
	*extract.Connection
	query export.Query
	// size is how many rows a page has.
	size int
}

// Columns implements export.Plan.
func (p *exportPlan) Columns() []sheet.Column { return p.Connection.Columns }

// Scopes implements export.Plan.
func (p *exportPlan) Scopes() []string { return p.Connection.Scopes }

// unchargedKey marks operations that are charged to nobody's budget.
type unchargedKey struct{}

// context returns a context in which pages may have more rows than those of a request.
func (p *exportPlan) context(ctx context.Context) context.Context {
	ctx = read.WithDefaultView(page.WithAtLeast(ctx, p.size), history.AsOf{Day: p.query.OnDate})
	return context.WithValue(graphql.StartOperationTrace(ctx), unchargedKey{}, true)
}

func (p *exportPlan) params(after string) *graphql.RawParams {
	variables := maps.Clone(p.query.Variables)
	if variables == nil {
		variables = map[string]any{}
	}
	variables[extract.First], variables[extract.Counting] = int64(p.size), after == ""
	if after != "" {
		variables[extract.After] = after
	}
	now := graphql.Now()
	return &graphql.RawParams{Query: p.Document, Variables: variables, ReadTime: graphql.TraceTiming{Start: now, End: now}}
}

// fit makes pages small enough for each to be within the limits of an operation.
func (p *exportPlan) fit(ctx context.Context) error {
	for {
		op, errs := p.server.CreateOperationContext(p.context(ctx), p.params(""))
		if len(errs) == 0 {
			return nil
		}
		if errs[0].Extensions["code"] == limits.CodeCost && p.size > 1 {
			p.size /= 2
			continue
		}
		transport.Explain(op, errs)
		field := "query"
		if len(errs[0].Path) > 0 && errs[0].Path[0] == ast.PathName("variable") {
			field = "variables"
		}
		return problem.Invalid(problem.InvalidFormat, errs[0].Message, field)
	}
}

var errNoAnswer = errors.New("graph: a page of an export has no answer")

// Page implements export.Plan. Sensitive values that the page shows are in the audit
// trail before it returns.
func (p *exportPlan) Page(ctx context.Context, after string) (export.Page, error) {
	ctx, shown := audit.Hold(p.context(ctx))
	op, errs := p.server.CreateOperationContext(ctx, p.params(after))
	if errs != nil {
		return export.Page{}, exportFailure(errs)
	}
	respond, running := p.server.DispatchOperation(ctx, op)
	answer := respond(running)
	if answer == nil { // ctx ended before the page was read
		return export.Page{}, cmp.Or(context.Cause(ctx), errNoAnswer)
	}
	if !OnlyUnreadable(answer.Errors) {
		if answer.Errors[0].Extensions["code"] == codeTimeout && p.size > 1 && ctx.Err() == nil {
			p.size /= 2
			return p.Page(ctx, after)
		}
		return export.Page{}, exportFailure(answer.Errors)
	}
	if len(shown.Entries) > 0 {
		shown.Operation = audit.OriginFrom(ctx).Operation
		if err := p.server.trail.RevealShown(ctx, *shown); err != nil {
			return export.Page{}, err
		}
	}
	rows, err := p.read(answer.Data)
	rows.Reveals, rows.Unreadable = len(shown.Entries) > 0, len(answer.Errors)
	return rows, err
}

// read takes the page out of an answer.
func (p *exportPlan) read(data []byte) (rows export.Page, err error) {
	for _, name := range p.Path {
		if data, err = scan.Member(data, name); err != nil {
			return rows, err
		}
		if scan.IsNull(data) {
			return rows, problem.Missing(problem.NotFoundCode, "There is nothing at "+name+" of the connection's path", "connectionPath")
		}
	}
	rows.Rows = make([]json.RawMessage, 0, p.size)
	return rows, scan.Members(data, func(name, value []byte) error {
		switch string(name) {
		case p.Rows:
			return scan.Elements(value, func(row []byte) error {
				rows.Rows = append(rows.Rows, row)
				return nil
			})
		case extract.PageInfo:
			var info struct {
				HasNextPage bool
				EndCursor   *string
			}
			err := json.Unmarshal(value, &info)
			if info.HasNextPage && info.EndCursor != nil {
				rows.Next = *info.EndCursor
			}
			return err
		case extract.Total:
			return json.Unmarshal(value, &rows.Total)
		}
		return nil
	})
}

// exportFailure returns the error that ends an export: a problem, if people can do
// something about it.
func exportFailure(errs gqlerror.List) error {
	e, p := errs[0], refusal.Of(errs[0])
	switch {
	case e.Extensions["code"] == refusal.Internal:
		return fmt.Errorf("graphql: %s (trace id %v)", e.Message, e.Extensions["traceId"])
	case p != nil && p.HTTPStatus() == http.StatusForbidden:
		return &problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode, Message: e.Message, Field: []string{"query"}}
	case p != nil && len(p.Field) > 0:
		return problem.Invalid(problem.InvalidFormat, p.Field[len(p.Field)-1]+" "+e.Message, "query")
	}
	return problem.Invalid(problem.InvalidFormat, e.Message, "query")
}
