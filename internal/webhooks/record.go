package webhooks

import (
	"context"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
)

// record writes attempts and their consequences for the messages, in one transaction.
// Only the holder of the lease may: otherwise it returns errLost, and the next holder
// attempts the messages again.
func (d *drain) record(ctx context.Context, results []result) error {
	now, k := d.Clock.Now(), d.key
	var (
		row             locked
		settled, failed []result
		gone            []int64
	)
	d.passed("before the row")
	err := d.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if row, err = d.lock(ctx, tx, k, len(results)); err != nil {
			return err
		}
		if err := row.judge(ctx, tx, k, results, now); err != nil {
			return err
		}
		if err := insertDeliveries(ctx, tx, k, row.deliveries-int64(len(results)), results); err != nil {
			return err
		}
		settled, failed, err = d.settle(ctx, tx, k, row.wakes, results, now)
		if err != nil || !row.isOrdered {
			return err
		}
		gone, err = keepOrder(ctx, tx, k, settled, failed, now)
		return err
	})
	if err != nil {
		return err
	}
	for _, r := range results {
		delete(d.started, r.message.sequence)
	}
	for _, sequence := range gone {
		if m := d.started[sequence]; m != nil { // it is already under way, and nobody asked for another attempt
			m.next = now
		}
	}
	d.sub.circuit = row.circuit
	d.noticed(row.wakes)
	d.hasAll = d.hasAll && len(failed) == 0 && len(gone) == 0
	return nil
}

// judge writes what results say about the endpoint, if that changes anything.
func (l *locked) judge(ctx context.Context, tx *store.Tx, k key, results []result, now time.Time) error {
	before := l.circuit
	if l.circuit = before.after(l.current(results), now); l.circuit == before {
		return nil
	}
	_, err := tx.Exec(ctx, "UPDATE webhook_subscription SET failures = $1, probe_at = $2 WHERE tenant_id = $3 AND id = $4",
		l.circuit.failures, l.circuit.probeAt, k.tenantID, k.subscriptionID)
	return err
}

// current returns the results that concern the subscription in its present state. A
// change "lets it try again at once" (docs/webhooks.md), whatever the result of attempts
// that began before it.
func (l locked) current(results []result) []result {
	return slices.DeleteFunc(slices.Clone(results), func(r result) bool { return !r.asOf.Equal(l.modified) })
}

// insertDeliveries adds deliveries with the numbers after last.
func insertDeliveries(ctx context.Context, tx *store.Tx, k key, last int64, results []result) error {
	tx.Signal(recorded, k.tenantID)
	columns := []string{"tenant_id", "id", "subscription_id", "number", "sequence", "event_id", "url", "attempt_number", "attempted_at",
		"is_successful", "http_status_code", "response", "response_time_ms", "error_message"}
	return tx.CopyFrom(ctx, "webhook_delivery", columns, func(yield func([]any) bool) {
		for i, r := range results {
			if !yield(r.row(k, last+int64(i)+1)) {
				return
			}
		}
	})
}

func (r result) row(k key, number int64) []any {
	a := r.attempt
	var sequence, status any
	if r.message.sequence > 0 {
		sequence = r.message.sequence
	}
	if a.status > 0 {
		status = a.status
	}
	return []any{k.tenantID, a.id, k.subscriptionID, number, sequence, r.message.event.id, a.url, a.number, a.at,
		a.successful(), status, a.response, a.took.Milliseconds(), a.errorMessage}
}

// settle moves messages on: to delivered, to given up, or to their next attempt. It
// returns the messages that have no next attempt, and those that failed and have one. If
// somebody asked for another attempt of a message while it was under way, it stays
// pending, whatever the result. Such a request wakes the subscription; so the rows of
// messages that were read after the last wake are unchanged.
func (d *drain) settle(ctx context.Context, tx *store.Tx, k key, wakes int64, results []result, now time.Time) (settled, failed []result, err error) {
	rows, err := nextOf(ctx, tx, k, slices.DeleteFunc(slices.Clone(results), func(r result) bool { return r.message.wakes == wakes }))
	if err != nil {
		return nil, nil, err
	}
	done := map[string][]int64{}
	for _, r := range results {
		if next := rows[r.message.sequence]; next != nil && !next.Equal(r.message.next) {
			if err := reschedule(ctx, tx, k, r, *next); err != nil {
				return nil, nil, err
			}
			continue
		}
		if r.attempt.successful() {
			done[delivered] = append(done[delivered], r.message.sequence)
			settled = append(settled, r)
			continue
		}
		wait, again := d.pause(d.sub, r.attempt.number, r.attempt)
		if !again {
			done[givenUp] = append(done[givenUp], r.message.sequence)
			settled = append(settled, r)
			continue
		}
		if err := reschedule(ctx, tx, k, r, now.Add(wait)); err != nil {
			return nil, nil, err
		}
		failed = append(failed, r)
	}
	for _, state := range []string{delivered, givenUp} {
		for _, near := range clusters(done[state]) {
			// The limits are for PostgreSQL: without statistics it would read all
			// messages of the subscription for a list.
			if _, err := tx.Exec(ctx, `UPDATE webhook_message SET state = $1, attempts = attempts + 1, next_attempt_at = NULL
				WHERE tenant_id = $2 AND subscription_id = $3 AND sequence >= $4 AND sequence <= $5 AND `+tx.In("sequence", "$6"),
				state, k.tenantID, k.subscriptionID, near[0], near[len(near)-1], tx.List(near)); err != nil {
				return nil, nil, err
			}
		}
	}
	return settled, failed, nil
}

func reschedule(ctx context.Context, tx *store.Tx, k key, r result, next time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE webhook_message SET attempts = $1, next_attempt_at = $2
		WHERE tenant_id = $3 AND subscription_id = $4 AND sequence = $5`, r.attempt.number, next, k.tenantID, k.subscriptionID, r.message.sequence)
	return err
}

// nextOf reads when messages that were under way are to be attempted next.
func nextOf(ctx context.Context, tx *store.Tx, k key, results []result) (map[int64]*time.Time, error) {
	numbers := make([]int64, len(results))
	for i, r := range results {
		numbers[i] = r.message.sequence
	}
	next := map[int64]*time.Time{}
	for _, near := range clusters(numbers) {
		if _, err := store.Collect(ctx, tx, func(row store.Scanner) (none struct{}, err error) {
			var (
				sequence int64
				at       *time.Time
			)
			err = row.Scan(&sequence, &at)
			next[sequence] = at
			return none, err
		}, `SELECT sequence, next_attempt_at FROM webhook_message
			WHERE tenant_id = $1 AND subscription_id = $2 AND sequence >= $3 AND sequence <= $4 AND `+tx.In("sequence", "$5"),
			k.tenantID, k.subscriptionID, near[0], near[len(near)-1], tx.List(near)); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// clusters sorts numbers and splits them where they are far apart: messages that are
// recorded together were mostly queued together, except for retries.
func clusters(numbers []int64) (all [][]int64) {
	slices.Sort(numbers)
	from := 0
	for i := range numbers {
		if i+1 == len(numbers) || numbers[i+1]-numbers[i] > readAtOnce {
			all = append(all, numbers[from:i+1])
			from = i + 1
		}
	}
	return all
}
