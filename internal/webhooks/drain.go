package webhooks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// readAtOnce limits the messages that are read at a time.
const readAtOnce = 256

// Drain delivers what is due for a subscription until nothing is, or until stopping is
// closed; then it finishes the requests under way. It returns when there will be more to
// do; nil for nothing, or if another process is delivering.
func (s *Service) Drain(ctx context.Context, subscriptionID int64, stopping <-chan struct{}) (*time.Time, error) {
	return s.drainUntil(ctx, subscriptionID, stopping, nil)
}

// drainUntil is Drain, but woken tells it of more work, for which it waits before it
// ends.
func (s *Service) drainUntil(ctx context.Context, subscriptionID int64, stopping, woken <-chan struct{}) (*time.Time, error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, tenant.ErrNone
	}
	d := &drain{Service: s, key: key{t.ID, subscriptionID}, tenant: t, stopping: stopping, woken: woken,
		started: map[int64]*message{}, results: make(chan result, inFlight)}
	var taken bool
	err := s.inTurn(ctx, func(ctx context.Context) (err error) {
		taken, err = s.take(ctx, d.key)
		return err
	})
	if err != nil || !taken {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go s.renew(ctx, d.key, func() { cancel(errLost) })
	err = d.run(ctx)
	// Requests under way are cut off, and not recorded.
	cancel(nil)
	for d.underWay > 0 {
		d.receive(<-d.results)
	}
	switch {
	case errors.Is(err, errLost), err != nil && errors.Is(context.Cause(ctx), errLost):
		err = nil
	case err != nil:
		err = errors.Join(err, s.giveBack(ctx, d.key))
	}
	return d.next, err
}

// drain is one run of deliveries for a subscription. Its fields belong to one goroutine;
// only send runs in others.
type drain struct {
	*Service
	key
	tenant   *tenant.Tenant
	stopping <-chan struct{}
	woken    <-chan struct{} // nil for nobody who would wait

	sub     *Subscription
	wakes   int64
	headers map[string]string
	secrets []string

	// isCurrent reports whether sub is as its row was at the last look; hasAll whether
	// nothing else was due when messages were last read.
	isCurrent, hasAll bool
	// keep ends when the lease was kept long enough after results were recorded; nil
	// before any were.
	keep <-chan time.Time

	ready []*message
	// started are the messages that were sent and not yet recorded.
	started  map[int64]*message
	underWay int
	results  chan result
	done     []result
	next     *time.Time
}

// run loops: it reads what is due, keeps as many requests under way as allowed, and
// records finished ones.
func (d *drain) run(ctx context.Context) error {
	for {
		if err := d.inTurn(ctx, d.refill); err != nil {
			return err
		}
		d.start(ctx)
		if d.underWay == 0 {
			if d.getsMore(ctx) {
				continue
			}
			var ended bool
			err := d.inTurn(ctx, func(ctx context.Context) (err error) {
				ended, err = d.end(ctx)
				return err
			})
			if ended || err != nil {
				return err
			}
			continue
		}
		if err := d.collect(ctx); err != nil {
			return err
		}
	}
}

// refill reads the subscription, and more messages if few are left.
func (d *drain) refill(ctx context.Context) error {
	if len(d.ready) > 0 {
		return nil
	}
	isCurrent := d.isCurrent
	if d.isCurrent = false; isCurrent && d.hasAll { // messages that become due later are seen at the end
		return nil
	}
	if !isCurrent {
		if err := d.load(ctx); err != nil {
			return err
		}
	}
	most := d.limit()
	if d.hasAll = false; most == 0 {
		return nil
	}
	found, err := d.due(ctx, readAtOnce+len(d.started))
	if err != nil {
		return err
	}
	d.hasAll = most == readAtOnce && len(found) < most
	for _, m := range found {
		if d.started[m.sequence] == nil && len(d.ready) < most {
			d.ready = append(d.ready, m)
		}
	}
	return nil
}

// limit is how many messages may be read now.
func (d *drain) limit() int {
	switch c := d.sub.circuit; {
	case d.isStopping(), !d.sub.IsActive:
		return 0
	case !c.open():
		return readAtOnce
	case d.underWay > 0, c.waits(d.Clock.Now()):
		return 0
	}
	return 1
}

