package webhooks

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

const (
	// gather is how long a fan-out waits for more events of the same moment, rest the
	// time until the next fan-out: so a steady stream of changes shares transactions, and
	// a single change hardly waits.
	gather = 5 * time.Millisecond
	rest   = 100 * time.Millisecond
	// restForEach is added for each subscription that was woken, up to mostRest: waking
	// one costs about the same for one event and for a hundred.
	restForEach = 5 * time.Millisecond
	mostRest    = 500 * time.Millisecond
	// againAfter is when deliveries are tried again that failed for a reason of our own.
	againAfter = 5 * time.Second
)

// dispatcher delivers in this process, until it is stopped.
type dispatcher struct {
	*Service
	ctx      context.Context
	cancel   context.CancelFunc
	stopping chan struct{}
	looked   chan struct{} // closed when the last look has ended
	tenants  *pool[int64]
	drains   *pool[key]

	mu     sync.Mutex
	timers map[key]*time.Timer
}

// Start begins to deliver. The context must last as long as deliveries do, and has no
// tenant.
func (s *Service) Start(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	d := &dispatcher{Service: s, ctx: ctx, cancel: cancel, stopping: make(chan struct{}), looked: make(chan struct{}), timers: map[key]*time.Timer{}}
	d.tenants, d.drains = newPool(d.fanOut), newPool(d.drain)
	s.running.Store(d)
	go d.look()
}

// Stop starts nothing new and lets requests under way finish until ctx ends. Then they
// are cut off, and the next process attempts them again.
func (s *Service) Stop(ctx context.Context) {
	d := s.running.Swap(nil)
	if d == nil {
		return
	}
	close(d.stopping)
	for _, done := range []<-chan struct{}{d.looked, d.tenants.stop(), d.drains.stop()} {
		select {
		case <-done:
		case <-ctx.Done():
			d.cancel()
			<-done
		}
	}
	d.cancel()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.timers {
		t.Stop()
	}
}

// of returns a context of a tenant.
func (d *dispatcher) of(tenantID int64) (context.Context, error) {
	t, err := d.Find(d.ctx, tenantID)
	if err != nil {
		return nil, err
	}
	return tenant.With(d.ctx, t), nil
}

func (d *dispatcher) fanOut(tenantID int64, _ <-chan struct{}) {
	if !d.wait(gather) { // the rows are there for the next process
		return
	}
	wakes, due, err := d.fanOutOf(tenantID)
	switch {
	case err != nil:
		d.failed("fan out events", err) // look comes back to them
	case !due:
		// Another process was faster, and may have left work to subscriptions whose
		// leases this one still holds.
		d.drains.wakeRunning(func(k key) bool { return k.tenantID == tenantID })
	}
	d.wait(min(rest+time.Duration(wakes)*restForEach, mostRest))
}

// wait waits; it returns false if the process is to stop.
func (d *dispatcher) wait(t time.Duration) bool {
	select {
	case <-time.After(t):
		return true
	case <-d.stopping:
		return false
	}
}

func (d *dispatcher) fanOutOf(tenantID int64) (wakes int, due bool, err error) {
	ctx, err := d.of(tenantID)
	if err != nil {
		return 0, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, databaseWithin)
	defer cancel()
	return d.fanOutIfWanted(ctx, tenantID)
}

// fanOutIfWanted does nothing for tenants without subscriptions; when one is created, the
// events before it are skipped.
func (s *Service) fanOutIfWanted(ctx context.Context, tenantID int64) (wakes int, due bool, err error) {
	wanted, err := s.hasActive(ctx, tenantID)
	if err != nil || !wanted {
		return 0, false, err
	}
	return s.fanOutCounted(ctx)
}

func (d *dispatcher) drain(k key, woken <-chan struct{}) {
	ctx, err := d.of(k.tenantID)
	var next *time.Time
	if err == nil {
		next, err = d.drainUntil(ctx, k.subscriptionID, d.stopping, woken)
	}
	if err != nil {
		d.failed("deliver", err)
		d.later(k, againAfter)
		return
	}
	if next != nil {
		d.later(k, next.Sub(d.Clock.Now()))
	}
}

func (d *dispatcher) failed(what string, err error) {
	if d.ctx.Err() == nil {
		d.Log.WarnContext(d.ctx, "webhooks: "+what, slog.Any("error", err))
	}
}

// later wakes a subscription after a while. Each has one timer.
func (d *dispatcher) later(k key, wait time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t := d.timers[k]; t != nil {
		t.Stop()
	}
	var own *time.Timer
	own = time.AfterFunc(wait, func() {
		d.mu.Lock()
		if d.timers[k] == own { // unless another one took its place meanwhile
			delete(d.timers, k)
		}
		d.mu.Unlock()
		d.drains.wake(k)
	})
	d.timers[k] = own
}

func (s *Service) hasActive(ctx context.Context, tenantID int64) (bool, error) {
	var one int
	return store.One(ctx, s.Store, []any{&one}, "SELECT 1 FROM webhook_subscription WHERE tenant_id = $1 AND is_active = $2 LIMIT 1", tenantID, true)
}
