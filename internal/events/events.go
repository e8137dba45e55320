// Package events writes integration events to the outbox, in the transaction
// of the change they tell of: an event exists exactly when its change does. It
// knows every type of event, makes the body that is pushed and pulled, and
// reads the outbox back as a feed: in pages, or live.
package events

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Event is something that happened to a tenant.
type Event struct {
	// Type is the full name of the event type.
	Type string
	// Data is written as a JSON object. It holds no sensitive values.
	Data any
	// AgentCode is the agent that the event is about; empty for none.
	AgentCode string
	// Initiator asked for the change; empty for the service itself.
	Initiator string
}

// Committed is the signal that a transaction which wrote events of a tenant was
// committed in this process.
const Committed = "events"

type traceKey struct{}

// WithTraceID returns a context whose events carry the trace id of a request.
func WithTraceID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, traceKey{}, id)
}

// Write stores an event of the context's tenant that occurred at an instant.
// It returns tenant.ErrNone without a tenant.
func Write(ctx context.Context, tx *store.Tx, now time.Time, e Event) error {
	return WriteAll(ctx, tx, now, []Event{e})
}

// chunk is how many events one statement stores: with eight values each, well
// below what a statement may have (32,766 on SQLite).
const chunk = 1000

// WriteAll stores the events of one change, in their order.
func WriteAll(ctx context.Context, tx *store.Tx, now time.Time, all []Event) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	for some := range slices.Chunk(all, chunk) {
		if err := insert(ctx, tx, tenantID, now, some); err != nil {
			return err
		}
	}
	tx.Signal(Committed, tenantID)
	return nil
}

func insert(ctx context.Context, tx *store.Tx, tenantID int64, now time.Time, some []Event) error {
	traceID, _ := ctx.Value(traceKey{}).(string)
	var s store.SQL
	s.Write("INSERT INTO outbox_event (tenant_id, id, type, occurred_at, agent_code, initiator, trace_id, data) VALUES ")
	for i, e := range some {
		data, err := json.Marshal(e.Data)
		if err != nil {
			return fmt.Errorf("event %s: %w", e.Type, err)
		}
		id, err := uuid.NewV7()
		if err != nil {
			return fmt.Errorf("event %s: %w", e.Type, err)
		}
		if i > 0 {
			s.Write(", ")
		}
		s.Write("(?, ?, ?, ?, ?, ?, ?, ?)", tenantID, id.String(), e.Type, now, orNull(e.AgentCode), orNull(e.Initiator), orNull(traceID), string(data))
	}
	_, err := tx.Exec(ctx, s.Text(), s.Args()...)
	return err
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
