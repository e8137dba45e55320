package events

import (
	"embed"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/tenant"
)

// Area is a part of the service that emits events.
type Area string

// The areas.
const (
	AgencyManagement   Area = "AgencyManagement"
	AgentOnboarding    Area = "AgentOnboarding"
	IdentityManagement Area = "IdentityManagement"
	Webhooks           Area = "Webhooks"
)

// Type describes a type of event.
type Type struct {
	// Name is the full name, which bodies carry.
	Name string
	// ShortName is the name without the prefix; subscriptions may use it.
	ShortName string
	// Wildcard stands, in a subscription, for all types of the area.
	Wildcard string
	Area     Area
	// Description says when the event occurs, in one sentence.
	Description string
	// SchemaName is the name of the schema: several types share one.
	SchemaName string
	// Schema is the JSON Schema (2020-12) of the data.
	Schema json.RawMessage
	// Sample is the body of an event of the type.
	Sample json.RawMessage
}

// Catalogue returns every type, area by area.
func Catalogue() []Type { return slices.Clone(catalogue) }

//go:embed schema/*.json
var schemas embed.FS

// entry is a row of the catalogue as entries.go has it.
type entry struct {
	name, description string
	// schema is a file of the folder schema.
	schema string
	sample Event
}

// The tenant and the instant of the samples.
var (
	sampleTenant = &tenant.Tenant{Identifier: "acme"}
	sampleAt     = time.Date(2026, time.November, 20, 9, 0, 0, 0, time.UTC)
	sampleDay    = date.Of(2026, time.December, 1)
)

const (
	sampleID        = "019a9f0c-6f80-7d3e-9c55-0a4b7c1d2e3f"
	sampleTrace     = "4bf92f3577b34da6a3ce929d0e0e4736"
	sampleInitiator = "hr-import"
)

func agentSample(name, operation string, from *date.Date, fields ...string) Event {
	return AgentEvent(sampleTenant, name, AgentChange{AgentID: 1, AgentCode: "A1001", Operation: operation, ChangedFields: fields,
		EffectiveFrom: from, Initiator: sampleInitiator})
}

func certificationSample(name, operation string, from *date.Date, fields ...string) Event {
	return CertificationEvent(sampleTenant, name, CertificationChange{CertificationID: 7, Type: "LIFE", AgentChange: AgentChange{
		AgentID: 1, AgentCode: "A1001", Operation: operation, ChangedFields: fields, EffectiveFrom: from, Initiator: sampleInitiator}})
}

func applicationSample(name, operation, status, agentCode string, fields ...string) Event {
	return ApplicationEvent(name, ApplicationChange{ApplicationID: "0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e70", Operation: operation,
		ChangedFields: fields, Status: status, AgentCode: agentCode, Initiator: sampleInitiator})
}

func userSample(name, operation string, fields ...string) Event {
	return UserEvent(name, UserChange{Username: "ana.diaz", Operation: operation, ChangedFields: fields, Initiator: sampleInitiator})
}

var catalogue = describe(entries())

func describe(all []entry) []Type {
	types := make([]Type, len(all))
	for i, e := range all {
		prefix := e.name[:strings.LastIndexByte(e.name, '.')+1]
		t := Type{Name: e.name, ShortName: strings.TrimPrefix(e.name, prefix), Wildcard: prefix + "*",
			Area: Area(strings.Split(prefix, ".")[1]), Description: e.description, SchemaName: e.schema}
		var err error
		if t.Schema, err = schemas.ReadFile("schema/" + e.schema + ".json"); err != nil {
			panic(err) // the files are embedded in the program
		}
		if t.Sample, err = e.body(); err != nil {
			panic(err) // the samples encode
		}
		types[i] = t
	}
	return types
}

func (e entry) body() ([]byte, error) {
	data, err := json.Marshal(e.sample.Data)
	if err != nil {
		return nil, err
	}
	trace := sampleTrace
	stored := Stored{ID: sampleID, Type: e.name, OccurredAt: sampleAt, Initiator: orNull(e.sample.Initiator), TraceID: &trace, Data: data}
	return stored.Body(sampleTenant.Identifier)
}
