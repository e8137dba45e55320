package webhooks

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Retry attempts the event of a delivery once more, at once, with the next number. This
// replaces a pending retry. In an ordered subscription later events of the agent wait for
// it, and it waits for earlier ones. It returns the delivery with the new state of its
// event.
func (s *Service) Retry(ctx context.Context, uid string) (*Delivery, error) {
	var d *Delivery
	err := s.write(ctx, func(ctx context.Context, w *change.Writing) (err error) {
		if d, err = findDelivery(ctx, w, w.Tenant, uid); err != nil {
			return err
		}
		switch {
		case d == nil:
			return unknownDelivery("id")
		case d.Sequence == nil:
			return problem.Clash(problem.NotApplicable, "A test is not sent again; test the subscription once more", "id")
		}
		if err := mayHearAgain(ctx, []string{d.Event.Type}, "id"); err != nil {
			return err
		}
		changed(w, d.SubscriptionUID, "deliveries")
		var isOrdered bool
		if _, err := store.One(ctx, w, []any{&isOrdered}, "UPDATE webhook_subscription SET wakes = wakes + 1, failures = 0, probe_at = NULL WHERE tenant_id = $1 AND id = $2 RETURNING is_ordered",
			w.Tenant.ID, d.subscriptionID); err != nil {
			return err
		}
		if _, err := w.Exec(ctx, "UPDATE webhook_message SET state = $1, next_attempt_at = $2 WHERE tenant_id = $3 AND subscription_id = $4 AND sequence = $5",
			pending, w.Now, w.Tenant.ID, d.subscriptionID, *d.Sequence); err != nil {
			return err
		}
		if agent := d.Event.AgentCode; isOrdered && agent != nil {
			if err := hold(ctx, w.Tx, key{w.Tenant.ID, d.subscriptionID}, agent); err != nil {
				return err
			}
		}
		if d, err = findDelivery(ctx, w, w.Tenant, uid); err == nil && d == nil { // it was deleted meanwhile because of its age
			err = unknownDelivery("id")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s.wake(d.tenant.ID, d.subscriptionID)
	return d, nil
}

// Replay says which events to deliver again.
type Replay struct {
	// From and Through are the first and the last instant.
	From, Through time.Time
	// EventTypes select among the types that the subscription gets; empty for all of
	// them.
	EventTypes []string
}

// mostReplayed limits a replay.
const mostReplayed = 10_000

// Replay queues the events of a period of time that a subscription wants, with new
// numbers: events it got, events from while it was inactive, and events from before it
// existed. It leaves out events that are still pending, and returns how many it has
// queued.
func (s *Service) Replay(ctx context.Context, uid string, r Replay) (sub *Subscription, n int, err error) {
	var refused problem.List
	if r.Through.Before(r.From) {
		refused.Add(problem.Invalid(problem.OutOfRange, "must not be before from", "through"))
	}
	only, err := resolve(r.EventTypes, "eventTypes")
	refused = append(refused, problem.From(err)...)
	if err := refused.Err(); err != nil {
		return nil, 0, err
	}
	sub, err = s.change(ctx, uid, func(ctx context.Context, w *change.Writing, sub *Subscription) error {
		types := typesOf(sub)
		if len(only) > 0 {
			types = slices.DeleteFunc(types, func(name string) bool { return !slices.Contains(only, name) })
		}
		if err := mayHearAgain(ctx, types, "eventTypes"); err != nil {
			return err
		}
		all, err := store.Collect(ctx, w, scanRaised, fmt.Sprintf(`SELECT e.position, e.id, e.type, e.agent_code FROM outbox_event e
			WHERE e.tenant_id = $1 AND e.occurred_at >= $2 AND e.occurred_at <= $3 AND e.position > (SELECT f.forgotten FROM outbox_feed f WHERE f.tenant_id = $1) AND %s
				AND NOT EXISTS (SELECT 1 FROM webhook_message m WHERE m.tenant_id = e.tenant_id AND m.event_id = e.id AND m.subscription_id = $5 AND m.state = 'PENDING')
			ORDER BY e.position LIMIT %d`, w.InTexts("e.type", "$4"), mostReplayed+1), w.Tenant.ID, r.From.UTC(), r.Through.UTC(), w.Texts(types), sub.ID)
		if err != nil {
			return err
		}
		if n = len(all); n > mostReplayed {
			return problem.Invalid(problem.OutOfRange, fmt.Sprintf("The range holds more than %d events; replay it in parts", mostReplayed), "through").With("max", mostReplayed)
		}
		if n == 0 {
			return s.show(ctx, w.Tenant.ID, sub)
		}
		changed(w, uid, "deliveries")
		// By the clock: the time of a change can be ahead of it.
		return queue(ctx, w.Tx, w.Tenant.ID, []queued{{subscription: sub, events: all}}, s.Clock.Now())
	})
	if err != nil {
		return nil, 0, err
	}
	return sub, n, nil
}

const (
	// testWithin limits the time of a test, since its caller waits.
	testWithin = 8 * time.Second
	// recordWithin limits the time to record its result.
	recordWithin = 5 * time.Second
)

// Test sends an event of the type Ping to a subscription, active or not, and returns the
// delivery. It has no sequence number, and is not retried.
func (s *Service) Test(ctx context.Context, uid string) (*Delivery, error) {
	sub, err := s.Subscription(ctx, uid)
	if err != nil {
		return nil, err
	}
	if sub == nil {
		return nil, unknownSubscription("id")
	}
	m, err := s.ping(ctx, sub)
	if err != nil {
		return nil, err
	}
	t := tenant.From(ctx)
	headers, err := s.openHeaders(ctx, t.ID, sub)
	if err != nil {
		return nil, err
	}
	secrets, err := s.signingSecrets(ctx, t.ID, sub)
	if err != nil {
		return nil, err
	}
	a := s.testNow(ctx, key{t.ID, sub.ID}, sub, headers, secrets, m)
	if err := s.recordTest(ctx, key{t.ID, sub.ID}, result{message: m, attempt: a}); err != nil {
		return nil, err
	}
	return s.Delivery(ctx, a.id)
}

// testNow makes the attempt of a test. It finishes it even if its caller leaves, since it
// would otherwise look as if the endpoint had failed.
func (s *Service) testNow(ctx context.Context, k key, sub *Subscription, headers map[string]string, secrets []string, m *message) *attempt {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), testWithin)
	defer cancel()
	return s.attempt(ctx, k, sub, headers, secrets, m)
}

// recordTest records the attempt of a test even if its caller has left: "every attempt is
// recorded" (Events, 2).
func (s *Service) recordTest(ctx context.Context, k key, r result) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWithin)
	defer cancel()
	return s.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		var last int64
		found, err := store.One(ctx, tx, []any{&last}, "UPDATE webhook_subscription SET deliveries = deliveries + 1 WHERE tenant_id = $1 AND id = $2 RETURNING deliveries",
			k.tenantID, k.subscriptionID)
		if err != nil {
			return err
		}
		if !found { // it was deleted meanwhile
			return unknownSubscription("id")
		}
		return insertDeliveries(ctx, tx, k, last-1, []result{r})
	})
}

// ping writes the event of a test.
func (s *Service) ping(ctx context.Context, sub *Subscription) (m *message, err error) {
	err = s.write(ctx, func(ctx context.Context, w *change.Writing) error {
		changed(w, sub.UID, "deliveries")
		event, err := events.Write(ctx, w.Tx, w.Now, events.PingEvent(sub.UID, w.Initiator))
		if err == nil {
			m = &message{event: contentOf(w.Tenant, event)}
		}
		return err
	})
	return m, err
}
