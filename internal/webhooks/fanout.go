package webhooks

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/events"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// fannedAtOnce bounds the events of one transaction.
const fannedAtOnce = 500

// FanOut turns every event of the context's tenant that was committed before
// the call into a message for each active subscription that wants it.
func (s *Service) FanOut(ctx context.Context) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	if err := s.Feed.Number(ctx); err != nil {
		return err
	}
	for {
		due, err := s.fanOutDue(ctx, tenantID)
		if err != nil || !due {
			return err
		}
		s.passed("before the fan-out")
		var woken []int64
		err = s.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			woken, err = fanOut(ctx, tx, tenantID, s.Clock.Now())
			return err
		})
		if err != nil {
			return fmt.Errorf("webhooks: fan-out: %w", err)
		}
		for _, id := range woken {
			s.wake(tenantID, id)
		}
	}
}

func (s *Service) fanOutDue(ctx context.Context, tenantID int64) (due bool, err error) {
	var one int
	return store.One(ctx, s.Store, []any{&one}, `SELECT 1 FROM outbox_feed f LEFT JOIN webhook_fanout w ON w.tenant_id = f.tenant_id
		WHERE f.tenant_id = $1 AND f.position > coalesce(w.position, 0)`, tenantID)
}

// fanOut handles the next events and returns the subscriptions that have new
// messages. It goes on from the position in the feed where the last one ended:
// positions are given after the commit and without a gap, so none appears
// behind it (an id, or a time, could).
func fanOut(ctx context.Context, tx *store.Tx, tenantID int64, now time.Time) ([]int64, error) {
	from, err := lockFanOut(ctx, tx, tenantID)
	if err != nil {
		return nil, err
	}
	// The events before the subscriptions: a subscription that was there before
	// an event is then seen with it.
	var to int64
	if _, err := store.One(ctx, tx, []any{&to}, "SELECT position FROM outbox_feed WHERE tenant_id = $1", tenantID); err != nil {
		return nil, err
	}
	batch, err := store.Collect(ctx, tx, scanRaised, fmt.Sprintf(`SELECT e.position, e.id, e.type, e.agent_code FROM outbox_event e
		WHERE e.tenant_id = $1 AND e.position > $2 ORDER BY e.position LIMIT %d`, fannedAtOnce), tenantID, from)
	if err != nil {
		return nil, err
	}
	active, err := store.Collect(ctx, tx, scanSubscription, "SELECT "+subscriptionColumns+` FROM webhook_subscription s
		WHERE s.tenant_id = $1 AND s.is_active = $2 ORDER BY s.id`+tx.ForUpdate(), tenantID, true)
	if err != nil {
		return nil, err
	}
	if len(active) > 0 && len(batch) > 0 { // otherwise nobody wants what there is, however much it is
		to = batch[len(batch)-1].position
	}
	var woken []int64
	for _, sub := range active {
		types := typesOf(sub)
		wanted := slices.DeleteFunc(slices.Clone(batch), func(r raised) bool { return !slices.Contains(types, r.eventType) })
		if len(wanted) == 0 {
			continue
		}
		if err := queue(ctx, tx, tenantID, sub, wanted, now); err != nil {
			return nil, err
		}
		woken = append(woken, sub.ID)
	}
	_, err = tx.Exec(ctx, "UPDATE webhook_fanout SET position = $1 WHERE tenant_id = $2", to, tenantID)
	return woken, err
}

func lockFanOut(ctx context.Context, tx *store.Tx, tenantID int64) (position int64, err error) {
	if _, err := tx.Exec(ctx, "INSERT INTO webhook_fanout (tenant_id, position) VALUES ($1, 0) ON CONFLICT DO NOTHING", tenantID); err != nil {
		return 0, err
	}
	_, err = store.One(ctx, tx, []any{&position}, "SELECT position FROM webhook_fanout WHERE tenant_id = $1"+tx.ForUpdate(), tenantID)
	return position, err
}

// raised is an event that is to be queued.
type raised struct {
	position      int64
	id, eventType string
	agentCode     *string
}

func scanRaised(row store.Scanner) (r raised, err error) {
	err = row.Scan(&r.position, &r.id, &r.eventType, &r.agentCode)
	return r, err
}

// typesOf returns the types that a subscription gets. A test goes to the
// subscription that is tested and to no other.
func typesOf(sub *Subscription) []string {
	types, _ := events.Resolve(sub.Events)
	return slices.DeleteFunc(types, func(name string) bool { return name == events.Ping })
}

// queue adds messages to a subscription, whose row is locked, with the next
// numbers.
func queue(ctx context.Context, tx *store.Tx, tenantID int64, sub *Subscription, all []raised, now time.Time) error {
	waits, err := waiting(ctx, tx, tenantID, sub, all)
	if err != nil {
		return err
	}
	columns := []string{"tenant_id", "subscription_id", "sequence", "event_id", "agent_code", "state", "next_attempt_at"}
	if err := tx.CopyFrom(ctx, "webhook_message", columns, messages(tenantID, sub, all, waits, now)); err != nil {
		return err
	}
	sub.LastSequence += int64(len(all))
	_, err = tx.Exec(ctx, "UPDATE webhook_subscription SET last_sequence = $1, wakes = wakes + 1 WHERE tenant_id = $2 AND id = $3", sub.LastSequence, tenantID, sub.ID)
	return err
}

func messages(tenantID int64, sub *Subscription, all []raised, waits []bool, now time.Time) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for i, r := range all {
			next := &now
			if waits[i] {
				next = nil
			}
			if !yield([]any{tenantID, sub.ID, sub.LastSequence + int64(i) + 1, r.id, r.agentCode, pending, next}) {
				return
			}
		}
	}
}
