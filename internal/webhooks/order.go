package webhooks

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
)

// A message of an ordered subscription waits while an earlier one of its agent is
// pending: it is pending, too, but has no next attempt. When the earlier one is delivered
// or given up, the next message of the agent is released. Both happen under the lock of
// the subscription's row. Messages of other agents do not wait. A message may have to
// wait that is already under way; the process that delivers starts no other of its agent
// until that one is recorded.

// waiting reports which messages have to wait for a pending one, or for an earlier one in
// the list.
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

// keepOrder makes messages of some agents wait, or releases them, after attempts were
// recorded: for agents with a settled message, and for those with a failed one. It
// returns the numbers of the released messages.
func keepOrder(ctx context.Context, tx *store.Tx, k key, settled, failed []result, now time.Time) (gone []int64, err error) {
	for _, agent := range agentsOf(failed) {
		if err := hold(ctx, tx, k, &agent); err != nil {
			return nil, err
		}
	}
	for _, agent := range agentsOf(settled) {
		var sequence int64
		found, err := store.One(ctx, tx, []any{&sequence}, `UPDATE webhook_message SET next_attempt_at = $1
			WHERE tenant_id = $2 AND subscription_id = $3 AND next_attempt_at IS NULL AND sequence = (
				SELECT m.sequence FROM webhook_message m WHERE m.tenant_id = $2 AND m.subscription_id = $3 AND m.agent_code = $4 AND m.state = 'PENDING'
				ORDER BY m.sequence LIMIT 1)
			RETURNING sequence`, now, k.tenantID, k.subscriptionID, agent)
		if err != nil {
			return nil, err
		}
		if found {
			gone = append(gone, sequence)
		}
	}
	return gone, nil
}

// agentsOf names the agents of results, each once.
func agentsOf(results []result) (agents []string) {
	seen := map[string]bool{}
	for _, r := range results {
		if agent := r.message.event.agentCode; agent != nil && !seen[*agent] {
			seen[*agent] = true
			agents = append(agents, *agent)
		}
	}
	return agents
}

// hold makes all pending messages of an agent but the first wait; of every agent if agent
// is nil.
func hold(ctx context.Context, tx *store.Tx, k key, agent *string) error {
	statement, args := `UPDATE webhook_message SET next_attempt_at = NULL
		WHERE tenant_id = $1 AND subscription_id = $2 AND state = 'PENDING' AND next_attempt_at IS NOT NULL AND EXISTS (
			SELECT 1 FROM webhook_message m WHERE m.tenant_id = $1 AND m.subscription_id = $2 AND m.state = 'PENDING'
				AND m.agent_code = webhook_message.agent_code AND m.sequence < webhook_message.sequence)`, []any{k.tenantID, k.subscriptionID}
	if agent != nil {
		statement, args = statement+" AND agent_code = $3", append(args, *agent)
	}
	_, err := tx.Exec(ctx, statement, args...)
	return err
}

// reorder adapts the pending messages to a change of isOrdered.
func reorder(ctx context.Context, w *change.Writing, sub *Subscription, now time.Time) error {
	if sub.IsOrdered {
		return hold(ctx, w.Tx, key{w.Tenant.ID, sub.ID}, nil)
	}
	_, err := w.Exec(ctx, `UPDATE webhook_message SET next_attempt_at = $1
		WHERE tenant_id = $2 AND subscription_id = $3 AND state = 'PENDING' AND next_attempt_at IS NULL`, now, w.Tenant.ID, sub.ID)
	return err
}

// raised is an event that is to be queued.
type raised struct {
	position      int64
	id, eventType string
	agentCode     *string
}
