package app

import (
	"context"
	"net/http"

	"github.com/uplinehq/upline/app/edge"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// RequestHeader must be in requests that come with the session cookie. A page of another
// site cannot send it together with the cookie: before a browser sends a header of a
// script's own, it asks the server, which never allows a request with cookies.
const RequestHeader = "X-Upline-Request"

// credentials are what a request of the GraphQL door brings: a token, or, from a
// page of this server, the session cookie. REST takes no cookie: "credentials must
// not be used from browsers" (specification, Authentication 3).
func (a *App) credentials(ctx context.Context, r *http.Request) (bearer.Claims, error) {
	if len(r.Header["Authorization"]) > 0 {
		return a.verifier.Authenticate(ctx, r)
	}
	secret := oauth.SessionSecret(r, a.Issuer)
	if secret == "" || !a.fromOwnPage(r) {
		return a.verifier.Authenticate(ctx, r)
	}
	find := a.Identity.SessionOf
	if isRenewing(ctx) {
		find = a.Identity.StillSession
	}
	s, err := find(ctx, secret)
	if err != nil {
		return bearer.Claims{}, err
	}
	if s == nil { // as without any
		return a.verifier.Authenticate(ctx, r)
	}
	return bearer.Claims{Subject: s.Username, ClientID: oauth.WorkbenchClient, Tenant: s.TenantIdentifier, UserID: s.UserID, Scopes: s.Scopes, Expires: s.ExpiresAt}, nil
}

// fromOwnPage reports whether a script of a page of this server sent a request: the
// browser says so, and the request has the header that only such a script can set.
// Requests that read need it too, since they leave entries in the audit trail.
func (a *App) fromOwnPage(r *http.Request) bool {
	if r.Header.Get(RequestHeader) == "" {
		return false
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	return r.Header.Get("Origin") == edge.Origin(a.Issuer)
}
