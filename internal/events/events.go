// Package events writes integration events to the outbox, in the transaction
// of the change they tell of: an event exists exactly when its change does.
// Delivery reads the outbox afterwards.
package events

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// agencyPrefix is the namespace of the events of agency management: "Event
// types are named with a namespace-style prefix" (specification, Events).
const agencyPrefix = "Platform.AgencyManagement.Events."

// HierarchyBuildCompleted is "published when the background rebuild of the
// flattened upline/downline hierarchy finishes after hierarchy changes"
// (specification, Events). The specification writes it without a prefix; it is
// stored with one, as every type is, and subscriptions may use either name.
const HierarchyBuildCompleted = agencyPrefix + "HierarchyBuildCompleted"

// Event is something that happened to a tenant.
type Event struct {
	// Type is the full name of the event type.
	Type string
	// Data is written as a JSON object. It holds no sensitive values.
	Data any
}

// Write stores an event of the context's tenant that occurred at an instant.
// It returns tenant.ErrNone without a tenant.
func Write(ctx context.Context, tx *store.Tx, now time.Time, e Event) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	data, err := json.Marshal(e.Data)
	if err != nil {
		return fmt.Errorf("event %s: %w", e.Type, err)
	}
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("event %s: %w", e.Type, err)
	}
	_, err = tx.Exec(ctx, "INSERT INTO outbox_event (tenant_id, id, type, occurred_at, data) VALUES ($1, $2, $3, $4, $5)",
		tenantID, id.String(), e.Type, now, string(data))
	return err
}
