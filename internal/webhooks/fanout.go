package webhooks

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// fannedAtOnce limits the events of one transaction.
const fannedAtOnce = 500

// fanning makes messages of events. It is safe for concurrent use.
type fanning struct {
	*signals
	store  *store.Store
	clock  clock.Clock
	feed   *events.Feed
	writer *change.Writer
}

// write runs f in a transaction. The initiator is the token's subject.
func (s *fanning) write(ctx context.Context, f func(ctx context.Context, w *change.Writing) error) error {
	caller, _ := tenant.CallerFrom(ctx)
	return s.writer.Write(ctx, caller.Subject, f)
}

// FanOut turns every event of the context's tenant that was committed before
// the call into a message for each active subscription that wants it.
func (s *fanning) FanOut(ctx context.Context) error {
	_, _, err := s.fanOutCounted(ctx)
	return err
}

// fanOutCounted is FanOut; it returns how often it woke a subscription, and whether there
// was anything to do.
func (s *fanning) fanOutCounted(ctx context.Context) (wakes int, due bool, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, false, err
	}
	if err := s.feed.Number(ctx); err != nil {
		return 0, false, err
	}
	for ; ; due = true {
		more, err := s.fanOutDue(ctx, tenantID)
		if err != nil || !more {
			return wakes, due, err
		}
		s.passed("before the fan-out")
		var woken []int64
		err = s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			woken, _, err = fanOut(ctx, tx, tenantID, s.clock.Now())
			return err
		})
		if err != nil {
			return wakes, due, fmt.Errorf("webhooks: fan-out: %w", err)
		}
		for _, id := range woken {
			s.wake(tenantID, id)
		}
		wakes += len(woken)
	}
}

func (s *fanning) fanOutDue(ctx context.Context, tenantID int64) (due bool, err error) {
	var one int
	return store.One(ctx, s.store, []any{&one}, `SELECT 1 FROM outbox_feed f LEFT JOIN webhook_fanout w ON w.tenant_id = f.tenant_id
		WHERE f.tenant_id = $1 AND f.position > coalesce(w.position, 0)`, tenantID)
}

// placed runs a change of subscriptions at one position in the feed: all events up to it
// use the old settings, and all later ones the new. No event gets a position while it
// runs. So somebody who sees an event in the feed and then reads a subscription knows
// that the event used those settings, or earlier ones.
func (s *fanning) placed(ctx context.Context, f func(ctx context.Context, w *change.Writing) error) error {
	// Most of the waiting events are handled first, in transactions of their own.
	if err := s.FanOut(ctx); err != nil {
		return err
	}
	s.passed("before the change")
	var woken map[int64]bool
	err := s.write(ctx, func(ctx context.Context, w *change.Writing) (err error) {
		if woken, err = s.fanOutAll(ctx, w.Tx, w.Tenant.ID, w.Now); err != nil {
			return fmt.Errorf("webhooks: fan-out: %w", err)
		}
		s.passed("in the change")
		return f(ctx, w)
	})
	if err != nil {
		return err
	}
	if t := tenant.From(ctx); t != nil {
		for id := range woken {
			s.wake(t.ID, id)
		}
	}
	return nil
}

// fanOutAll handles every event that is committed now, and returns the subscriptions with
// new messages. No event gets a position until the transaction ends.
func (s *fanning) fanOutAll(ctx context.Context, tx *store.Tx, tenantID int64, now time.Time) (map[int64]bool, error) {
	if _, err := lockFanOut(ctx, tx, tenantID); err != nil { // before the feed: everybody locks them in this order
		return nil, err
	}
	if err := s.feed.NumberIn(ctx, tx); err != nil {
		return nil, err
	}
	woken := map[int64]bool{}
	for {
		some, more, err := fanOut(ctx, tx, tenantID, now)
		if err != nil {
			return nil, err
		}
		for _, id := range some {
			woken[id] = true
		}
		if !more {
			return woken, nil
		}
	}
}

