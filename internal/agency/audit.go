package agency

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/audit"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/vault"
)

// The types of the objects that audit entries tell of. What belongs to an agent
// – its certifications, aliases, tags, periods – is told of the agent: "who
// changed what of this agent" is then one question.
const (
	agentEntity           = "Agent"
	certificationTypeEnt  = "CertificationType"
	jurisdictionEntity    = "Jurisdiction"
	payStatusEntity       = "PayStatus"
	agentLevelEntity      = "AgentLevel"
	providerCompanyEntity = "ProviderCompany"
	tagEntity             = "Tag"
)

// The paths of the histories of an agent's place, from the agent.
const (
	directUplineField = "teams." + DefaultTeam + ".directUpline"
	levelField        = "teams." + DefaultTeam + ".level"
)

// notes say what a write changes, for its audit entry and its events: of which
// objects of a type, and which fields, by their paths in REST and GraphQL.
type notes struct {
	entityType string
	objects    []*notedObject
	changes    []noted
	// from is the first day of the period that is applied; nil for none.
	from *date.Date
	// certifications are those that change, among what belongs to the agent.
	certifications []*notedCertification
	// also are events of the agent beside those that its fields tell.
	also []string
}

// notedObject is an object that a write is about.
type notedObject struct {
	key string
	// id is the row of an agent.
	id     int64
	fate   fate
	fields []string
}

// fate is what happens to an object.
type fate int

const (
	revised fate = iota
	added
	removed
)

// noted is a field that a write changed. Of a sensitive one the entry keeps a
// fingerprint, of others only the name.
type noted struct {
	field string
	value *vault.Secret // nil when not sensitive, or cleared
}

// changed notes an object that a write is about and the fields of it that
// change. All objects of one write are of one type. A write that notes nothing
// leaves no entry, since it changed nothing.
func (w *writing) changed(entityType, entityKey string, fields ...string) *notedObject {
	w.notes.entityType = entityType
	i := slices.IndexFunc(w.notes.objects, func(o *notedObject) bool { return o.key == entityKey })
	if i < 0 {
		i = len(w.notes.objects)
		w.notes.objects = append(w.notes.objects, &notedObject{key: entityKey})
	}
	o := w.notes.objects[i]
	o.fields = append(o.fields, fields...)
	for _, f := range fields {
		w.note(noted{field: f})
	}
	return o
}

// changedSecret notes the new value of a sensitive field of the object that was
// noted last; nil for cleared.
func (w *writing) changedSecret(field string, value *string) {
	if n := len(w.notes.objects); n > 0 {
		o := w.notes.objects[n-1]
		o.fields = append(o.fields, field)
	}
	n := noted{field: field}
	if value != nil {
		secret := vault.Secret(*value)
		n.value = &secret
	}
	w.note(n)
}

// note keeps one note of a field: several objects of a write may change in the
// same one.
func (w *writing) note(n noted) {
	if !slices.ContainsFunc(w.notes.changes, func(other noted) bool { return other.field == n.field }) {
		w.notes.changes = append(w.notes.changes, n)
	}
}

// record leaves the audit entry of a write. It comes last in the transaction;
// see audit.Trail.Write.
func (s *Service) record(ctx context.Context, w *writing) error {
	if w.notes.entityType == "" {
		return nil
	}
	e := audit.Entry{EntityType: w.notes.entityType, Initiator: w.initiator}
	for _, o := range w.notes.objects {
		e.EntityKeys = append(e.EntityKeys, o.key)
	}
	for _, n := range w.notes.changes {
		change := audit.Change{Field: n.field}
		if n.value != nil {
			var err error
			if change.Fingerprint, err = s.trail.Fingerprint(ctx, w.tenantID, n.field, normalised(n.value.Reveal())); err != nil {
				return err
			}
		}
		e.Changes = append(e.Changes, change)
	}
	return s.trail.Write(ctx, w.Tx, w.now, e)
}
