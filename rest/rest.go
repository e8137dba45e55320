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
	"net/http"

	"github.com/99designs/gqlgen/graphql"
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

// Executor runs GraphQL operations on the executable schema.
type Executor interface {
	// Schema returns the schema the operations run on.
	Schema() *ast.Schema
	// Execute runs an operation for the caller in ctx. The documents are few and always
	// the same, so an executor can keep them parsed. Variables are as JSON decodes them,
	// with json.Number for numbers. It returns nil when ctx ended before there was a
	// response. The record of revealed values is left to the door (audit.Hold), which
	// knows whether the answer goes out.
	Execute(ctx context.Context, document, operationName string, variables map[string]any) *graphql.Response
}

// Config sets up the door.
type Config struct {
	Executor Executor
	// Authorize checks the token of a request against the tenant of its path (nil if the
	// path names none). It returns the context in which the operation runs, which holds
	// tenant, caller and trace. A refusal is a *problem.Error; any other error is a fault
	// of the server.
	Authorize func(r *http.Request, tenantIdentifier *string) (context.Context, error)
	// Admit is called before a request runs, once it was read, and may make it wait. The
	// request runs in the returned context; done is called when its answer is complete.
	// Nil admits all.
	Admit func(context.Context) (admitted context.Context, done func(), refused *problem.Error)
	// Outage returns the refusal of a request that failed because the database is away,
	// and nil for any other error. If it is nil, every error is a fault.
	Outage func(context.Context, error) *problem.Error
	// TagKey is the key of the hashes in ETags: at least 16 bytes, the same in every
	// process.
	TagKey []byte
	// Idempotency keeps the answers to requests with an Idempotency-Key.
	Idempotency Idempotency
	// Reveals records which values answers show in full.
	Reveals Reveals
	// TraceID names the trace of a request, for the Trace-Id header and error bodies. If
	// it is nil or returns "", they have none.
	TraceID func(context.Context) string
	// MaxBody is the size of the largest request body, in bytes. Defaults to
	// DefaultMaxBody.
	MaxBody int64
	// PageSize returns the tenant's default and largest page size. Defaults to 50 and
	// 100.
	PageSize func(context.Context) (usual, most int)
	// PublicURL is the server's address as clients see it, for the OpenAPI document;
	// without it the document's addresses are relative.
	PublicURL string
	// Logger logs faults of the server. Defaults to slog.Default().
	Logger *slog.Logger
}

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

// door is what the handlers of all paths share.
type door struct {
	Config
	// selections are the endpoints that answer only some properties of their records.
	selections choice.Kept[*endpoint]
}
