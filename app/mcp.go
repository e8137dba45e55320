package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
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
		if of := r.Header.Get("Origin"); of != "" && !a.origins().Admits(of) {
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
		admitted, done, refused := a.guard.admitted(ctx)
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

// mcpPath is the path of the door of assistants, without the tenant.
const mcpPath = "/mcp/"

// resourcePath is where the metadata of protected resources is served (RFC 9728 §3.1:
// between the host and the path of the resource).
const resourcePath = "/.well-known/oauth-protected-resource"

// resource is the metadata that a resource publishes about itself (RFC 9728 §2). It names
// no scopes: a client would ask for all of them, and be refused for one that it does not
// hold. A client that asks for none gets those that it and the user hold.
type resource struct {
	Resource             string   `json:"resource"`
	Name                 string   `json:"resource_name"`
	AuthorizationServers []string `json:"authorization_servers"`
	BearerMethods        []string `json:"bearer_methods_supported"`
}

// mcpResource tells an assistant where its user signs in. The answer is the same for
// every tenant, so that nobody learns which tenants exist.
func (a *App) mcpResource(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_ = json.NewEncoder(w).Encode(resource{ // a failed write means that the client is gone
		Resource: a.Issuer + mcpPath + url.PathEscape(r.PathValue("tenantIdentifier")), Name: "Upline",
		AuthorizationServers: []string{a.Issuer}, BearerMethods: []string{"header"},
	})
}

// leadToSignIn names the metadata in the challenge for requests without a good token (RFC
// 9728 §5.1).
func (a *App) leadToSignIn(r *http.Request, refused *problem.Error) *problem.Error {
	if refused.Status != http.StatusUnauthorized {
		return refused
	}
	leading := *refused
	leading.Challenge += fmt.Sprintf(`, resource_metadata="%s"`, a.Issuer+resourcePath+mcpPath+url.PathEscape(r.PathValue("tenantIdentifier")))
	return &leading
}
