package admission

import (
	"context"
	"sync/atomic"
	"time"
)

// Turn is what an admitted operation holds. What runs for it finds it in the context.
type Turn struct {
	leave func()
	slow  atomic.Int64
}

type turnKey struct{}

// WithTurn returns a context whose operation holds a place, which leave gives back.
func WithTurn(ctx context.Context, leave func()) (context.Context, *Turn) {
	t := &Turn{leave: leave}
	return context.WithValue(ctx, turnKey{}, t), t
}

func turnFrom(ctx context.Context) *Turn {
	t, _ := ctx.Value(turnKey{}).(*Turn)
	return t
}

// Slow returns for how long slow statements ran for the operation, all together.
func (t *Turn) Slow() time.Duration { return time.Duration(t.slow.Load()) }

type lookUpKey struct{}

// AsLookUp returns a context for what must be known of every request before it can be
// admitted, such as its tenant, and for probes: some connections are kept for these.
func AsLookUp(ctx context.Context) context.Context {
	return context.WithValue(ctx, lookUpKey{}, true)
}

func isLookUp(ctx context.Context) bool { return ctx.Value(lookUpKey{}) != nil }