// fanOut handles the next events. It returns the subscriptions with new messages, and
// whether there are more events. It continues at the position in the feed where the last
// fan-out ended. Positions are given after the commit and without gaps, so no event
// appears before that position, as it could with ids or times.
func fanOut(ctx context.Context, tx *store.Tx, tenantID int64, now time.Time) (woken []int64, more bool, err error) {
	from, err := lockFanOut(ctx, tx, tenantID)
	if err != nil {
		return nil, false, err
	}
	// Events are read before subscriptions, so that a subscription that existed before an
	// event is always seen with it.
	var head int64
	if _, err := store.One(ctx, tx, []any{&head}, "SELECT position FROM outbox_feed WHERE tenant_id = $1", tenantID); err != nil {
		return nil, false, err
	}
	if head == from {
		return nil, false, nil
	}
	batch, err := store.Collect(ctx, tx, scanRaised, fmt.Sprintf(`SELECT e.position, e.id, e.type, e.agent_code FROM outbox_event e
		WHERE e.tenant_id = $1 AND e.position > $2 AND e.position <= $3 ORDER BY e.position LIMIT %d`, fannedAtOnce), tenantID, from, head)
	if err != nil {
		return nil, false, err
	}
	active, err := store.Collect(ctx, tx, scanSubscription, "SELECT "+subscriptionColumns+` FROM webhook_subscription s
		WHERE s.tenant_id = $1 AND s.is_active = $2 ORDER BY s.id`+tx.ForUpdate(), tenantID, true)
	if err != nil {
		return nil, false, err
	}
	to := head
	if len(active) > 0 && len(batch) == fannedAtOnce { // otherwise that was all, or nobody wants these events
		to = batch[len(batch)-1].position
	}
	var all []queued
	for _, sub := range active {
		types := typesOf(sub)
		wanted := slices.DeleteFunc(slices.Clone(batch), func(r raised) bool { return !slices.Contains(types, r.eventType) })
		if len(wanted) > 0 {
			all, woken = append(all, queued{subscription: sub, events: wanted}), append(woken, sub.ID)
		}
	}
	if err := queue(ctx, tx, tenantID, all, now); err != nil {
		return nil, false, err
	}
	_, err = tx.Exec(ctx, "UPDATE webhook_fanout SET position = $1 WHERE tenant_id = $2", to, tenantID)
	return woken, to < head, err
}

func lockFanOut(ctx context.Context, tx *store.Tx, tenantID int64) (position int64, err error) {
	if _, err := tx.Exec(ctx, "INSERT INTO webhook_fanout (tenant_id, position) VALUES ($1, 0) ON CONFLICT DO NOTHING", tenantID); err != nil {
		return 0, err
	}
	_, err = store.One(ctx, tx, []any{&position}, "SELECT position FROM webhook_fanout WHERE tenant_id = $1"+tx.ForUpdate(), tenantID)
	return position, err
}

func scanRaised(row store.Scanner) (r raised, err error) {
	err = row.Scan(&r.position, &r.id, &r.eventType, &r.agentCode)
	return r, err
}

// typesOf returns the types that a subscription gets. A test event goes only to the
// subscription that is tested.
func typesOf(sub *Subscription) []string {
	types, _ := events.Resolve(sub.Events)
	return slices.DeleteFunc(types, func(name string) bool { return name == events.Ping })
}

// queued are events to be queued for a subscription, whose row is locked.
type queued struct {
	subscription *Subscription
	events       []raised
	// waits says which of them have to wait for an earlier one.
	waits []bool
}

// queue adds messages to subscriptions, with the next numbers of each. Its cost does not
// grow with the number of subscriptions, except for ordered ones.
func queue(ctx context.Context, tx *store.Tx, tenantID int64, all []queued, now time.Time) (err error) {
	if len(all) == 0 {
		return nil
	}
	for i, q := range all {
		if all[i].waits, err = waiting(ctx, tx, tenantID, q.subscription, q.events); err != nil {
			return err
		}
	}
	columns := []string{"tenant_id", "subscription_id", "sequence", "event_id", "agent_code", "state", "next_attempt_at"}
	if err := tx.CopyFrom(ctx, "webhook_message", columns, messages(tenantID, all, now)); err != nil {
		return err
	}
	same := map[int][]int64{} // subscriptions that get the same number of messages
	for _, q := range all {
		same[len(q.events)] = append(same[len(q.events)], q.subscription.ID)
		q.subscription.LastSequence += int64(len(q.events))
	}
	for n, ids := range same {
		if _, err := tx.Exec(ctx, "UPDATE webhook_subscription SET last_sequence = last_sequence + $1, wakes = wakes + 1 WHERE tenant_id = $2 AND "+tx.In("id", "$3"),
			n, tenantID, tx.List(ids)); err != nil {
			return err
		}
	}
	return nil
}

func messages(tenantID int64, all []queued, now time.Time) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for _, q := range all {
			for i, r := range q.events {
				next := &now
				if q.waits[i] {
					next = nil
				}
				if !yield([]any{tenantID, q.subscription.ID, q.subscription.LastSequence + int64(i) + 1, r.id, r.agentCode, pending, next}) {
					return
				}
			}
		}
	}
}

// fanOutIfWanted does nothing for tenants without subscriptions; when one is created, the
// events before it are skipped.
func (s *fanning) fanOutIfWanted(ctx context.Context, tenantID int64) (wakes int, due bool, err error) {
	wanted, err := s.hasActive(ctx, tenantID)
	if err != nil || !wanted {
		return 0, false, err
	}
	return s.fanOutCounted(ctx)
}

func (s *fanning) hasActive(ctx context.Context, tenantID int64) (bool, error) {
	var one int
	return store.One(ctx, s.store, []any{&one}, "SELECT 1 FROM webhook_subscription WHERE tenant_id = $1 AND is_active = $2 LIMIT 1", tenantID, true)
}
