// Package rest serves the documented REST paths.
//
// Every path is a stored GraphQL operation that runs in process on the
// executable schema, so REST goes through the same directives, limits, loaders
// and rules as GraphQL, and there is nothing to keep in step. (A resolver that
// is called directly skips directives, authorization among them.)
//
// The table of package paths names the operation of each path. The rest is derived:
// the parameters and the body of a request from the operation's variables, the
// body of the response from its selection. A selection becomes JSON with four
// rules, so that most operations say with an alias all there is to say:
//
//   - A property has the name of the field, or its alias.
//   - An object of which one field is selected is written as that field:
//     status: payStatus { name } becomes "status": "Active".
//   - The fields of an object with the alias _ are written in its place.
//   - An enum value is written in the spelling of the specification:
//     ADMINISTRATIVE_SUSPENSION becomes AdministrativeSuspension. Codes, the
//     values of an enum whose name ends in Code, stay as they are.
//
// What these rules cannot say is said beside the table, in the file of the area.
package rest

import (
	"context"
	"errors"
	"log/slog"

	"github.com/go-chi/chi/v5"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/rest/choice"
	"github.com/uplinehq/upline/rest/paths"
)

const (
	// DefaultMaxBody is the body limit when Config sets none: 1 MiB.
	DefaultMaxBody = 1 << 20

	// The page sizes when Config sets none: "typically 50, never more than 100"
	// (specification, Limits).
	defaultPageSize = 50
	maxPageSize     = 100
)

// Handler serves all paths and the OpenAPI document.
type Handler struct {
	chi.Router
	schema *ast.Schema
	// endpoints are those of all paths. Each is made when it is asked for first: a process
	// serves few of them, and all hold 2 MiB.
	endpoints []func() (*endpoint, error)
}

// all returns the endpoints of all paths. The error says which stored operation fits
// neither the schema nor the table.
func (h *Handler) all() ([]*endpoint, error) {
	endpoints := make([]*endpoint, len(h.endpoints))
	for i, made := range h.endpoints {
		var err error
		if endpoints[i], err = made(); err != nil {
			return nil, err
		}
	}
	return endpoints, nil
}

// New returns the handler, or an error if the config lacks something.
func New(config Config) (*Handler, error) {
	if config.Executor == nil || config.Authorize == nil || config.Idempotency == nil || config.Reveals == nil || len(config.TagKey) < 16 {
		return nil, errors.New("rest: Executor, Authorize, Idempotency, Reveals and TagKey are required")
	}
	if config.TraceID == nil {
		config.TraceID = func(context.Context) string { return "" }
	}
	if config.MaxBody <= 0 {
		config.MaxBody = DefaultMaxBody
	}
	if config.Admit == nil {
		config.Admit = func(ctx context.Context) (context.Context, func(), *problem.Error) { return ctx, func() {}, nil }
	}
	if config.Outage == nil {
		config.Outage = func(context.Context, error) *problem.Error { return nil }
	}
	if config.PageSize == nil {
		config.PageSize = func(context.Context) (int, int) { return defaultPageSize, maxPageSize }
	}
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	d := &door{Config: config, selections: choice.NewKept[*endpoint]()}
	return d.router(paths.All), nil
}
