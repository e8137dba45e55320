// Package live hands rows to subscribers as they are committed, in whichever
// process. The rows are the truth: a reader looks for those behind the place it
// has read up to, so that none is lost as long as a subscriber is there.
package live

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Why a subscription ended.
var (
	ErrTooSlow = errors.New("live: the subscriber did not keep up")
	ErrClosed  = errors.New("live: the server is stopping")
)

const (
	// lookEvery is how soon a row that another process wrote arrives, at the
	// latest.
	lookEvery = 250 * time.Millisecond
	// lookWithin bounds one look.
	lookWithin = 10 * time.Second
	// kept is how many rows wait for a subscriber. One for whom there are more
	// reads on by itself.
	kept = 256
	// patience is how long a row waits for a subscriber that takes none, before
	// it is given up: longer than the answer to an event may take.
	patience = 30 * time.Second
)

// Source is where rows of type T are read from, in an order in which places of
// type P can be named. A row that is committed later must have a later place.
// Its functions are called with the context of a tenant.
type Source[T, P any] struct {
	// Name says in the log what is read.
	Name string
	// Head returns the place behind the last row.
	Head func(ctx context.Context) (P, error)
	// Next reads some rows behind a place; to is the place behind them, and more
	// is false when there were no others.
	Next func(ctx context.Context, from P) (rows []T, to P, more bool, err error)
	// IsBehind reports whether a row comes after a place.
	IsBehind func(row T, place P) bool
}

// Hub has one reader for each tenant that somebody listens to. The reader looks
// a few times a second, and at once when it is woken.
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

// Subscribe returns the rows of the context's tenant that wants lets through, as
// far as they are committed from now on. It ends with the context.
func (h *Hub[T, P]) Subscribe(ctx context.Context, wants func(T) bool) (*Subscription[T], error) {
	head, err := h.source.Head(ctx)
	if err != nil {
		return nil, err
	}
	return h.join(ctx, wants, head, head)
}

// SubscribeFrom is Subscribe for the rows behind a place, those first that were
// committed before.
func (h *Hub[T, P]) SubscribeFrom(ctx context.Context, place P, wants func(T) bool) (*Subscription[T], error) {
	head, err := h.source.Head(ctx)
	if err != nil {
		return nil, err
	}
	return h.join(ctx, wants, place, head)
}

// Wake has a tenant's reader look at once.
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

// Close ends every subscription with ErrClosed; there are no new ones.
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
