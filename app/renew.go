package app

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// recheckStreams is how often the credentials of a stream are checked again. The verifier
// remembers its answers for ten seconds, so a stream ends at most fifteen seconds after
// its token was revoked, its session signed out or its user made Pending.
const recheckStreams = 5 * time.Second

// goodUntil is when the claims of a caller expire. An API key has no clock but ours, so
// it gets no leeway.
func goodUntil(claims bearer.Claims) time.Time {
	if claims.Renewable {
		return claims.Expires
	}
	return claims.Expires.Add(keyring.Leeway)
}

type (
	renewalKey struct{}
	// renewingKey marks the context in which a stream's credentials are checked again.
	// That does not count as using a session, which ends an hour after the last request.
	renewingKey struct{}
)

// renewal returns what checks the credentials of a stream's request again. A fault of the
// server does not end the stream early.
func (a *App) renewal(r *http.Request, claims bearer.Claims, identifier *string, authenticate authentication) func(context.Context) (time.Duration, error) {
	return func(ctx context.Context) (time.Duration, error) {
		again, err := a.authorize(r.WithContext(context.WithValue(ctx, renewingKey{}, true)), identifier, authenticate)
		var refused *problem.Error
		switch {
		case errors.As(err, &refused) && refused.Status < http.StatusInternalServerError:
			return 0, nil
		case err != nil && !claims.Renewable && !a.Clock.Now().Before(goodUntil(claims)):
			return 0, nil
		case err != nil:
			return 0, err
		case !sameRights(ctx, again):
			return 0, nil
		}
		return max(a.remaining(again), min(a.recheck, time.Second)), nil
	}
}

// sameRights reports whether the callers of two contexts may do and see the same. A
// stream was admitted with the rights of its caller at that time.
func sameRights(before, now context.Context) bool {
	one, _ := tenant.CallerFrom(before)
	other, _ := tenant.CallerFrom(now)
	t, again := tenant.From(before), tenant.From(now)
	return t.ID == again.ID && t.MaskSensitive == again.MaskSensitive && one.UserID == other.UserID && slices.Equal(one.Scopes, other.Scopes) &&
		one.IsLimited() == other.IsLimited() && (!one.IsLimited() || *one.Within == *other.Within)
}

func isRenewing(ctx context.Context) bool { return ctx.Value(renewingKey{}) != nil }

// remaining is how long the streams of a context go on before its credentials are checked
// again.
func (a *App) remaining(ctx context.Context) time.Duration {
	caller, _ := tenant.CallerFrom(ctx)
	return min(caller.Expires.Sub(a.Clock.Now()), a.recheck)
}

// renew is how long a stream may go on; 0 when it has to end. An error is a fault of the
// server, and says nothing about the credentials.
func renew(ctx context.Context) (time.Duration, error) {
	again, ok := ctx.Value(renewalKey{}).(func(context.Context) (time.Duration, error))
	if !ok {
		return 0, nil
	}
	return again(ctx)
}
