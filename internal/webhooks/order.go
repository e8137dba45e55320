package webhooks

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/store"
)

// A message of an ordered subscription waits while an earlier one of its agent
// is pending: it is pending itself, with no next attempt. When the earlier one
// leaves the list, the next of the agent is let go. Both happen under the lock
// of the subscription's row. Other agents' messages do not wait.

// waiting reports which messages have to wait for one that is pending, or for
// one before them in the list.
func waiting(ctx context.Context, tx *store.Tx, tenantID int64, sub *Subscription, all []raised) ([]bool, error) {
	waits := make([]bool, len(all))
	if !sub.IsOrdered {
		return waits, nil
	}
	busy := map[string]bool{}
	var agents []string
	for _, r := range all {
		if r.agentCode != nil {
			agents = append(agents, *r.agentCode)
		}
	}
	found, err := store.Collect(ctx, tx, store.ScanOne[string], `SELECT DISTINCT agent_code FROM webhook_message
		WHERE tenant_id = $1 AND subscription_id = $2 AND state = 'PENDING' AND `+tx.InTexts("agent_code", "$3"), tenantID, sub.ID, tx.Texts(agents))
	for _, agent := range found {
		busy[agent] = true
	}
	for i, r := range all {
		if r.agentCode != nil {
			waits[i] = busy[*r.agentCode]
			busy[*r.agentCode] = true
		}
	}
	return waits, err
}

// letGo makes the next message due of each agent that had one settled.
func letGo(ctx context.Context, tx *store.Tx, k key, settled []result, now time.Time) error {
	seen := map[string]bool{}
	for _, r := range settled {
		agent := r.message.event.AgentCode
		if agent == nil || seen[*agent] {
			continue
		}
		seen[*agent] = true
		if _, err := tx.Exec(ctx, `UPDATE webhook_message SET next_attempt_at = $1
			WHERE tenant_id = $2 AND subscription_id = $3 AND next_attempt_at IS NULL AND sequence = (
				SELECT m.sequence FROM webhook_message m WHERE m.tenant_id = $2 AND m.subscription_id = $3 AND m.agent_code = $4 AND m.state = 'PENDING'
				ORDER BY m.sequence LIMIT 1)`, now, k.tenantID, k.subscriptionID, *agent); err != nil {
			return err
		}
	}
	return nil
}

// letAllGo ends the order of a subscription.
func letAllGo(ctx context.Context, w *writing, sub *Subscription) error {
	_, err := w.Exec(ctx, `UPDATE webhook_message SET next_attempt_at = $1
		WHERE tenant_id = $2 AND subscription_id = $3 AND state = 'PENDING' AND next_attempt_at IS NULL`, w.now, w.tenantID, sub.ID)
	return err
}
