package admission

import (
	"context"
	"sync/atomic"
	"time"
)

// Turn is what an admitted operation holds. What runs for it finds it in the context.
type Turn struct {
	leave func()
	used  atomic.Int64
	paid  atomic.Int64
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

// Used returns for how long statements ran for the operation, all together. Those of a
// transaction are left out: it waits for locks and for the disk.
func (t *Turn) Used() time.Duration { return time.Duration(t.used.Load()) }

// Pay notes that an operation of the context was charged so many points, whatever it
// will use.
func Pay(ctx context.Context, points int) {
	if t := turnFrom(ctx); t != nil {
		t.paid.Add(int64(points))
	}
}

// Paid returns how many points the operation was charged.
func (t *Turn) Paid() int { return int(t.paid.Load()) }

type lookUpKey struct{}

// AsLookUp returns a context for what must be known of every request before it can be
// admitted, such as its tenant, and for probes: some connections are kept for these.
func AsLookUp(ctx context.Context) context.Context {
	return context.WithValue(ctx, lookUpKey{}, true)
}

func isLookUp(ctx context.Context) bool { return ctx.Value(lookUpKey{}) != nil }
