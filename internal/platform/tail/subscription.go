package tail

import (
	"context"
	"log/slog"
	"time"

	"github.com/uplinehq/upline/internal/tenant"
)

// Subscription is the subscription of one subscriber.
type Subscription[T any] struct {
	// Rows is closed when the subscription ends.
	Rows  <-chan T
	rows  chan T
	wants func(T) bool
	err   error
}

// Err returns why a subscription ended by itself, nil if its context ended. Call it after
// Rows is closed.
func (s *Subscription[T]) Err() error { return s.err }

// seat is the state of a subscriber with its reader.
type seat[P any] struct {
	// ctx ends with the subscription.
	ctx   context.Context
	leave context.CancelFunc
	// floor is the position up to which no row is handed out any more.
	floor P
	// behind is set while the subscriber reads by itself.
	behind bool
}

// join adds a subscriber that has had the rows up to a position. The head was read after
// that position.
func (h *Hub[T, P]) join(ctx context.Context, wants func(T) bool, place, head P) (*Subscription[T], error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
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
		r = h.start(tenant.Whole(tenant.With(context.WithoutCancel(ctx), t), "the reader is shared; each subscriber shows what it may see"), t.ID, head)
	}
	at := &seat[P]{floor: place}
	at.ctx, at.leave = context.WithCancel(ctx)
	r.subscribers[s] = at
	// The reader may meanwhile have handed out rows after that position.
	r.fallBehind(s, at, place)
	context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		r.end(s, nil)
	})
	return s, nil
}

// fallBehind makes a subscriber read on by itself, from the position up to which it has
// had the rows. The caller holds the lock.
func (r *reader[T, P]) fallBehind(s *Subscription[T], at *seat[P], place P) {
	at.behind = true
	go func() {
		if !r.readOn(s, at, place) {
			close(s.rows)
		}
	}()
}

// readOn reads for a subscriber until it has had what its reader has handed out, and
// returns it to the reader. It returns false if the subscription has ended.
func (r *reader[T, P]) readOn(s *Subscription[T], at *seat[P], place P) bool {
	for {
		handed := r.handedOut()
		rows, to, more, err := r.readFor(at, place)
		switch {
		case at.ctx.Err() != nil:
			return false
		case err != nil:
			r.hub.log.WarnContext(at.ctx, "read "+r.hub.source.Name, slog.Any("error", err))
			if !pause(at.ctx) {
				return false
			}
			continue
		}
		for _, row := range r.wanted(s, at, rows) {
			if !r.send(s, at, row) {
				return false
			}
		}
		place = to
		if !more && r.comeBack(at, place, handed) {
			return true
		}
	}
}

func (r *reader[T, P]) handedOut() int {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	return r.handed
}

func (r *reader[T, P]) readFor(at *seat[P], place P) (rows []T, to P, more bool, err error) {
	ctx, cancel := context.WithTimeout(at.ctx, lookWithin)
	defer cancel()
	return r.hub.source.Next(ctx, place)
}

// pause waits a while; it returns false if ctx has ended.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(lookEvery):
		return true
	}
}

// send waits until a subscriber takes a row, but not for ever.
func (r *reader[T, P]) send(s *Subscription[T], at *seat[P], row T) bool {
	stalled := time.NewTimer(r.hub.patience)
	defer stalled.Stop()
	select {
	case s.rows <- row:
		return true
	case <-at.ctx.Done():
	case <-stalled.C:
		r.hub.mu.Lock()
		defer r.hub.mu.Unlock()
		r.end(s, ErrTooSlow)
	}
	return false
}

// comeBack returns a subscriber that has had the rows up to a position to its reader,
// unless the reader has handed out rows since the position was read. Rows that it hands
// out a second time are below the floor.
func (r *reader[T, P]) comeBack(at *seat[P], place P, handed int) bool {
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	if r.handed != handed || at.ctx.Err() != nil {
		return false
	}
	at.floor, at.behind = place, false
	return true
}
