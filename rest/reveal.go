package rest

import (
	"net/http"

	"github.com/uplinehq/upline/internal/platform/audit"
)

// reveal records the values that an answer shows in full, before it goes out: "each
// request that returns full values writes one audit entry". An answer without a body, to
// HEAD or with 304, shows none.
func (e *endpoint) reveal(r *http.Request, a *reply) error {
	if len(a.shown.Entries) == 0 || a.body == nil || r.Method == http.MethodHead {
		return nil
	}
	ctx := audit.WithOrigin(r.Context(), audit.Origin{Surface: audit.REST, TraceID: e.TraceID(r.Context())})
	err := e.Reveals.RevealShown(ctx, a.shown)
	if err != nil && ctx.Err() != nil {
		return interrupted(ctx)
	}
	return err
}
