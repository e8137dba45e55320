package rest

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/graph/resolve"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/rest/paths"
	"github.com/uplinehq/upline/rest/resttest"
)

// "Each operation requires the scope listed for it in Endpoints; DELETE
// /agents/{agentCode} requires delete:agents, separate from write:agents"
// (specification, Authentication, 1). Every path runs on the schema of the
// server, for a caller with every scope but its own: no resolver gets to run.
// The stored operations are also within the limits of the server, or they would
// be refused for that.
func TestEveryPathIsRefusedWithoutItsScope(t *testing.T) {
	documented := resttest.PathScopes(t, sdl())
	for _, a := range paths.All {
		for _, r := range a.Routes {
			operation := r.Method + " " + a.Base + r.Path
			scope := documented[operation]
			b := scopeBench(t, scope)
			path := strings.Replace(a.Base, "{tenantIdentifier}", "demo", 1) + examplePath(r)
			if r.Outcome == paths.Listed || r.Outcome == paths.Tabled {
				path += "?pageSize=100"
			}
			w := b.send(r.Method, path, minimalBodies[r.Operation])
			p := problemOf(t, w)
			challenge := `Bearer realm="upline", error="insufficient_scope", scope="` + scope + `"`
			if p.Status != http.StatusForbidden || p.Code != "FORBIDDEN" || w.Header().Get("WWW-Authenticate") != challenge {
				t.Errorf("%s without %s: %+v, %s", operation, scope, p, w.Header().Get("WWW-Authenticate"))
			}
		}
	}
}

// DELETE /agents/{agentCode} requires delete:agents, separate from write:agents
// (specification, Authentication, 1).
func TestDeleteAgentRequiresDeleteAgentsSeparateFromWriteAgents(t *testing.T) {
	if scope := resttest.PathScopes(t, sdl())["DELETE /agency-management/{tenantIdentifier}/agents/{agentCode}"]; scope != "delete:agents" {
		t.Errorf("documented is %q", scope)
	}
	b := scopeBench(t, "delete:agents") // the caller holds write:agents and all others
	if p := problemOf(t, b.call(http.MethodDelete, "/agents/A1?initiator=x", "")); p.Status != http.StatusForbidden {
		t.Errorf("with write:agents and without delete:agents: %+v", p)
	}
}

// scopeBench is a door on the schema of the server, for a caller who holds every
// scope but one.
func scopeBench(t *testing.T, missing string) *bench {
	t.Helper()
	var held []string
	for _, scope := range bearer.TenantScopes() {
		if scope != missing {
			held = append(held, scope)
		}
	}
	return newBench(t, func(c *Config) {
		c.Executor = scopeGraph
		c.Authorize = func(r *http.Request, _ *string) (context.Context, error) {
			ctx := tenant.With(r.Context(), &tenant.Tenant{ID: 1, Identifier: "demo", DefaultPageSize: 50, MaxPageSize: 100})
			return tenant.WithCaller(ctx, tenant.Caller{Subject: "test", Scopes: held}), nil
		}
	})
}

// scopeGraph has no areas: a resolver that ran would fail.
var scopeGraph = graph.New(graph.Config{
	Resolver: &resolve.Resolver{}, Log: slog.New(slog.DiscardHandler), TraceID: func(context.Context) string { return "" },
})