func (d *drain) isStopping() bool {
	select {
	case <-d.stopping:
		return true
	default:
		return false
	}
}

// start sends as many of the ready messages as may be under way.
func (d *drain) start(ctx context.Context) {
	if d.isStopping() || d.sub.circuit.open() && d.underWay > 0 {
		d.ready = nil
	}
	for len(d.ready) > 0 && d.underWay < inFlight {
		m := d.ready[0]
		d.ready = d.ready[1:]
		if d.sub.IsOrdered && d.isBusy(m.event.agentCode) {
			d.hasAll = false
			continue // it remains due and is read again
		}
		d.started[m.sequence] = m
		d.underWay++
		sub, headers, secrets := d.sub, d.headers, d.secrets
		go func() { d.results <- d.send(ctx, sub, headers, secrets, m) }()
	}
}

// isBusy reports whether a message of an agent is under way that was started before the
// subscription became ordered, or before an earlier one was sent again.
func (d *drain) isBusy(agent *string) bool {
	for _, m := range d.started {
		if agent != nil && m.event.agentCode != nil && *m.event.agentCode == *agent {
			return true
		}
	}
	return false
}

// send makes one attempt. The result of an attempt that was cut off has none.
func (d *drain) send(ctx context.Context, sub *Subscription, headers map[string]string, secrets []string, m *message) result {
	var a *attempt
	d.Around(ctx, func(ctx context.Context) { a = d.attempt(ctx, d.key, sub, headers, secrets, m) })
	if ctx.Err() != nil {
		return result{message: m}
	}
	d.passed("the request left")
	return result{m, a, sub.LastModified}
}

// attempt sends a message. If a message cannot be sent, that counts as a failed attempt,
// so that it does not block others.
func (s *Service) attempt(ctx context.Context, k key, sub *Subscription, headers map[string]string, secrets []string, m *message) *attempt {
	r := request{key: k, url: sub.URL, headers: headers, secrets: secrets, eventID: m.event.id, eventType: m.event.eventType, body: m.event.body,
		number: m.attempts + 1, sequence: m.sequence}
	err := m.event.err
	if err == nil {
		var a *attempt
		if a, err = s.client.send(ctx, r); err == nil {
			if s.Attempted != nil && ctx.Err() == nil { // an attempt that was cut off is made again
				s.Attempted(a.outcome(), a.took)
			}
			return a
		}
	}
	s.Log.ErrorContext(ctx, "webhooks: make a request", slog.String("subscription", sub.UID), slog.String("event", m.event.id), slog.Any("error", err))
	a := s.client.begin(r)
	a.fail("The request could not be made")
	return a
}

// load reads the subscription as it is now.
func (d *drain) load(ctx context.Context) error {
	var (
		wakes   int64
		probeAt *time.Time
		holder  *string
	)
	found, err := store.Collect(ctx, d.Store, func(row store.Scanner) (*Subscription, error) {
		return scanSubscription(store.After(row, &wakes, &probeAt, &holder))
	}, "SELECT s.wakes, s.probe_at, s.holder, "+subscriptionColumns+" FROM webhook_subscription s WHERE s.tenant_id = $1 AND s.id = $2", d.tenantID, d.subscriptionID)
	if err != nil {
		return err
	}
	if len(found) == 0 || holder == nil || *holder != d.holder {
		return errLost
	}
	d.sub, d.wakes = found[0], wakes
	d.sub.circuit = circuit{d.sub.Failures, probeAt}
	if d.headers, err = d.openHeaders(ctx, d.tenantID, d.sub); err != nil {
		return fmt.Errorf("webhooks: headers: %w", err)
	}
	d.secrets, err = d.signingSecrets(ctx, d.tenantID, d.sub)
	return err
}

// lookAt checks whether the subscription has changed since it was read.
func (d *drain) lookAt(ctx context.Context) error {
	var wakes int64
	_, err := store.One(ctx, d.Store, []any{&wakes}, "SELECT wakes FROM webhook_subscription WHERE tenant_id = $1 AND id = $2", d.tenantID, d.subscriptionID)
	if err == nil {
		d.noticed(wakes)
	}
	return err
}

// noticed reads the counter in the row: if somebody has woken the subscription, it is
// read anew.
func (d *drain) noticed(wakes int64) {
	if d.isCurrent = wakes == d.wakes; !d.isCurrent {
		d.forget()
	}
}

