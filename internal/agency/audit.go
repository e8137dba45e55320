package agency

import (
	"context"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/audit"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/vault"
)

// The types of the objects that audit entries tell of. What belongs to an agent
// – its certifications, aliases, tags, periods – is told of the agent: "who
// changed what of this agent" is then one question.
const (
	agentEntity             = "Agent"
	certificationTypeEntity = "CertificationType"
	jurisdictionEntity      = "Jurisdiction"
	payStatusEntity         = "PayStatus"
	agentLevelEntity        = "AgentLevel"
	providerCompanyEntity   = "ProviderCompany"
	tagEntity               = "Tag"
	applicationEntity       = "Application"
)

// The paths of histories, from the agent.
const (
	directUplineField = "teams." + DefaultTeam + ".directUpline"
	levelField        = "teams." + DefaultTeam + ".level"
	w9Field           = "w9"
	// That of the agent an application became, from the application.
	applicationAgentField = "agentCode"
)

// notes say what a write changes, for its audit entry and its events: of which
// objects of a type, and which fields, by their paths in REST and GraphQL.
type notes struct {
	entityType string
	objects    []*notedObject
	byKey      map[string]*notedObject
	changes    []noted
	// from is the first day of the period that is applied; nil for none.
	from *date.Date
	// also are events of the agent beside those that its fields tell.
	also []string
	// application is the one whose link to the agent is cut; empty for none.
	application string
}

// notedObject is an object that a write is about.
type notedObject struct {
	key string
	// id is the row of an agent.
	id     int64
	fate   fate
	fields []string
	// from is the first day of the period of this object that is applied, where
	// a write applies several; nil for that of the write.
	from *date.Date
	// certifications are those of the agent that change.
	certifications []*notedCertification
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
	o := w.notes.byKey[entityKey]
	if o == nil {
		if o = (&notedObject{key: entityKey}); w.notes.byKey == nil {
			w.notes.byKey = map[string]*notedObject{}
		}
		w.notes.byKey[entityKey], w.notes.objects = o, append(w.notes.objects, o)
	}
	w.noteFields(o, fields...)
	return o
}

// changedAgain is changed for one of several changes of an agent in a write, each
// with an event of its own.
func (w *writing) changedAgain(agentCode string, id int64, from *date.Date, fields ...string) {
	w.notes.entityType = agentEntity
	o := &notedObject{key: agentCode, id: id, from: from}
	w.notes.objects = append(w.notes.objects, o)
	w.noteFields(o, fields...)
}

func (w *writing) noteFields(o *notedObject, fields ...string) {
	o.fields = append(o.fields, fields...)
	for _, f := range fields {
		w.note(noted{field: f})
	}
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
//
// There is one entry, and one for each set of fields when a write changes other
// fields of one agent than of another: no entry says more of an agent than is so.
func (s *Service) record(ctx context.Context, w *writing) error {
	entries, err := s.entries(ctx, w)
	if err != nil {
		return err
	}
	return s.trail.WriteAll(ctx, w.Tx, w.now, entries)
}

func (s *Service) entries(ctx context.Context, w *writing) (all []audit.Entry, err error) {
	for _, group := range w.notes.groups() {
		e := audit.Entry{EntityType: w.notes.entityType, Initiator: w.initiator}
		for _, o := range group {
			e.EntityKeys = append(e.EntityKeys, o.key)
		}
		for _, n := range w.notes.changes {
			if !slices.Contains(group[0].fields, n.field) {
				continue
			}
			change, err := s.auditChange(ctx, w, n)
			if err != nil {
				return nil, err
			}
			e.Changes = append(e.Changes, change)
		}
		all = append(all, e)
	}
	if w.notes.application != "" {
		all = append(all, audit.Entry{EntityType: applicationEntity, EntityKeys: []string{w.notes.application}, Changes: []audit.Change{{Field: applicationAgentField}}, Initiator: w.initiator})
	}
	return all, nil
}

// groups are the objects of a write, together those that change in the same
// fields, in the order in which they were noted.
func (n notes) groups() (groups [][]*notedObject) {
	byFields := map[string]int{}
	for _, o := range n.objects {
		fields := strings.Join(slices.Compact(slices.Sorted(slices.Values(o.fields))), "\n")
		i, ok := byFields[fields]
		if !ok {
			i = len(groups)
			byFields[fields], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], o)
	}
	return groups
}

func (s *Service) auditChange(ctx context.Context, w *writing, n noted) (change audit.Change, err error) {
	change.Field = n.field
	if n.value != nil {
		change.Fingerprint, err = s.trail.Fingerprint(ctx, w.tenantID, n.field, normalised(n.value.Reveal()))
	}
	return change, err
}
