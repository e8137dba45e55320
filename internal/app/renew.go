package app

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/oauth"
)

// goodUntil is when the streams of claims end, unless they are renewed. What an
// API key says has no clock but ours.
func goodUntil(claims oauth.Claims) time.Time {
	if claims.Renewable {
		return claims.Expires
	}
	return claims.Expires.Add(oauth.Leeway)
}

type renewalKey struct{}

// renewable returns a context whose streams can go on when its claims run out, as
// those of API keys do soon: the request shows its key again.
func (a *App) renewable(ctx context.Context, r *http.Request, claims oauth.Claims) context.Context {
	if !claims.Renewable {
		return ctx
	}
	return context.WithValue(ctx, renewalKey{}, func(ctx context.Context) time.Duration {
		again, err := a.verifier.Authenticate(r.WithContext(ctx))
		// A stream was admitted with what the key could do then.
		if err != nil || again.Tenant != claims.Tenant || !slices.Equal(again.Scopes, claims.Scopes) {
			return 0
		}
		return max(again.Expires.Sub(a.Clock.Now()), time.Second)
	})
}

// renew is for how long a stream may go on whose claims have run out; 0 when it
// may not.
func renew(ctx context.Context) time.Duration {
	again, ok := ctx.Value(renewalKey{}).(func(context.Context) time.Duration)
	if !ok {
		return 0
	}
	return again(ctx)
}
