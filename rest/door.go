package rest

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/idempotency"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/rest/choice"
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

// door is what the handlers of all paths share.
type door struct {
	Config
	// selections are the endpoints that answer only some properties of their records.
	selections choice.Kept[*endpoint]
}

// Idempotency keeps the answers to requests with an Idempotency-Key.
type Idempotency interface {
	// Begin returns the stored answer if the request was answered before, an error of
	// package idempotency, or an attempt with which to run the request.
	Begin(ctx context.Context, key, request string) (*idempotency.Attempt, *idempotency.Answer, error)
	// Finish stores the answer of a request that was run.
	Finish(ctx context.Context, attempt *idempotency.Attempt, answer idempotency.Answer) error
}

// endpoint is the handler of one path. It is made of four layers, each of which uses those
// below it.
type endpoint struct {
	*door
	intake
}

// Reveals records which values answers show in full.
type Reveals interface {
	// RevealShown returns once the values that an answer shows are recorded. After an
	// error the answer must not go out.
	RevealShown(ctx context.Context, shown audit.Shown) error
}
