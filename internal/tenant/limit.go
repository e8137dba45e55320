package tenant

import (
	"context"
	"time"
)

// Nobody is what Caller.Within points to for a limited caller without an agent. No agent
// has this id, so the caller sees none.
const Nobody int64 = 0

// Clock tells the time; see internal/clock.
type Clock interface{ Now() time.Time }

// Limit is the downline that a caller is limited to.
type Limit struct {
	// AgentID is the agent whom the caller sees, with everyone below; or Nobody.
	AgentID int64
	// Now is the present instant. The downline is that of its day in the tenant's zone.
	Now time.Time
}

// IsLimited reports whether the caller sees only one agent and its downline.
func (c Caller) IsLimited() bool { return c.Within != nil }

// LimitOf returns the limit of the context's caller. ok is false for a caller without a
// limit, and for work marked by Whole.
func LimitOf(ctx context.Context) (l Limit, ok bool) {
	c, _ := CallerFrom(ctx)
	if c.Within == nil || ctx.Value(wholeKey{}) != nil {
		return Limit{}, false
	}
	return Limit{AgentID: *c.Within, Now: c.Clock.Now()}, true
}

// AsCaller returns a context in which the limit counts again after Whole, in order to
// check whom the caller names.
func AsCaller(ctx context.Context) context.Context {
	if ctx.Value(wholeKey{}) == nil {
		return ctx
	}
	return context.WithValue(ctx, wholeKey{}, nil)
}

type wholeKey struct{}

// Whole returns a context whose statements ignore the limit of the caller. It is for work
// that must know the whole agency – is a value unique, would there be a circle, what is
// written – and shows none of it. Code that calls it checks by itself which agents the
// caller may name. The reason is for readers of the call.
func Whole(ctx context.Context, reason string) context.Context {
	if reason == "" {
		panic("tenant: Whole needs a reason")
	}
	return context.WithValue(ctx, wholeKey{}, reason)
}
