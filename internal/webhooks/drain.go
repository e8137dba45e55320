package webhooks

import (
	"context"
	"errors"
	"log/slog"
	"time"

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
