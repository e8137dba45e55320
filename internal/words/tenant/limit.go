package tenant

import (
	"context"
	"time"
)

// Nobody is what Caller.Within points to for a limited caller who is linked to
// no agent: the id of none, so that nothing is within the limit.
const Nobody int64 = 0

// Clock says what time it is; see internal/words/clock.
type Clock interface{ Now() time.Time }

// Limit says to whose downline a caller is limited.
type Limit struct {
	// AgentID is the agent who is seen with everyone below; or Nobody.
	AgentID int64
	// Now is the instant of the question, whose day in the tenant's zone is that
	// of the downline.
	Now time.Time
}

// IsLimited reports whether the caller sees an agent and its downline only.
func (c Caller) IsLimited() bool { return c.Within != nil }

// LimitOf returns the limit of the context's caller; ok is false without one,
// and for work that Whole marks.
func LimitOf(ctx context.Context) (l Limit, ok bool) {
	c, _ := CallerFrom(ctx)
	if c.Within == nil || ctx.Value(wholeKey{}) != nil {
		return Limit{}, false
	}
	return Limit{AgentID: *c.Within, Now: c.Clock.Now()}, true
}

// AsCaller returns a context in which the limit of the caller counts again after
// Whole: to check whom the caller names.
func AsCaller(ctx context.Context) context.Context {
	if ctx.Value(wholeKey{}) == nil {
		return ctx
	}
	return context.WithValue(ctx, wholeKey{}, nil)
}

type wholeKey struct{}

// Whole returns a context whose statements are not narrowed to the downline of a
// limited caller. It is for work that must know the truth – what is unique, what
// would be a cycle, what is written – and shows none of it: whoever calls it
// checks by hand what the caller may name. The reason is for the reader of the
// call.
func Whole(ctx context.Context, reason string) context.Context {
	if reason == "" {
		panic("tenant: Whole needs a reason")
	}
	return context.WithValue(ctx, wholeKey{}, reason)
}
