package admission

import (
	"context"
	"sync/atomic"
	"time"
)

// Operation is what an admitted operation holds. Its statements find it in the context.
type Operation struct {
	leave func()
	used  atomic.Int64
	paid  atomic.Int64
}

type operationKey struct{}

// WithOperation returns a context for an operation that holds a slot, which leave gives back.
func WithOperation(ctx context.Context, leave func()) (context.Context, *Operation) {
	o := &Operation{leave: leave}
	return context.WithValue(ctx, operationKey{}, o), o
}

func operationFrom(ctx context.Context) *Operation {
	o, _ := ctx.Value(operationKey{}).(*Operation)
	return o
}

// Used returns how long the operation's statements ran, all together. Transactions do not
// count: they wait for locks and for the disk.
func (o *Operation) Used() time.Duration { return time.Duration(o.used.Load()) }

// Pay notes how many points the operation of the context was charged in advance.
func Pay(ctx context.Context, points int) {
	if o := operationFrom(ctx); o != nil {
		o.paid.Add(int64(points))
	}
}

// Paid returns how many points the operation was charged.
func (o *Operation) Paid() int { return int(o.paid.Load()) }

type lookUpKey struct{}

// AsLookUp returns a context for reading what must be known of every request before it
// can be admitted, such as its tenant, and for probes: some connections are reserved for
// these.
func AsLookUp(ctx context.Context) context.Context {
	return context.WithValue(ctx, lookUpKey{}, true)
}

func isLookUp(ctx context.Context) bool { return ctx.Value(lookUpKey{}) != nil }
