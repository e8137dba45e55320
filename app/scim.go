package app

import (
	"net/http"
	"strings"

	"github.com/uplinehq/upline/app/scim"
	"github.com/uplinehq/upline/internal/platform/audit"
)

// scim serves the door through which another system provisions users.
func (a *App) scim() http.Handler {
	door := &scim.Door{Identity: a.Identity, PublicURL: a.Issuer, Failed: a.noteFault}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, err := a.enter(r, new(r.PathValue("tenantIdentifier")), a.verifier.Authenticate)
		if err != nil {
			refuse(w, r, a.refusalOrFault(r, err))
			return
		}
		ctx, done, err := a.guard.admit(ctx)
		if err != nil {
			refuse(w, r, a.refusalOrFault(r, err))
			return
		}
		defer done()
		kind, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, scim.Path+r.PathValue("tenantIdentifier")+"/"), "/")
		ctx = audit.WithOrigin(ctx, audit.Origin{Operation: "scim/" + r.Method + kind, Surface: audit.REST, TraceID: traceID(ctx)})
		door.ServeHTTP(w, r.WithContext(ctx))
	})
}
