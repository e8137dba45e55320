// Package transport serves GraphQL over HTTP.
//
// It follows the GraphQL-over-HTTP draft of August 2026 and passes every audit
// of the public graphql-http suite. It replaces the transports of gqlgen, which
// read bodies without a limit, repeat them in error messages, and answer 422
// where the draft asks for 200 or 400.
//
// # Status codes
//
// A request that is not a GraphQL request (wrong method, media type, size or
// JSON) is refused with the status HTTP has for it: 400, 405, 406, 413, 414 or
// 415. A request error (the document does not parse or validate, a variable
// does not fit) has no data: it answers 200 under application/json and 400
// under application/graphql-response+json, unless its code carries a status of
// its own (see fixedStatus). A response with data, partial data included, is
// 200.
//
// # Cross-site requests
//
// A GET runs without a CORS preflight, so on a server with cookies another
// site could send queries in the name of a visitor. No part of this server
// reads a cookie: the caller is named by the Authorization header alone, which
// a browser never adds by itself and which another site cannot set without a
// preflight. A POST must be application/json, which needs a preflight too. A
// guard header for GET would therefore protect nothing.
package transport

import (
	"context"
	"errors"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// DefaultMaxBody is the body limit when Config sets none: 256 KiB.
const DefaultMaxBody = 256 << 10

// Config sets up a Handler. The zero value is usable.
type Config struct {
	// MaxBody is the size of the largest request body, and of the largest
	// query string of a GET, in bytes. Defaults to DefaultMaxBody.
	MaxBody int64
	// TraceID names the trace of a request; every error carries it as
	// extensions.traceId. Errors carry none when it is nil or returns "".
	TraceID func(context.Context) string
}

// Handler returns a handler that runs the queries and mutations it receives on
// exec. It does not recover from panics of exec: the server around it does.
func Handler(exec graphql.GraphExecutor, config Config) http.Handler {
	if config.MaxBody <= 0 {
		config.MaxBody = DefaultMaxBody
	}
	return &handler{exec: exec, Config: config}
}

type handler struct {
	Config
	exec graphql.GraphExecutor
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mediaType, acceptable := negotiate(r.Header.Values("Accept"))
	var a *answer
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		w.Header().Set("Allow", "GET, POST")
		a = refuse(http.StatusMethodNotAllowed, "this endpoint serves GET and POST")
	case !acceptable:
		a = refuse(http.StatusNotAcceptable, "this endpoint answers application/graphql-response+json and application/json")
	default:
		a = h.answer(w, r)
	}
	h.complete(r.Context(), a)
	a.write(w, mediaType)
}

// answer runs a request whose method and media type are settled.
func (h *handler) answer(w http.ResponseWriter, r *http.Request) *answer {
	params, refused := h.params(w, r)
	if refused != nil {
		return refused
	}
	ctx := graphql.StartOperationTrace(r.Context())
	op, errs := h.exec.CreateOperationContext(ctx, params)
	if len(errs) > 0 {
		explain(op, errs)
		return fromResponse(h.exec.DispatchError(graphql.WithOperationContext(ctx, op), errs), badUserInput)
	}
	if refused := refuseOperation(w, r.Method, op.Operation.Operation); refused != nil {
		return refused
	}
	next, ctx := h.exec.DispatchOperation(ctx, op)
	response := next(ctx)
	switch {
	case response == nil:
		return interrupted(ctx)
	case response.HasNext != nil && *response.HasNext:
		return requestError(operationResolutionFailure, "this endpoint does not serve @defer")
	}
	return fromResponse(response, internalServerError)
}

// refuseOperation holds GET to queries ("GET for queries only"), and leaves
// subscriptions to a transport that can stream.
func refuseOperation(w http.ResponseWriter, method string, operation ast.Operation) *answer {
	switch {
	case operation == ast.Subscription:
		return requestError(operationResolutionFailure, "this endpoint does not serve subscriptions")
	case operation == ast.Mutation && method == http.MethodGet:
		w.Header().Set("Allow", http.MethodPost)
		return refuse(http.StatusMethodNotAllowed, "a mutation must be sent with POST")
	}
	return nil
}

// interrupted answers for an operation that gqlgen gave up because its context
// ended.
func interrupted(ctx context.Context) *answer {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return requestError(timeout, "the operation took too long")
	}
	return requestError(unavailable, "the operation was interrupted")
}
