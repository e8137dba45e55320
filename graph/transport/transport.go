// Package transport serves GraphQL over HTTP: queries and mutations in one
// answer, subscriptions as server-sent events (Accept: text/event-stream, one
// operation for each connection) or over a WebSocket (graphql-transport-ws).
//
// It follows the GraphQL-over-HTTP draft of August 2026 and passes every audit
// of the public graphql-http suite. It replaces the transports of gqlgen, which
// read bodies without a limit, repeat them in error messages, and answer 422
// where the draft asks for 200 or 400. Its WebSocket waits for a slow client
// under a lock that everything else of the connection needs, without a bound.
//
// # Status codes
//
// A request that is not a GraphQL request (wrong method, media type, size or
// JSON) is refused with the status HTTP has for it: 400, 405, 406, 413, 414 or
// 415. A request error (the document does not parse or validate, a variable
// does not fit) has no data: it answers 200 under application/json and 400
// under application/graphql-response+json, unless its code carries a status of
// its own (see refusal.Status). A response with data, partial data included, is
// 200.
//
// # Cross-site requests
//
// A GET, and a POST that brings a file, run without a CORS preflight, so where a
// cookie counts as a credential another site could send them in the name of a
// visitor. This package takes no credentials, and asks nothing of where a request
// comes from: both are the business of the server around it. That takes the session
// cookie of a visitor only with a header that pages of other sites cannot set, and
// from a page of its own, as Sec-Fetch-Site or Origin say (fromOwnPage in
// app). Everybody else brings an Authorization header, which a browser never
// adds by itself.
package transport

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/internal/problem"
)

// DefaultMaxBody is the body limit when Config sets none: 256 KiB.
const DefaultMaxBody = 256 << 10

// Config sets up a Handler. The zero value is usable.
type Config struct {
	// MaxBody is the size of the largest request body, and of the largest
	// query string of a GET, in bytes. Defaults to DefaultMaxBody.
	MaxBody int64
	// MaxUpload is the size of the largest file of a multipart request, in bytes.
	// Defaults to DefaultMaxUpload.
	MaxUpload int64
	// MayUpload reports whether the caller of a context may send a file at all; it is
	// asked before a file is read. Nil means nobody may.
	MayUpload func(context.Context) bool
	// Tenant names the tenant of a context: one tenant may not take up all uploads at a
	// time. When it is nil, all callers count as one tenant.
	Tenant func(context.Context) string
	// TraceID names the trace of a request; every error carries it as
	// extensions.traceId. Errors carry none when it is nil or returns "".
	TraceID func(context.Context) string
	// Authorize returns the context of a WebSocket whose token came after the upgrade
	// (see TokenFollows). It gets the request with the token in its header. When it is
	// nil, the context of the request is used.
	Authorize func(*http.Request) (context.Context, *problem.Error)
	// Remaining returns how long the token of a context is still good: streams end with
	// it. Nil means for ever.
	Remaining func(context.Context) time.Duration
	// Renew is called when that time has passed, and before each operation of a
	// WebSocket. It returns how long a stream may go on, 0 when it has to end. An error
	// is a fault of the server: the stream goes on, and Renew is called again. When Renew
	// is nil, streams end after Remaining and operations are not checked.
	Renew func(context.Context) (time.Duration, error)
	// Admit is called before an operation is parsed, by every transport, and may make it
	// wait. The operation runs in the returned context. done is called when the operation
	// has ended, and before that when a subscription begins. Nil admits all.
	Admit func(context.Context) (admitted context.Context, done func(), refused *problem.Error)
	// Admits reports whether pages of an origin, such as https://upline.example, may open
	// a WebSocket, in addition to pages of the host itself. Nil admits none.
	Admits func(origin string) bool
	// KeepAlive is the time between signs of life on a stream. Defaults to 20
	// seconds, which is less than proxies wait.
	KeepAlive time.Duration
}

