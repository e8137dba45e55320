package record

import (
	"cmp"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/events"
)

// NotedCertification is a certification that a write changes.
type NotedCertification struct {
	ID     int64
	Type   string
	Fate   Fate
	Fields []string
	// From is the first day of the period that is applied to its status; nil if none is.
	From *date.Date
}

// eventOfField says which event reports a change of a field of an agent, beside
// AgentUpdated. A change below a field counts as one of the field.
var eventOfField = []struct{ field, event string }{
	{"status", events.AgentPayStatusChanged}, {W9Field, events.AgentW9Changed}, {"directDeposit", events.AgentDirectDepositChanged},
	{DirectUplineField, events.AgentUplineChanged}, {LevelField, events.AgentLevelChanged}, {"tags", events.AgentTagsChanged},
}

// datedEvents are the events that say from which day on a change is in force.
var datedEvents = []string{events.AgentUpdated, events.AgentPayStatusChanged, events.AgentW9Changed, events.AgentUplineChanged, events.AgentLevelChanged,
	events.CertificationCreated, events.CertificationStatusChanged}

// resources are the kinds of reference data, by their names in REST paths.
var resources = map[string]string{
	CertificationTypeEntity: "certification-types", JurisdictionEntity: "jurisdictions", PayStatusEntity: "pay-statuses",
	AgentLevelEntity: "agent-levels", TagEntity: "tags", ProviderCompanyEntity: "provider-companies",
	ProductEntity: "products",
}

// events returns the events of a write that an operation made. A write that noted nothing
// has none: "no event for a request that changed nothing".
func (w *Writing) events(operation string) (all []events.Event) {
	for _, o := range w.notes.objects {
		if resource, ok := resources[w.notes.entityType]; ok {
			all = append(all, events.ReferenceEvent(resource, o.key, operation, w.Initiator))
			continue
		}
		for _, t := range o.events(w.notes) {
			all = append(all, events.AgentEvent(w.Tenant, t, w.agentChange(t, operation, o, o.changedFields(), cmp.Or(o.from, w.notes.from))))
		}
		for _, c := range o.certifications {
			for _, t := range c.events() {
				all = append(all, events.CertificationEvent(w.Tenant, t, events.CertificationChange{
					AgentChange: w.agentChange(t, operation, o, c.Fields, c.From), CertificationID: c.ID, Type: c.Type}))
			}
		}
	}
	if w.notes.application != "" {
		all = append(all, events.ApplicationEvent(events.ApplicationUpdated, events.ApplicationChange{ApplicationID: w.notes.application, Operation: operation,
			ChangedFields: []string{applicationAgentField}, Status: "Processed", Initiator: w.Initiator}))
	}
	return all
}

func (w *Writing) agentChange(eventType, operation string, o *Noted, fields []string, from *date.Date) events.AgentChange {
	c := events.AgentChange{AgentID: o.id, AgentCode: o.key, Operation: operation, ChangedFields: fields, Initiator: w.Initiator}
	if slices.Contains(datedEvents, eventType) {
		c.EffectiveFrom = from
	}
	return c
}

// events returns the types of an agent's events.
func (o *Noted) events(n notes) []string {
	switch o.fate {
	case Added:
		return []string{events.AgentCreated}
	case Removed:
		return []string{events.AgentDeleted}
	}
	types := append([]string{events.AgentUpdated}, n.also...)
	for _, e := range eventOfField {
		if slices.ContainsFunc(o.fields, func(f string) bool { return f == e.field || strings.HasPrefix(f, e.field+".") }) {
			types = append(types, e.event)
		}
	}
	return types
}

// changedFields returns the fields as events name them. A field of a certification is the
// list certifications.
func (o *Noted) changedFields() []string {
	names := make([]string, len(o.fields))
	for i, f := range o.fields {
		if names[i] = f; strings.HasPrefix(f, "certifications.") {
			names[i] = "certifications"
		}
	}
	return names
}

// events returns the types of a certification's events.
func (c NotedCertification) events() []string {
	switch {
	case c.Fate == Added:
		return []string{events.CertificationCreated}
	case c.Fate == Removed:
		return []string{events.CertificationDeleted}
	case slices.Contains(c.Fields, "status"):
		return []string{events.CertificationUpdated, events.CertificationStatusChanged}
	}
	return []string{events.CertificationUpdated}
}
