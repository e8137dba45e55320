package admission

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uplinehq/upline/internal/clock"
)

// Operation is what an admitted operation holds. Its statements find it in the context.
type Operation struct {
	leave func()
	used  atomic.Int64
	paid  atomic.Int64
	ended atomic.Bool
}

// End gives the slot back. It returns false if that was done before.
func (o *Operation) End() bool {
	o.leave()
	return !o.ended.Swap(true)
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

// Leave gives the slot of the context's operation back, which waits for others: who waits takes
// nothing from those who work.
func Leave(ctx context.Context) {
	if o := operationFrom(ctx); o != nil {
		o.leave()
	}
}

// Used returns how long the operation's statements ran, all together. Of transactions only dry
// runs count (Use.Charge): the others wait for locks and for the disk.
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

// LookUp is AsLookUp for look-ups that may take so long together. Most are answered from
// memory, so there is a timer only once one of them waits. Call done at the end.
func LookUp(ctx context.Context, within time.Duration) (look context.Context, done func()) {
	l := &lookUp{Context: ctx, until: clock.System{}.Now().Add(within)}
	return l, l.done
}

// lookUp is a context that ends at an instant, and has no timer until somebody asks for that.
type lookUp struct {
	context.Context
	until  time.Time
	begun  sync.Once
	timed  context.Context
	cancel context.CancelFunc
}

func (l *lookUp) begin() context.Context {
	l.begun.Do(func() { l.timed, l.cancel = context.WithDeadline(l.Context, l.until) })
	return l.timed
}

func (l *lookUp) done() {
	l.begun.Do(func() { l.timed, l.cancel = l.Context, func() {} })
	l.cancel()
}

// Deadline implements context.Context.
func (l *lookUp) Deadline() (time.Time, bool) { return l.begin().Deadline() }

// Done implements context.Context.
func (l *lookUp) Done() <-chan struct{} { return l.begin().Done() }

// Err implements context.Context.
func (l *lookUp) Err() error { return l.begin().Err() }

// Value implements context.Context.
func (l *lookUp) Value(key any) any {
	if key == (lookUpKey{}) {
		return true
	}
	return l.Context.Value(key)
}

func isLookUp(ctx context.Context) bool { return ctx.Value(lookUpKey{}) != nil }
