package rest

import (
	"context"
	"log/slog"
	"net/http"
	"testing"

	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/internal/tenant"
)

// "Each operation requires the scope listed for it in Endpoints; DELETE
// /agents/{agentCode} requires delete:agents, separate from write:agents"
// (specification, Authentication, 1). Every path runs on the schema of the
// server, for a caller with a scope that none needs: no resolver gets to run.
// The stored operations are also within the limits of the server, or they would
// be refused for that.
func TestEveryPathIsRefusedWithoutItsScope(t *testing.T) {
	b := newBench(t, func(c *Config) {
		log := slog.New(slog.DiscardHandler)
		c.Executor = graph.New(graph.Config{
			Resolver: &graph.Resolver{}, Log: log, TraceID: func(context.Context) string { return "" },
		})
		c.Authorize = func(r *http.Request, tenantIdentifier string) (context.Context, error) {
			ctx := tenant.With(r.Context(), &tenant.Tenant{ID: 1, Identifier: tenantIdentifier, DefaultPageSize: 50, MaxPageSize: 100})
			return tenant.WithCaller(ctx, tenant.Caller{Subject: "test", Scopes: []string{"read:users"}}), nil
		}
	})
	for _, r := range agencyRoutes {
		scope := "write:agents"
		switch {
		case r.method == get:
			scope = "read:agents"
		case r.method == del && r.path == "/agents/{agentCode}":
			scope = "delete:agents"
		}
		w := b.call(r.method, examplePath(r)+"?pageSize=100", minimalBodies[r.operation])
		p := problemOf(t, w)
		challenge := `Bearer realm="upline", error="insufficient_scope", scope="` + scope + `"`
		if p.Status != http.StatusForbidden || p.Code != "FORBIDDEN" || w.Header().Get("WWW-Authenticate") != challenge {
			t.Errorf("%s %s: %+v, %s", r.method, r.path, p, w.Header().Get("WWW-Authenticate"))
		}
	}
}
