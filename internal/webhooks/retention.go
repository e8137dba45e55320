package webhooks

import (
	"context"
	"fmt"
	"strconv"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// deletedAtOnce limits the rows of one transaction.
const deletedAtOnce = 500

// DeleteOld deletes the secrets of the context's tenant that no longer sign, and what is
// older than the retention: deliveries; settled messages without deliveries; and events
// that no message needs, which the feed stops showing first. Pending messages stay,
// however old they are, and so do their events.
func (s *Service) DeleteOld(ctx context.Context) error {
	tenantID, err := tenant.ID(ctx)
	if err == nil {
		err = s.forgetSecrets(ctx, tenantID)
	}
	if err != nil || s.Retention == 0 {
		return err
	}
	// An event that was not fanned out yet has no message that would keep it.
	if _, _, err := s.fanOutIfWanted(ctx, tenantID); err != nil {
		return err
	}
	before := s.Clock.Now().Add(-s.Retention)
	subscriptions, err := store.Collect(ctx, s.Store, store.ScanOne[int64], "SELECT id FROM webhook_subscription WHERE tenant_id = $1", tenantID)
	if err != nil {
		return err
	}
	for _, id := range subscriptions {
		err := s.deleteInSteps(ctx, `DELETE FROM webhook_delivery WHERE tenant_id = $1 AND subscription_id = $2 AND id IN (
			SELECT d.id FROM webhook_delivery d WHERE d.tenant_id = $1 AND d.subscription_id = $2 AND d.attempted_at < $3 ORDER BY d.attempted_at LIMIT `+atOnce+`)`,
			tenantID, id, before)
		if err != nil {
			return fmt.Errorf("webhooks: delete deliveries: %w", err)
		}
	}
	through, err := s.Feed.Forget(ctx, before)
	if err != nil {
		return err
	}
	return s.deleteEvents(ctx, tenantID, through)
}

var atOnce = strconv.Itoa(deletedAtOnce)

func (s *Service) deleteInSteps(ctx context.Context, statement string, args ...any) error {
	for {
		var n int64
		err := s.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			n, err = tx.Exec(ctx, statement, args...)
			return err
		})
		if err != nil || n < deletedAtOnce {
			return err
		}
	}
}

// deleteEvents deletes the events up to a position, and their settled messages,
// unless a delivery or a pending message is left.
func (s *Service) deleteEvents(ctx context.Context, tenantID, through int64) error {
	for from := int64(0); ; {
		positions, err := store.Collect(ctx, s.Store, store.ScanOne[int64],
			"SELECT e.position FROM outbox_event e WHERE e.tenant_id = $1 AND e.position > $2 AND e.position <= $3 ORDER BY e.position LIMIT "+atOnce, tenantID, from, through)
		if err != nil || len(positions) == 0 {
			return err
		}
		to := positions[len(positions)-1]
		err = s.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
			for _, statement := range []string{deleteSettled, deleteUnneeded} {
				if _, err := tx.Exec(ctx, statement, tenantID, from, to); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("webhooks: delete events: %w", err)
		}
		from = to
	}
}

const (
	deleteSettled = `DELETE FROM webhook_message WHERE tenant_id = $1 AND state <> 'PENDING'
		AND event_id IN (SELECT e.id FROM outbox_event e WHERE e.tenant_id = $1 AND e.position > $2 AND e.position <= $3)
		AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.tenant_id = $1 AND d.event_id = webhook_message.event_id AND d.subscription_id = webhook_message.subscription_id)`
	deleteUnneeded = `DELETE FROM outbox_event WHERE tenant_id = $1 AND position > $2 AND position <= $3
		AND NOT EXISTS (SELECT 1 FROM webhook_message m WHERE m.tenant_id = $1 AND m.event_id = outbox_event.id)
		AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.tenant_id = $1 AND d.event_id = outbox_event.id)`
)
