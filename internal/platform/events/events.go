// Package events writes integration events to the outbox, in the transaction of the
// change that they report, so an event exists exactly when its change does. It has the
// catalogue of event types, makes the body that is pushed and pulled, and reads the
// outbox as a feed: in pages, or live.
package events

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Event is something that happened in a tenant.
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

// Committed is the signal that a transaction of this process which wrote events of a
// tenant was committed.
const Committed = "events"

type traceKey struct{}

// WithTraceID returns a context whose events carry the trace id of a request.
func WithTraceID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, traceKey{}, &id)
}

// TraceFact is what WithTraceID puts into a context, for known.Is.
func TraceFact(id *string) (key, value any) { return traceKey{}, id }

// Write stores an event of the context's tenant that occurred at an instant, and returns
// it as stored. It returns tenant.ErrNone without a tenant.
func Write(ctx context.Context, tx *store.Tx, now time.Time, e Event) (*Stored, error) {
	stored, err := write(ctx, tx, now, []Event{e})
	if err != nil {
		return nil, err
	}
	return stored[0], nil
}

// chunk is how many events are stored at once.
const chunk = 1000

var columns = []string{"tenant_id", "id", "type", "occurred_at", "agent_code", "initiator", "trace_id", "data", "position"}

// WriteAll stores the events of one change, in their order.
func WriteAll(ctx context.Context, tx *store.Tx, now time.Time, all []Event) error {
	_, err := write(ctx, tx, now, all)
	return err
}

func write(ctx context.Context, tx *store.Tx, now time.Time, all []Event) ([]*Stored, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	next, err := nextPosition(ctx, tx, tenantID, len(all))
	if err != nil {
		return nil, err
	}
	stored := make([]*Stored, 0, len(all))
	for some := range slices.Chunk(all, chunk) {
		written, err := insert(ctx, tx, tenantID, now, some, next)
		if next > 0 {
			next += int64(len(some))
		}
		if err != nil {
			return nil, err
		}
		stored = append(stored, written...)
	}
	tx.Signal(Committed, tenantID)
	return stored, nil
}

// insert stores events. Their positions begin with next; if next is 0, they have none
// yet.
func insert(ctx context.Context, tx *store.Tx, tenantID int64, now time.Time, some []Event, next int64) ([]*Stored, error) {
	traceID := ""
	if id, ok := ctx.Value(traceKey{}).(*string); ok {
		traceID = *id
	}
	stored := make([]*Stored, len(some))
	for i, e := range some {
		data, err := json.Marshal(e.Data)
		if err != nil {
			return nil, fmt.Errorf("event %s: %w", e.Type, err)
		}
		id, err := uuid.NewV7()
		if err != nil {
			return nil, fmt.Errorf("event %s: %w", e.Type, err)
		}
		stored[i] = &Stored{ID: id.String(), Type: e.Type, OccurredAt: now, AgentCode: orNull(e.AgentCode), Initiator: orNull(e.Initiator), TraceID: orNull(traceID), Data: data}
		if next > 0 {
			stored[i].Position = next + int64(i)
		}
	}
	return stored, tx.CopyLater(ctx, "outbox_event", columns, rowsOf(tenantID, stored))
}

// rowsOf yields the columns of events; all rows share their memory.
func rowsOf(tenantID int64, all []*Stored) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		row := make([]any, 0, len(columns))
		for _, e := range all {
			row = append(row[:0], tenantID, e.ID, e.Type, e.OccurredAt, e.AgentCode, e.Initiator, e.TraceID, string(e.Data), positionOf(e))
			if !yield(row) {
				return
			}
		}
	}
}

// positionOf returns the position of an event; nil for none.
func positionOf(e *Stored) *int64 {
	if e.Position == 0 {
		return nil
	}
	return &e.Position
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
