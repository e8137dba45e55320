package tail

import (
	"context"
	"log/slog"
	"time"
)

// reader reads the rows of a tenant for its subscribers.
type reader[T, P any] struct {
	hub      *Hub[T, P]
	tenantID int64
	place    P
	woken    chan struct{}
	stop     context.CancelFunc
	// handed counts how often rows were handed out. The hub's lock protects it, and the
	// subscribers.
	handed      int
	subscribers map[*Subscription[T]]*seat[P]
}

func (h *Hub[T, P]) start(ctx context.Context, tenantID int64, place P) *reader[T, P] {
	ctx, stop := context.WithCancel(ctx)
	r := &reader[T, P]{hub: h, tenantID: tenantID, place: place, woken: make(chan struct{}, 1), stop: stop, subscribers: map[*Subscription[T]]*seat[P]{}}
	h.readers[tenantID] = r
	go r.run(ctx)
	return r
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
		// If the database is away, it waits: nothing is missed meanwhile.
		if err := r.look(ctx); err != nil && ctx.Err() == nil {
			r.hub.log.WarnContext(ctx, "read "+r.hub.source.Name, slog.Any("error", err))
		}
	}
}

// look reads new rows and hands them out.
func (r *reader[T, P]) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	for more := true; more; {
		rows, to, further, err := r.hub.source.Next(ctx, r.place)
		if err != nil {
			return err // the next look begins at the same position
		}
		r.handOut(rows, r.place)
		r.place, more = to, further
	}
	return nil
}

// handOut gives subscribers the rows that were read from a position on. It waits for none
// of them: one without room for its rows reads on by itself.
func (r *reader[T, P]) handOut(rows []T, from P) {
	if len(rows) == 0 {
		return
	}
	r.hub.mu.Lock()
	defer r.hub.mu.Unlock()
	r.handed++
	for s, at := range r.subscribers {
		if at.behind {
			continue
		}
		wanted := r.wanted(s, at, rows)
		if len(wanted) > cap(s.rows)-len(s.rows) {
			r.fallBehind(s, at, from)
			continue
		}
		for _, row := range wanted {
			s.rows <- row
		}
	}
}

// wanted returns the rows that a subscriber wants and has not had yet.
func (r *reader[T, P]) wanted(s *Subscription[T], at *seat[P], rows []T) (wanted []T) {
	for _, row := range rows {
		if r.hub.source.IsBehind(row, at.floor) && s.wants(row) {
			wanted = append(wanted, row)
		}
	}
	return wanted
}

// end ends a subscription, and with the last one the reader. The caller holds the lock.
func (r *reader[T, P]) end(s *Subscription[T], err error) {
	at, is := r.subscribers[s]
	if !is {
		return
	}
	delete(r.subscribers, s)
	s.err = err
	at.leave()
	if !at.behind {
		close(s.rows) // otherwise readOn does, which may be sending
	}
	if len(r.subscribers) == 0 {
		r.stop()
		delete(r.hub.readers, r.tenantID)
	}
}