// Handler returns a handler that runs the operations it receives on exec. It does not recover from panics of exec: the server around it does.
func Handler(exec graphql.GraphExecutor, config Config) http.Handler {
	if config.MaxBody <= 0 {
		config.MaxBody = DefaultMaxBody
	}
	if config.KeepAlive <= 0 {
		config.KeepAlive = 20 * time.Second
	}
	if config.MaxUpload <= 0 {
		config.MaxUpload = DefaultMaxUpload
	}
	return &handler{exec: exec, Config: config, uploads: uploads{of: map[string]int{}}}
}

type handler struct {
	Config
	exec    graphql.GraphExecutor
	uploads uploads
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if IsWebSocket(r) {
		h.serveWebSocket(w, r)
		return
	}
	accept := r.Header.Values("Accept")
	mediaType, whole := negotiate(accept)
	takes := forms{whole: whole, events: acceptsEvents(accept)}
	if !takes.whole && takes.events {
		mediaType = mediaGraphQL // refusals are not streams, and have their status
	}
	var a *answer
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		w.Header().Set("Allow", "GET, POST")
		a = refuse(http.StatusMethodNotAllowed, "this endpoint serves GET and POST")
	case !takes.whole && !takes.events:
		a = refuse(http.StatusNotAcceptable, "this endpoint answers application/graphql-response+json, application/json and text/event-stream")
	default:
		if a = h.answer(w, r, takes); a == nil {
			return // it was a stream
		}
	}
	h.complete(r.Context(), a)
	a.write(w, mediaType)
	if keeps, ok := h.exec.(interface{ Release(data []byte) }); ok {
		keeps.Release(a.data)
	}
}

// forms are the forms of an answer that a client accepts.
type forms struct{ whole, events bool }

// answer runs a request whose method and media type are settled. It returns nil
// when it answered with a stream.
func (h *handler) answer(w http.ResponseWriter, r *http.Request, takes forms) *answer {
	params, end, refused := h.params(w, r)
	if refused != nil {
		return refused
	}
	defer end()
	ctx := graphql.StartOperationTrace(r.Context())
	ctx, done, refused := h.admit(ctx)
	if refused != nil {
		return refused
	}
	defer done()
	op, refused := h.create(ctx, params)
	if refused != nil {
		return refused
	}
	if refused := refuseOperation(w, r.Method, op.Operation.Operation, takes); refused != nil {
		return refused
	}
	if op.Operation.Operation == ast.Subscription {
		done()
	}
	if !takes.whole || op.Operation.Operation == ast.Subscription {
		h.answerEvents(ctx, w, op)
		return nil
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

// admit waits until an operation may run.
func (h *handler) admit(ctx context.Context) (admitted context.Context, done func(), refused *answer) {
	if h.Admit == nil {
		return ctx, func() {}, nil
	}
	admitted, done, away := h.Admit(ctx)
	if away != nil {
		return ctx, nil, &answer{errors: gqlerror.List{refusal.Error(away)}, code: unavailable}
	}
	return admitted, done, nil
}

// refuseOperation refuses GET for anything but queries ("GET for queries only"), and
// subscriptions of clients that accept no stream.
func refuseOperation(w http.ResponseWriter, method string, operation ast.Operation, takes forms) *answer {
	switch {
	case operation == ast.Subscription && !takes.events:
		return requestError(operationResolutionFailure, "a subscription needs Accept: text/event-stream, or a WebSocket")
	case operation != ast.Query && method == http.MethodGet:
		w.Header().Set("Allow", http.MethodPost)
		return refuse(http.StatusMethodNotAllowed, "a "+string(operation)+" must be sent with POST")
	}
	return nil
}

// interrupted is the answer to an operation that gqlgen gave up because its context
// ended.
func interrupted(ctx context.Context) *answer {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return requestError(problem.Timeout, problem.TooLate().Message)
	}
	return requestError(unavailable, problem.Interrupted().Message)
}
