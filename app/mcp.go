package app

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/mcp"
	"github.com/uplinehq/upline/rest"
)

// mcp serves the door of assistants. It is made on the first request: most processes
// never get one.
func (a *App) mcp() http.Handler {
	made := sync.OnceValues(func() (http.Handler, error) {
		tools, err := a.rest.Tools()
		return mcp.New(mcp.Config{Tools: tools, Query: a.runsQuery(a.Graph.Query), FreeQuery: a.runsQuery(a.Graph.FreeQuery), SDL: graph.SDL(), Panicked: a.panicked}), err
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w = unstored{w}
		if of := r.Header.Get("Origin"); of != "" && !a.admitsPage(of) {
			refuse(w, r, problem.Refused(http.StatusForbidden, "Pages of the origin "+strconv.Quote(of)+" may not send requests here"))
			return
		}
		ctx, err := a.enter(r, new(r.PathValue("tenantIdentifier")), a.verifier.Authenticate)
		var served http.Handler
		if err == nil {
			served, err = made()
		}
		if err != nil {
			refuse(w, r, a.leadToSignIn(r, a.refusalOrFault(r, err)))
			return
		}
		w.Header().Set("Trace-Id", traceID(ctx))
		served.ServeHTTP(w, r.WithContext(asAssistant(ctx)))
	})
}

// unstored keeps answers out of caches; the SDK would allow caches to keep them.
type unstored struct{ http.ResponseWriter }

func (w unstored) WriteHeader(status int) {
	w.Header().Set("Cache-Control", "no-store")
	w.ResponseWriter.WriteHeader(status)
}

// Write sends the head first, as net/http does.
func (w unstored) Write(body []byte) (int, error) {
	w.Header().Set("Cache-Control", "no-store")
	return w.ResponseWriter.Write(body)
}

// Unwrap is for http.ResponseController.
func (w unstored) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// asAssistant masks everything sensitive from the caller, since an assistant passes on
// what it reads, to a model among others. It also has the audit trail say that an
// assistant wrote.
func asAssistant(ctx context.Context) context.Context {
	return audit.WithOrigin(tenant.Masked(ctx), audit.Origin{Surface: audit.MCP})
}

// runsQuery returns a function that runs a query as the GraphQL door does.
func (a *App) runsQuery(run func(context.Context, string, string, map[string]any) *graphql.Response) mcp.Query {
	return func(ctx context.Context, document, operationName string, variables map[string]any) rest.Answer {
		admitted, done, refused := a.admitted(ctx)
		if refused != nil {
			return graphQLAnswer(&graphql.Response{Errors: gqlerror.List{refusal.Error(refused)}})
		}
		defer done()
		return graphQLAnswer(run(admitted, document, operationName, variables))
	}
}

// graphQLAnswer turns a response into an answer, which is complete or failed.
func graphQLAnswer(response *graphql.Response) rest.Answer {
	if response == nil { // the client left
		return rest.Answer{Failed: true}
	}
	body, err := json.Marshal(response)
	return rest.Answer{Body: body, Failed: err != nil || !graph.OnlyUnreadable(response.Errors)}
}
