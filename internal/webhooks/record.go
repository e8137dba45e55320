package webhooks

import (
	"context"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/store"
)

// result is an attempt with the message it was made for.
type result struct {
	message *message
	attempt *attempt
}

// record writes attempts and what they mean for their messages, in one
// transaction. Only who holds the lease may: it returns errLost otherwise, and
// the next holder attempts the messages again. It returns the wakes of the
// subscription.
func (s *Service) record(ctx context.Context, k key, sub *Subscription, results []result) (wakes int64, err error) {
	now := s.Clock.Now()
	circuit := sub.circuit.after(results, now)
	s.passed("before the row")
	err = s.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		// Whether it is ordered may have changed since it was read; from here on
		// its row is locked.
		var (
			isOrdered bool
			last      int64
		)
		held, err := store.One(ctx, tx, []any{&isOrdered, &last, &wakes}, `UPDATE webhook_subscription SET failures = $1, probe_at = $2, deliveries = deliveries + $3
			WHERE tenant_id = $4 AND id = $5 AND holder = $6 RETURNING is_ordered, deliveries, wakes`,
			circuit.failures, circuit.probeAt, len(results), k.tenantID, k.subscriptionID, s.holder)
		if err == nil && !held {
			err = errLost
		}
		if err != nil {
			return err
		}
		if err := insertDeliveries(ctx, tx, k, last-int64(len(results)), results); err != nil {
			return err
		}
		settled, err := s.settle(ctx, tx, k, sub, results, now)
		if err != nil || !isOrdered {
			return err
		}
		return letGo(ctx, tx, k, settled, now)
	})
	if err == nil {
		sub.circuit = circuit
	}
	return wakes, err
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
	return []any{k.tenantID, a.id, k.subscriptionID, number, sequence, r.message.event.ID, a.url, a.number, a.at,
		a.successful(), status, a.response, a.took.Milliseconds(), a.errorMessage}
}

// settle moves messages on: to delivered, to given up, or to their next
// attempt. It returns those that have none.
func (s *Service) settle(ctx context.Context, tx *store.Tx, k key, sub *Subscription, results []result, now time.Time) (settled []result, err error) {
	done := map[string][]int64{}
	for _, r := range results {
		if r.attempt.successful() {
			done[delivered] = append(done[delivered], r.message.sequence)
			settled = append(settled, r)
			continue
		}
		wait, again := s.pause(sub, r.attempt.number, r.attempt)
		if !again {
			done[givenUp] = append(done[givenUp], r.message.sequence)
			settled = append(settled, r)
			continue
		}
		if _, err := tx.Exec(ctx, `UPDATE webhook_message SET attempts = $1, next_attempt_at = $2
			WHERE tenant_id = $3 AND subscription_id = $4 AND sequence = $5`, r.attempt.number, now.Add(wait), k.tenantID, k.subscriptionID, r.message.sequence); err != nil {
			return nil, err
		}
	}
	for _, state := range []string{delivered, givenUp} {
		for _, near := range clusters(done[state]) {
			// The bounds are for PostgreSQL: without statistics it reads all
			// messages of the subscription for a list.
			if _, err := tx.Exec(ctx, `UPDATE webhook_message SET state = $1, attempts = attempts + 1, next_attempt_at = NULL
				WHERE tenant_id = $2 AND subscription_id = $3 AND sequence >= $4 AND sequence <= $5 AND `+tx.In("sequence", "$6"),
				state, k.tenantID, k.subscriptionID, near[0], near[len(near)-1], tx.List(near)); err != nil {
				return nil, err
			}
		}
	}
	return settled, nil
}

// clusters sorts numbers and cuts them where they are far apart: what is
// recorded together was mostly queued together, but for retries.
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

// circuit tells how an endpoint does: after many failures in a row it gets one
// message at a time, until one gets through.
type circuit struct {
	failures int
	probeAt  *time.Time
}

func (c circuit) open() bool { return c.failures >= circuitFailures }

// after returns the circuit with the results, in the order they came.
func (c circuit) after(results []result, now time.Time) circuit {
	for _, r := range results {
		if c.failures++; r.attempt.successful() {
			c = circuit{}
		}
	}
	if c.probeAt = nil; c.open() {
		at := now.Add(probeEvery)
		c.probeAt = &at
	}
	return c
}
