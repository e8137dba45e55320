// Package tail sends rows to subscribers as they are committed, by whichever process. It
// reads them from the database: a reader looks for rows after the position up to which it
// has read, so no row is lost as long as there is a subscriber.
package tail

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// The reasons why a subscription ended.
var (
	ErrTooSlow = errors.New("live: the subscriber did not keep up")
	ErrClosed  = errors.New("live: the server is stopping")
)

const (
	// lookEvery is how late a row that another process wrote arrives at most.
	lookEvery = 250 * time.Millisecond
	// lookWithin limits the time of one look.
	lookWithin = 10 * time.Second
	// kept is how many rows can wait for a subscriber. A subscriber with more reads on by
	// itself.
	kept = 256
	// patience is how long a row waits for a subscriber that takes none, before the
	// subscriber is given up: longer than answering an event may take.
	patience = 30 * time.Second
)

// Source is where rows of type T are read from, in an order with positions of type P. A
// row that is committed later must have a later position. Its functions are called with
// the context of a tenant.
type Source[T, P any] struct {
	// Name is the name of the rows in the log.
	Name string
	// Head returns the position after the last row.
	Head func(ctx context.Context) (P, error)
	// Next reads some rows after a position. to is the position after them; more is false
	// if there were no others.
	Next func(ctx context.Context, from P) (rows []T, to P, more bool, err error)
	// IsBehind reports whether a row comes after a position.
	IsBehind func(row T, place P) bool
}

// Hub has a reader for each tenant with subscribers. The reader looks a few times a
// second, and at once when it is woken.
type Hub[T, P any] struct {
	source   Source[T, P]
	log      *slog.Logger
	patience time.Duration

	mu      sync.Mutex
	readers map[int64]*reader[T, P]
	closed  bool
}

// New returns the hub of a source.
func New[T, P any](source Source[T, P], log *slog.Logger) *Hub[T, P] {
	return &Hub[T, P]{source: source, log: log, patience: patience, readers: map[int64]*reader[T, P]{}}
}

// Subscribe subscribes to the rows of the context's tenant that wants accepts and that
// are committed from now on. The subscription ends with the context.
func (h *Hub[T, P]) Subscribe(ctx context.Context, wants func(T) bool) (*Subscription[T], error) {
	head, err := h.source.Head(ctx)
	if err != nil {
		return nil, err
	}
	return h.join(ctx, wants, head, head)
}

// SubscribeFrom is Subscribe for the rows after a position, beginning with those that
// were committed before.
func (h *Hub[T, P]) SubscribeFrom(ctx context.Context, place P, wants func(T) bool) (*Subscription[T], error) {
	head, err := h.source.Head(ctx)
	if err != nil {
		return nil, err
	}
	return h.join(ctx, wants, place, head)
}

// Wake makes a tenant's reader look at once.
func (h *Hub[T, P]) Wake(tenantID int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.readers[tenantID]; r != nil {
		select {
		case r.woken <- struct{}{}:
		default: // it was woken already
		}
	}
}

// Subscribers counts the subscriptions under way in this process.
func (h *Hub[T, P]) Subscribers() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.readers {
		n += len(r.subscribers)
	}
	return n
}

// Close ends every subscription with ErrClosed; there are no new ones afterwards.
func (h *Hub[T, P]) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, r := range h.readers {
		for s := range r.subscribers {
			r.end(s, ErrClosed)
		}
	}
}
