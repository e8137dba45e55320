package model

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/events"
)

// Event is an event of a tenant.
type Event struct {
	*events.Stored
	TenantIdentifier string
}

// Body is the body of the event, as it is pushed.
func (e *Event) Body() (json.RawMessage, error) { return e.Stored.Body(e.TenantIdentifier) }

// AgentChange is the change of an agent that an event reports.
type AgentChange struct {
	AgentCode, EventID, EventType string
	Operation                     string
	ChangedFields                 []string
	EffectiveFrom                 *date.Date
	At                            time.Time
	Initiator                     *string
	// Stored is the event.
	Stored *events.Stored `json:"-"`
}

// AgentChangeOf reads the change that an event reports.
func AgentChangeOf(e *events.Stored) (*AgentChange, error) {
	c := &AgentChange{Stored: e, EventID: e.ID, EventType: e.Type, At: e.OccurredAt, Initiator: e.Initiator}
	if err := json.Unmarshal(e.Data, c); err != nil {
		return nil, fmt.Errorf("event %s: %w", e.ID, err)
	}
	return c, nil
}
