package events

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
	ErrTooSlow = errors.New("events: the subscriber did not keep up")
	ErrClosed  = errors.New("events: the server is stopping")
)

const (
	// lookEvery is how soon an event that another process wrote arrives, at
	// the latest.
	lookEvery = 250 * time.Millisecond
	// lookWithin bounds one look.
	lookWithin = 10 * time.Second
	// readAtOnce bounds the events of one reading.
	readAtOnce = 200
	// kept is how many events wait for a subscriber before it is given up.
	kept = 256
)

// Live hands events to subscribers as they are committed, in the order of the
// feed, in whichever process. Each tenant that somebody listens to has one
// reader, which looks for new positions: at once when this process commits
// events, otherwise a few times a second.
type Live struct {
	feed *Feed
	log  *slog.Logger

	mu      sync.Mutex
	readers map[int64]*reader
	closed  bool
}

// NewLive returns the live side of a feed.
func NewLive(f *Feed, log *slog.Logger) *Live {
	l := &Live{feed: f, log: log, readers: map[int64]*reader{}}
	f.store.Listen(Committed, l.wake)
	return l
}

// reader reads the events of a tenant for its subscribers.
type reader struct {
	live        *Live
	tenantID    int64
	position    int64
	woken       chan struct{}
	stop        context.CancelFunc
	subscribers map[*Subscription]bool
}

// Subscription is one subscriber.
type Subscription struct {
	// Events is closed when the subscription ends.
	Events <-chan *Stored
	events chan *Stored
	wants  func(*Stored) bool
	from   int64
	err    error
}

// Err returns why a subscription ended by itself, nil when its context ended.
// It is to be asked after Events was closed.
func (s *Subscription) Err() error { return s.err }

// Subscribe returns the events of the context's tenant that wants lets through,
// as far as they are committed from now on. It ends with the context.
func (l *Live) Subscribe(ctx context.Context, wants func(*Stored) bool) (*Subscription, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	head, err := l.feed.head(ctx, t.ID)
	if err != nil {
		return nil, err
	}
	events := make(chan *Stored, kept)
	s := &Subscription{Events: events, events: events, wants: wants, from: head}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, ErrClosed
	}
	r := l.readers[t.ID]
	if r == nil {
		r = l.start(tenant.With(context.WithoutCancel(ctx), t), t.ID, head)
	}
	r.subscribers[s] = true
	context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		r.end(s, nil)
	})
	return s, nil
}

func (l *Live) start(ctx context.Context, tenantID, position int64) *reader {
	ctx, stop := context.WithCancel(ctx)
	r := &reader{live: l, tenantID: tenantID, position: position, woken: make(chan struct{}, 1), stop: stop, subscribers: map[*Subscription]bool{}}
	l.readers[tenantID] = r
	go r.run(ctx)
	return r
}

func (l *Live) wake(tenantID int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.readers[tenantID]; r != nil {
		select {
		case r.woken <- struct{}{}:
		default: // it was woken already
		}
	}
}

// Subscribers counts the subscriptions under way in this process.
func (l *Live) Subscribers() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.readers {
		n += len(r.subscribers)
	}
	return n
}

// Close ends every subscription with ErrClosed; there are no new ones.
func (l *Live) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, r := range l.readers {
		for s := range r.subscribers {
			r.end(s, ErrClosed)
		}
	}
}

func (r *reader) run(ctx context.Context) {
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
			r.live.log.WarnContext(ctx, "read events", slog.Any("error", err))
		}
	}
}

// look reads what is new and hands it out.
func (r *reader) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	if err := r.live.feed.Number(ctx); err != nil {
		return err
	}
	for {
		batch, err := r.live.feed.after(ctx, r.tenantID, r.position, readAtOnce)
		if err != nil {
			return err
		}
		r.handOut(batch)
		if len(batch) < readAtOnce {
			return nil
		}
	}
}

func (r *reader) handOut(batch []*Stored) {
	r.live.mu.Lock()
	defer r.live.mu.Unlock()
	for _, e := range batch {
		r.position = e.Position
		for s := range r.subscribers {
			if e.Position <= s.from || !s.wants(e) {
				continue
			}
			select {
			case s.events <- e:
			default:
				r.end(s, ErrTooSlow)
			}
		}
	}
}

// end ends a subscription, and the reader with the last one. The lock is held.
func (r *reader) end(s *Subscription, err error) {
	if !r.subscribers[s] {
		return
	}
	delete(r.subscribers, s)
	s.err = err
	close(s.events)
	if len(r.subscribers) == 0 {
		r.stop()
		delete(r.live.readers, r.tenantID)
	}
}
