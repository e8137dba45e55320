package app

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/uplinehq/upline/graph/transport"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/known"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// authorize checks the credentials of a request, as authenticate finds them, against the
// tenant of its path. It does so before any query, and puts tenant and caller into the
// context. An unknown tenant is refused like one that was not granted. Where the path
// names no tenant – "their URLs carry no tenant identifier and they are shared across the
// platform" (specification, "Report recipe") – the tenant is that of the token, and the
// platform for a client of the platform. The look-ups have connections and a time limit
// of their own, so that a busy database delays nobody here.
func (a *App) authorize(r *http.Request, identifier *string, authenticate authentication) (context.Context, error) {
	looking, done := admission.LookUp(r.Context(), lookUpWithin)
	defer done()
	ctx, err := a.lookUp(looking, r, identifier, authenticate)
	if err != nil && looking.Err() != nil && r.Context().Err() == nil {
		err = &admission.Refusal{Reason: admission.NoConnection, After: admission.RetryOutage}
	}
	return ctx, err
}

// authentication finds the credentials of a request, and says whose they are.
type authentication func(context.Context, *http.Request) (bearer.Claims, error)

// lookUpWithin bounds the look-ups for a request before it is admitted.
const lookUpWithin = 2 * time.Second

func (a *App) lookUp(looking context.Context, r *http.Request, identifier *string, authenticate authentication) (context.Context, error) {
	claims, err := authenticate(looking, r)
	if err != nil {
		return nil, err
	}
	if identifier != nil && !claims.MayActIn(*identifier) {
		return nil, bearer.TenantNotGranted()
	}
	t := tenant.Platform
	if identifier == nil && claims.Tenant != "" {
		identifier = &claims.Tenant
	}
	if identifier != nil {
		t, err = a.Tenants.Find(looking, *identifier)
	}
	if errors.Is(err, directory.ErrUnknown) {
		return nil, bearer.TenantNotGranted()
	}
	if err != nil {
		return nil, err
	}
	caller := tenant.Caller{Subject: claims.Subject, ClientID: claims.ClientID, Scopes: claims.Scopes, Expires: goodUntil(claims)}
	if claims.UserID == 0 {
		caller.Since = claims.Since
	} else if caller, err = asUser(tenant.With(looking, t), a.Identity, a.Clock, caller, claims.UserID); err != nil {
		return nil, err
	}
	facts := []known.Fact{known.Is(tenant.Fact(t)), known.Is(tenant.CallerFact(&caller))}
	if visitOf(looking).stream && !isRenewing(looking) {
		facts = append(facts, known.Is(renewalKey{}, a.renewal(r, claims, identifier, authenticate)))
	}
	return known.With(r.Context(), facts...), nil
}

// authorizeREST is enter, with the errors that the REST door reports.
func (a *App) authorizeREST(r *http.Request, identifier *string) (context.Context, error) {
	ctx, err := a.enter(r, identifier, a.verifier.Authenticate)
	if refused := refusalOf(err); refused != nil {
		return nil, refused
	}
	return ctx, err
}

// graphQL puts tenant and caller into the context of the GraphQL door. A WebSocket that
// sends its token later is authorized when the token arrives.
func (a *App) graphQL(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if transport.TokenFollows(r) { // it costs its address a failed attempt until then
			if err := a.guard.fromAddress(r.Context(), visitOf(r.Context())); err != nil {
				refuse(w, r, turnedAway(err))
				return
			}
			next.ServeHTTP(w, r)
			return
		}
		ctx, err := a.enter(r, new(r.PathValue("tenantIdentifier")), a.credentials)
		if err != nil {
			refuse(w, r, a.refusalOrFault(r, err))
			return
		}
		w.Header()["Cache-Control"] = noStore
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// noStore is the value of the header Cache-Control. Nobody adds to it.
var noStore = []string{"no-store"}

// streams are the settings of the GraphQL door for subscriptions and files.
func (a *App) streams() transport.Config {
	return transport.Config{
		Authorize: func(r *http.Request) (context.Context, *problem.Error) {
			ctx, err := a.enter(r, new(r.PathValue("tenantIdentifier")), a.verifier.Authenticate)
			if err != nil {
				return nil, a.refusalOrFault(r, err)
			}
			return ctx, nil
		},
		Remaining: a.remaining,
		Renew:     renew,
		Admit:     a.guard.admitted,
		Admits:    a.origins().Admits,
		MaxUpload: a.MaxUpload,
		MayUpload: mayUpload,
		Tenant:    func(ctx context.Context) string { return tenant.From(ctx).Identifier },
	}
}
