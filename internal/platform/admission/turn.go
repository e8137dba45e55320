package admission

import (
	"context"
	"sync/atomic"
	"time"
)

// Turn is what an admitted operation holds. Its statements find it in the context.
type Turn struct {
	leave func()
	used  atomic.Int64
	paid  atomic.Int64
}

type turnKey struct{}

// WithTurn returns a context for an operation that holds a slot, which leave gives back.
func WithTurn(ctx context.Context, leave func()) (context.Context, *Turn) {
	t := &Turn{leave: leave}
	return context.WithValue(ctx, turnKey{}, t), t
}

func turnFrom(ctx context.Context) *Turn {
	t, _ := ctx.Value(turnKey{}).(*Turn)
	return t
}

// Used returns how long the operation's statements ran, all together. Transactions do not
// count: they wait for locks and for the disk.
func (t *Turn) Used() time.Duration { return time.Duration(t.used.Load()) }

// Pay notes how many points the operation of the context was charged in advance.
func Pay(ctx context.Context, points int) {
	if t := turnFrom(ctx); t != nil {
		t.paid.Add(int64(points))
	}
}

// Paid returns how many points the operation was charged.
func (t *Turn) Paid() int { return int(t.paid.Load()) }

type lookUpKey struct{}

// AsLookUp returns a context for reading what must be known of every request before it
// can be admitted, such as its tenant, and for probes: some connections are reserved for
// these.
func AsLookUp(ctx context.Context) context.Context {
	return context.WithValue(ctx, lookUpKey{}, true)
}

func isLookUp(ctx context.Context) bool { return ctx.Value(lookUpKey{}) != nil }
