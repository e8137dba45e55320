package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/uplinehq/upline/graph/transport"
	"github.com/uplinehq/upline/internal/admission"
	"github.com/uplinehq/upline/internal/oauth"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/tenants"
	"github.com/uplinehq/upline/rest"
)

// authorize checks the credentials of a request, as authenticate finds them,
// against the tenant of its path, before any query, and puts tenant and caller into
// the context. An unknown tenant is refused as one that was not granted. Where the
// path names none – "their URLs carry no tenant identifier and they are shared across
// the platform" (specification, "Report recipe") – the tenant is that of the token,
// and the platform for a client of the platform.
// What it looks up has connections of its own, and a time of its own: a busy database
// does not keep anybody waiting here.
func (a *App) authorize(r *http.Request, identifier *string, authenticate func(*http.Request) (oauth.Claims, error)) (context.Context, error) {
	looking, cancel := context.WithTimeout(admission.AsLookUp(r.Context()), lookUpWithin)
	defer cancel()
	ctx, err := a.lookUp(looking, r, identifier, authenticate)
	if err != nil && looking.Err() != nil && r.Context().Err() == nil {
		err = &admission.Refusal{Reason: admission.NoConnection, After: admission.RetryOutage}
	}
	return ctx, err
}

// lookUpWithin bounds what is looked up of a request before it is admitted.
const lookUpWithin = 2 * time.Second

func (a *App) lookUp(looking context.Context, r *http.Request, identifier *string, authenticate func(*http.Request) (oauth.Claims, error)) (context.Context, error) {
	claims, err := authenticate(r.WithContext(looking))
	if err != nil {
		return nil, err
	}
	if identifier != nil && !claims.MayActIn(*identifier) {
		return nil, oauth.TenantNotGranted()
	}
	t := tenant.Platform
	if identifier == nil && claims.Tenant != "" {
		identifier = &claims.Tenant
	}
	if identifier != nil {
		t, err = a.Tenants.Find(looking, *identifier)
	}
	if errors.Is(err, tenants.ErrUnknown) {
		return nil, oauth.TenantNotGranted()
	}
	if err != nil {
		return nil, err
	}
	ctx := a.renewable(tenant.With(r.Context(), t), r, claims, identifier, authenticate)
	caller := tenant.Caller{Subject: claims.Subject, ClientID: claims.ClientID, Scopes: claims.Scopes, Expires: goodUntil(claims)}
	if claims.UserID != 0 {
		if caller, err = a.asUser(tenant.With(looking, t), caller, claims.UserID); err != nil {
			return nil, err
		}
	}
	return tenant.WithCaller(ctx, caller), nil
}

// authorizeREST is enter with the refusal that the REST door knows.
func (a *App) authorizeREST(r *http.Request, identifier *string) (context.Context, error) {
	ctx, err := a.enter(r, identifier, a.verifier.Authenticate)
	var limited *admission.Refusal
	if errors.As(err, &limited) {
		return nil, restRefusal(limited)
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
		if transport.TokenFollows(r) { // it costs its address a failed attempt until then
			if err := a.guard.fromAddress(r.Context(), visitOf(r.Context())); err != nil {
				a.turnAway(w, r, err)
				return
			}
			next.ServeHTTP(w, r)
			return
		}
		ctx, err := a.enter(r, new(r.PathValue("tenantIdentifier")), a.credentials)
		if err != nil {
			a.refuseGraphQL(w, r, err)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// streams are the settings of the GraphQL door's subscriptions and files.
func (a *App) streams() transport.Config {
	return transport.Config{
		Authorize: func(r *http.Request) (context.Context, *transport.Refusal) {
			ctx, err := a.enter(r, new(r.PathValue("tenantIdentifier")), a.verifier.Authenticate)
			var refused *oauth.Error
			var limited *admission.Refusal
			switch {
			case err == nil:
				return ctx, nil
			case errors.As(err, &limited):
				status, _, message := told(limited)
				return nil, &transport.Refusal{Status: status, Message: message}
			case errors.As(err, &refused):
				return nil, &transport.Refusal{Status: refused.Status, Message: refused.Message}
			}
			a.noteFault(r, err)
			return nil, &transport.Refusal{Status: http.StatusInternalServerError}
		},
		Remaining: a.remaining,
		Renew:     renew,
		Admit:     a.admitGraphQL,
		Admits:    func(o string) bool { return strings.EqualFold(o, origin(a.Issuer)) || a.admitsOrigin(o) },
		MaxUpload: a.MaxUpload,
		MayUpload: mayUpload,
		Tenant:    func(ctx context.Context) string { return tenant.From(ctx).Identifier },
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
	var limited *admission.Refusal
	if errors.As(err, &limited) {
		a.turnAway(w, r, limited)
		return
	}
	status, code, message := http.StatusInternalServerError, "INTERNAL_SERVER_ERROR", "The server could not answer."
	var refused *oauth.Error
	if errors.As(err, &refused) {
		status, message = refused.Status, refused.Message
		code = map[int]string{http.StatusUnauthorized: "UNAUTHENTICATED", http.StatusForbidden: "FORBIDDEN", http.StatusServiceUnavailable: "SERVICE_UNAVAILABLE"}[status]
		if code == "" {
			code = "BAD_USER_INPUT"
		}
		if refused.Challenge != "" {
			w.Header().Set("WWW-Authenticate", refused.Challenge)
		}
	} else {
		a.noteFault(r, err)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"errors": []any{map[string]any{
		"message": message, "extensions": map[string]any{"code": code, "traceId": traceID(r.Context())},
	}}})
}

// noteFault writes a fault of the server into the log. A client that left is none.
func (a *App) noteFault(r *http.Request, err error) {
	if r.Context().Err() == nil {
		a.Log.ErrorContext(r.Context(), "authorize", slog.String("traceId", traceID(r.Context())), slog.Any("error", err))
	}
}
