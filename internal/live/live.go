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

	"github.com/uplinehq/upline/internal/tenant"
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
	// kept is how many rows wait for a subscriber before it is given up.
	kept = 256
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
	source Source[T, P]
	log    *slog.Logger

	mu      sync.Mutex
	readers map[int64]*reader[T, P]
	closed  bool
}

// New returns the hub of a source.
func New[T, P any](source Source[T, P], log *slog.Logger) *Hub[T, P] {
	return &Hub[T, P]{source: source, log: log, readers: map[int64]*reader[T, P]{}}
}

// reader reads the rows of a tenant for its subscribers.
type reader[T, P any] struct {
	hub         *Hub[T, P]
	tenantID    int64
	place       P
	woken       chan struct{}
	stop        context.CancelFunc
	subscribers map[*Subscription[T]]P
}

// Subscription is one subscriber.
type Subscription[T any] struct {
	// Rows is closed when the subscription ends.
	Rows  <-chan T
	rows  chan T
	wants func(T) bool
	err   error
}

// Err returns why a subscription ended by itself, nil when its context ended.
// It is to be asked after Rows was closed.
func (s *Subscription[T]) Err() error { return s.err }

// Subscribe returns the rows of the context's tenant that wants lets through, as
// far as they are committed from now on. It ends with the context.
func (h *Hub[T, P]) Subscribe(ctx context.Context, wants func(T) bool) (*Subscription[T], error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	head, err := h.source.Head(ctx)
	if err != nil {
		return nil, err
	}
	rows := make(chan T, kept)
	s := &Subscription[T]{Rows: rows, rows: rows, wants: wants}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	r := h.readers[t.ID]
	if r == nil {
		r = h.start(tenant.With(context.WithoutCancel(ctx), t), t.ID, head)
	}
	r.subscribers[s] = head
	context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		r.end(s, nil)
	})
	return s, nil
}

func (h *Hub[T, P]) start(ctx context.Context, tenantID int64, place P) *reader[T, P] {
	ctx, stop := context.WithCancel(ctx)
	r := &reader[T, P]{hub: h, tenantID: tenantID, place: place, woken: make(chan struct{}, 1), stop: stop, subscribers: map[*Subscription[T]]P{}}
	h.readers[tenantID] = r
	go r.run(ctx)
	return r
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

func (r *reader[T, P]) run(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.woken:
		case <-ticker.C:
		}
		// A database that is away is waited for: nothing is missed meanwhile.
		if err := r.look(ctx); err != nil && ctx.Err() == nil {
			r.hub.log.WarnContext(ctx, "read "+r.hub.source.Name, slog.Any("error", err))
		}
	}
}

// look reads what is new and hands it out.
func (r *reader[T, P]) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	for more := true; more; {
		var (
			rows []T
			err  error
		)
		if rows, r.place, more, err = r.next(ctx); err != nil {
			return err
		}
		r.handOut(rows)
	}
	return nil
}

// next stays where it is when the reading fails.
func (r *reader[T, P]) next(ctx context.Context) (rows []T, to P, more bool, err error) {
	if rows, to, more, err = r.hub.source.Next(ctx, r.place); err != nil {
		return nil, r.place, false, err
	}
	return rows, to, more, nil
}

func (r *reader[T, P]) handOut(rows []T) {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	for _, row := range rows {
		for s, from := range r.subscribers {
			if !r.hub.source.IsBehind(row, from) || !s.wants(row) {
				continue
			}
			select {
			case s.rows <- row:
			default:
				r.end(s, ErrTooSlow)
			}
		}
	}
}

// end ends a subscription, and the reader with the last one. The lock is held.
func (r *reader[T, P]) end(s *Subscription[T], err error) {
	if _, is := r.subscribers[s]; !is {
		return
	}
	delete(r.subscribers, s)
	s.err = err
	close(s.rows)
	if len(r.subscribers) == 0 {
		r.stop()
		delete(r.hub.readers, r.tenantID)
	}
}
