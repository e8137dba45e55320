package webhooks

import (
	"context"
	"time"
)

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