// forget drops the messages that are ready: the subscription may be paused now, or have
// another URL, so it is read anew before anything is sent.
func (d *drain) forget() {
	d.ready, d.isCurrent, d.hasAll = nil, false, false
}

const (
	// lookAgain is how late changes by another process are noticed while requests are
	// under way.
	lookAgain = 500 * time.Millisecond
	// keepLease is how long the lease is kept when nothing is left to do. Otherwise a
	// steady stream of events would take it and give it back with each fan-out, which
	// happens at least once in mostRest.
	keepLease = mostRest + 100*time.Millisecond

	// lingerFor is how long a finished request waits to be recorded in one transaction
	// with others; recordAtOnce is how many wait at most.
	lingerFor    = 5 * time.Millisecond
	recordAtOnce = 128
)

// collect waits for requests to finish, and records them.
func (d *drain) collect(ctx context.Context) error {
	select {
	case r := <-d.results:
		d.receive(r)
	case <-d.woken:
		d.forget()
		return nil
	case <-time.After(lookAgain):
		if err := d.inTurn(ctx, d.lookAt); err != nil {
			return err
		}
		d.passed("looked")
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	d.linger(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	done := d.done
	d.done = nil
	if err := d.inTurn(ctx, func(ctx context.Context) error { return d.record(ctx, done) }); err != nil {
		return err
	}
	d.keep = time.After(keepLease)
	if d.sub.circuit.open() {
		d.ready = nil
	}
	return nil
}

// linger collects other requests that finish shortly, and starts new ones in their place.
func (d *drain) linger(ctx context.Context) {
	enough := time.After(lingerFor)
	for len(d.done) < recordAtOnce {
		if !d.sub.circuit.after(d.done, d.Clock.Now()).open() {
			d.start(ctx)
		}
		if d.underWay == 0 {
			return
		}
		select {
		case r := <-d.results:
			d.receive(r)
		case <-enough:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (d *drain) receive(r result) {
	d.underWay--
	if r.attempt != nil {
		d.done = append(d.done, r)
	}
}

// getsMore waits for more work while nothing is under way, as long as the lease is kept.
func (d *drain) getsMore(ctx context.Context) bool {
	if d.woken == nil || d.keep == nil || d.limit() < readAtOnce {
		return false
	}
	select {
	case <-d.woken:
		d.forget()
		return true
	case <-d.keep:
		d.keep = nil
	case <-d.stopping:
	case <-ctx.Done():
	}
	return false
}

// end gives the lease back if there is nothing to do now, and notes when there will be.
// If work has come meanwhile, the drain goes on.
func (d *drain) end(ctx context.Context) (ended bool, err error) {
	released, err := d.release(ctx, d.key, d.wakes)
	if err != nil || !released {
		d.hasAll = false
		return false, err
	}
	if !d.sub.IsActive {
		return true, nil
	}
	if d.next, err = nextDue(ctx, d.Store, d.key); err != nil || d.next == nil {
		return true, err
	}
	if probe := d.sub.circuit.probeAt; probe != nil && probe.After(*d.next) && d.sub.circuit.waits(d.Clock.Now()) {
		d.next = probe
	}
	return true, nil
}

// due reads the messages to be attempted now, the longest due first.
func (d *drain) due(ctx context.Context, most int) ([]*message, error) {
	var ids []string
	found, err := store.Collect(ctx, d.Store, func(row store.Scanner) (*message, error) {
		m, id := &message{wakes: d.wakes}, ""
		err := row.Scan(&m.sequence, &m.attempts, &m.next, &id)
		ids = append(ids, id)
		return m, err
	}, fmt.Sprintf(`SELECT m.sequence, m.attempts, m.next_attempt_at, m.event_id FROM webhook_message m
		WHERE m.tenant_id = $1 AND m.subscription_id = $2 AND m.state = 'PENDING' AND m.next_attempt_at <= $3
		ORDER BY m.next_attempt_at, m.sequence LIMIT %d`, most), d.tenantID, d.subscriptionID, d.Clock.Now())
	if err != nil {
		return nil, err
	}
	contents, err := d.contents.of(ctx, d.Store, d.tenant, ids)
	if err != nil {
		return nil, err
	}
	for i, m := range found {
		m.event = contents[i]
	}
	return found, nil
}
