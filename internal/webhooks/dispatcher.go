package webhooks

import (
	"context"
	"errors"
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

// lookEvery is how often a process looks for work that nobody does: the work of a killed
// process, and events committed where nothing delivers.
const lookEvery = 2 * time.Second

// straightenEvery is how many looks there are between two calls of Straighten.
const straightenEvery = int(time.Minute / lookEvery)

// look calls wakeBehind at once and then from time to time.
func (d *dispatcher) look() {
	defer close(d.looked)
	for n := 0; ; n++ {
		if n%straightenEvery == 0 {
			if err := d.Straighten(d.ctx); err != nil {
				d.failed("look for times that cannot be", err)
			}
		}
		if err := d.wakeBehind(d.ctx); err != nil {
			d.failed("look for what is due", err)
		}
		if !d.wait(lookEvery) {
			return
		}
	}
}

// wakeBehind fans out the waiting events, and wakes every subscription that has something
// due and for which nobody delivers.
func (d *dispatcher) wakeBehind(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, databaseWithin)
	defer cancel()
	ctx = tenant.System(ctx, "look for tenants and subscriptions with something to deliver")
	tenants, err := store.Collect(ctx, d.Store, store.ScanOne[int64], `SELECT a.tenant_id
		FROM (SELECT DISTINCT tenant_id FROM webhook_subscription WHERE is_active = $1) a
		WHERE EXISTS (SELECT 1 FROM outbox_event e WHERE e.tenant_id = a.tenant_id AND e.position IS NULL)
			OR EXISTS (SELECT 1 FROM outbox_feed f LEFT JOIN webhook_fanout w ON w.tenant_id = f.tenant_id
				WHERE f.tenant_id = a.tenant_id AND f.position > coalesce(w.position, 0))`, true)
	for _, id := range tenants {
		d.tenants.wake(id)
	}
	now, latest := heldNow(d.Clock.Now())
	behind, dueErr := store.Collect(ctx, d.Store, scanKey, `SELECT s.tenant_id, s.id FROM webhook_subscription s
		WHERE s.is_active = $1 AND (s.holder IS NULL OR s.held_until NOT BETWEEN $2 AND $3) AND (s.probe_at IS NULL OR s.probe_at NOT BETWEEN $2 AND $4) AND EXISTS (
			SELECT 1 FROM webhook_message m WHERE m.tenant_id = s.tenant_id AND m.subscription_id = s.id AND m.state = 'PENDING' AND m.next_attempt_at <= $2)`,
		true, now, latest, now.Add(mostRetryAfter))
	for _, k := range behind {
		d.drains.wake(k)
	}
	return errors.Join(err, dueErr)
}

// Straighten makes messages due that a process with a wrong clock has put off: a message
// without an attempt is due from its beginning, and none may wait longer than the longest
// pause.
func (s *Service) Straighten(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, databaseWithin)
	defer cancel()
	ctx = tenant.System(ctx, "look for messages that wait for longer than any pause")
	now := s.Clock.Now()
	const late = "m.state = 'PENDING' AND (m.next_attempt_at > $1 AND m.attempts = 0 OR m.next_attempt_at > $2)"
	soon, latest := now.Add(clocksDiffer), now.Add(longestPause)
	all, err := store.Collect(ctx, s.Store, scanKey, "SELECT DISTINCT m.tenant_id, m.subscription_id FROM webhook_message m WHERE "+late, soon, latest)
	for _, k := range all {
		err = errors.Join(err, s.Store.InTx(tenant.With(ctx, &tenant.Tenant{ID: k.tenantID}), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE webhook_message AS m SET next_attempt_at = $3 WHERE m.tenant_id = $4 AND m.subscription_id = $5 AND "+late,
				soon, latest, now, k.tenantID, k.subscriptionID)
			return err
		}))
	}
	return err
}

func scanKey(row store.Scanner) (k key, err error) {
	err = row.Scan(&k.tenantID, &k.subscriptionID)
	return k, err
}
