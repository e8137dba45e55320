package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/uplinehq/upline/graph/transport"
	"github.com/uplinehq/upline/internal/oauth"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/tenants"
	"github.com/uplinehq/upline/rest"
)

// authorize checks the token of a request against the tenant of its path,
// before any query. An unknown tenant is refused as one that was not granted.
func (a *App) authorize(r *http.Request, identifier string) (context.Context, error) {
	claims, err := a.verifier.Authenticate(r)
	if err != nil {
		return nil, err
	}
	if !claims.MayActIn(identifier) {
		return nil, oauth.TenantNotGranted()
	}
	return a.caller(r, claims, identifier)
}

// authorizeShared checks the token of a request to a path that names no tenant:
// "their URLs carry no tenant identifier and they are shared across the platform"
// (specification, "Report recipe"). The tenant is that of the token, and none for a
// client of the platform.
func (a *App) authorizeShared(r *http.Request) (context.Context, error) {
	claims, err := a.verifier.Authenticate(r)
	if err != nil {
		return nil, err
	}
	return a.caller(r, claims, claims.Tenant)
}

// caller puts the holder of a token and a tenant into the context.
func (a *App) caller(r *http.Request, claims oauth.Claims, identifier string) (context.Context, error) {
	t := tenant.Platform
	if identifier != "" {
		var err error
		t, err = a.Tenants.Find(r.Context(), identifier)
		if errors.Is(err, tenants.ErrUnknown) {
			return nil, oauth.TenantNotGranted()
		}
		if err != nil {
			return nil, err
		}
	}
	ctx := tenant.With(r.Context(), t)
	return tenant.WithCaller(ctx, tenant.Caller{Subject: claims.Subject, ClientID: claims.ClientID, Scopes: claims.Scopes,
		Expires: claims.Expires.Add(oauth.Leeway)}), nil
}

// authorizeREST is authorize, or authorizeShared where the path names no tenant,
// with the refusal that the REST door knows.
func (a *App) authorizeREST(r *http.Request, identifier *string) (ctx context.Context, err error) {
	if identifier == nil {
		ctx, err = a.authorizeShared(r)
	} else {
		ctx, err = a.authorize(r, *identifier)
	}
	var refused *oauth.Error
	if errors.As(err, &refused) {
		return nil, &rest.Refusal{Status: refused.Status, Message: refused.Message, Challenge: refused.Challenge}
	}
	return ctx, err
}

// graphQL puts tenant and caller into the context of the GraphQL door. A
// WebSocket whose token follows is authorized when it is there.
func (a *App) graphQL(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if transport.TokenFollows(r) {
			next.ServeHTTP(w, r)
			return
		}
		ctx, err := a.authorize(r, r.PathValue("tenantIdentifier"))
		if err != nil {
			a.refuseGraphQL(w, r, err)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// streams are the settings of the GraphQL door's subscriptions.
func (a *App) streams() transport.Config {
	return transport.Config{
		Authorize: func(r *http.Request) (context.Context, *transport.Refusal) {
			ctx, err := a.authorize(r, r.PathValue("tenantIdentifier"))
			var refused *oauth.Error
			switch {
			case err == nil:
				return ctx, nil
			case errors.As(err, &refused):
				return nil, &transport.Refusal{Status: refused.Status, Message: refused.Message}
			}
			a.Log.ErrorContext(r.Context(), "authorize", slog.String("traceId", traceID(r.Context())), slog.Any("error", err))
			return nil, &transport.Refusal{Status: http.StatusInternalServerError}
		},
		Remaining: func(ctx context.Context) time.Duration {
			caller, _ := tenant.CallerFrom(ctx)
			return caller.Expires.Sub(a.Clock.Now())
		},
		Origins: []string{origin(a.Issuer)},
	}
}

// origin is what a browser sends for pages of the server at a URL; a proxy in
// front may change the host that requests name.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}

// refuseGraphQL answers a request whose token does not fit: "401/403 as HTTP
// has them", with a GraphQL error as the body.
func (a *App) refuseGraphQL(w http.ResponseWriter, r *http.Request, err error) {
	status, code, message := http.StatusInternalServerError, "INTERNAL_SERVER_ERROR", "The server could not answer."
	var refused *oauth.Error
	if errors.As(err, &refused) {
		status, message = refused.Status, refused.Message
		code = map[int]string{http.StatusUnauthorized: "UNAUTHENTICATED", http.StatusForbidden: "FORBIDDEN"}[status]
		if code == "" {
			code = "BAD_USER_INPUT"
		}
		if refused.Challenge != "" {
			w.Header().Set("WWW-Authenticate", refused.Challenge)
		}
	} else {
		a.Log.ErrorContext(r.Context(), "authorize", slog.String("traceId", traceID(r.Context())), slog.Any("error", err))
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"errors": []any{map[string]any{
		"message": message, "extensions": map[string]any{"code": code, "traceId": traceID(r.Context())},
	}}})
}
