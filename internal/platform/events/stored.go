package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
)

// schemaVersion is the version of the data of all types. It changes only when a change is
// more than an addition.
const schemaVersion = 1

// Stored is an event of the outbox.
type Stored struct {
	ID, Type             string
	OccurredAt           time.Time
	AgentCode, Initiator *string
	TraceID              *string
	// Data is a JSON object, in the form in which the database keeps it.
	Data []byte
	// Position is the position in the feed; 0 until it has one.
	Position int64
}

// Columns are the columns that Scan reads, of the table outbox_event named e.
const Columns = "e.id, e.type, e.occurred_at, e.agent_code, e.initiator, e.trace_id, e.data, COALESCE(e.position, 0)"

// Scan reads the Columns of a row.
func Scan(row store.Scanner) (*Stored, error) {
	var (
		e    Stored
		data string
	)
	err := row.Scan(&e.ID, &e.Type, &e.OccurredAt, &e.AgentCode, &e.Initiator, &e.TraceID, &data, &e.Position)
	e.Data = []byte(data)
	return &e, err
}

// envelope is the body of an event ("Event payload", 17).
type envelope struct {
	ID               string          `json:"id"`
	Type             string          `json:"type"`
	SchemaVersion    int             `json:"schemaVersion"`
	OccurredAt       time.Time       `json:"occurredAt"`
	TenantIdentifier string          `json:"tenantIdentifier"`
	Initiator        *string         `json:"initiator"`
	TraceID          *string         `json:"traceId"`
	Data             json.RawMessage `json:"data"`
}

// Body returns the body that is pushed and pulled. Its bytes are the same each time and
// on both databases, since signatures are made over them.
func (e *Stored) Body(tenantIdentifier string) ([]byte, error) {
	data, err := canonical(e.Data)
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.ID, err)
	}
	return encode(envelope{
		ID: e.ID, Type: e.Type, SchemaVersion: schemaVersion, OccurredAt: e.OccurredAt.UTC(), TenantIdentifier: tenantIdentifier,
		Initiator: e.Initiator, TraceID: e.TraceID, Data: data,
	})
}

// canonical writes JSON with sorted names and no spaces, since PostgreSQL keeps JSON in
// an order of its own.
func canonical(data []byte) ([]byte, error) {
	var value map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	return encode(value)
}

// encode is json.Marshal without the escapes for HTML.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
