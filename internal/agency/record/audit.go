package record

import (
	"context"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// The types of objects in audit entries. What belongs to an agent – its certifications,
// aliases, tags, periods – is recorded under the agent, so one look-up finds who changed
// what of an agent.
const (
	AgentEntity             = "Agent"
	CertificationTypeEntity = "CertificationType"
	JurisdictionEntity      = "Jurisdiction"
	PayStatusEntity         = "PayStatus"
	AgentLevelEntity        = "AgentLevel"
	ProviderCompanyEntity   = "ProviderCompany"
	TagEntity               = "Tag"
	ProductEntity           = "Product"
	applicationEntity       = "Application"
)

// The paths of histories from the agent.
const (
	DirectUplineField = "teams." + DefaultTeam + ".directUpline"
	LevelField        = "teams." + DefaultTeam + ".level"
	W9Field           = "w9"
	// applicationAgentField is the path, from an application, of the agent that it
	// became.
	applicationAgentField = "agentCode"
)

// notes is what a write changes, for its audit entry and its events: which objects of one
// type, and which of their fields, by their paths in REST and GraphQL.
type notes struct {
	entityType string
	objects    []*Noted
	byKey      map[string]*Noted
	// fields are those that change in any of the objects, in the order in which they were
	// noted.
	fields []string
	// from is the first day of the period that is applied; nil if none is.
	from *date.Date
	// also has the events of the agent that its fields do not imply.
	also []string
	// application is the application whose link to the agent is cut; empty for none.
	application string
}

// Noted is an object that a write changes.
type Noted struct {
	key string
	// id is the id of an agent's row.
	id     int64
	fate   Fate
	fields []string
	// secrets are the new values of sensitive fields, nil for a cleared one. The entry
	// keeps their fingerprints.
	secrets map[string]*vault.Secret
	// from is the first day of this object's period, for a write that applies periods of
	// several; nil for the notes' own.
	from *date.Date
	// certifications are the agent's certifications that change.
	certifications []NotedCertification
}

// Fate is what a write does to an object.
type Fate int

// The fates of objects.
const (
	Revised Fate = iota
	Added
	Removed
)

// Note notes an object, and the fields of it that change. All objects of one write are of
// one type. A write that notes nothing has changed nothing, and leaves no entry.
func (w *Writing) Note(entityType, entityKey string, fields ...string) *Noted {
	w.notes.entityType = entityType
	o := w.notes.byKey[entityKey]
	if o == nil {
		if o = (&Noted{key: entityKey}); w.notes.byKey == nil {
			w.notes.byKey = map[string]*Noted{}
		}
		w.notes.byKey[entityKey], w.notes.objects = o, append(w.notes.objects, o)
	}
	w.noteFields(o, fields...)
	return o
}

// NoteAgent notes an agent, what happens to it, and the fields of it that change.
func (w *Writing) NoteAgent(id int64, code string, f Fate, fields ...string) *Noted {
	o := w.Note(AgentEntity, code, fields...)
	if o.id = id; f != Revised { // an agent that the write has added stays added, whatever else changes of it
		o.fate = f
	}
	return o
}

// NoteCertification notes a certification of the agent that changes.
func (o *Noted) NoteCertification(c NotedCertification) {
	o.certifications = append(o.certifications, c)
}

// NoteEvent adds an event of the agent to those that its fields imply.
func (w *Writing) NoteEvent(event string) { w.notes.also = []string{event} }

// NoteApplication notes that the link from an application to the agent is cut.
func (w *Writing) NoteApplication(uid string) { w.notes.application = uid }

// ForgetPeriod undoes the note that the write applied a period.
func (w *Writing) ForgetPeriod() { w.notes.from = nil }

// NoteAgentAgain notes an agent of which a write makes several changes, each with events
// of its own.
func (w *Writing) NoteAgentAgain(agentCode string, id int64, from *date.Date, fields ...string) {
	w.notes.entityType = AgentEntity
	o := &Noted{key: agentCode, id: id, from: from}
	w.notes.objects = append(w.notes.objects, o)
	w.noteFields(o, fields...)
}

func (w *Writing) noteFields(o *Noted, fields ...string) {
	o.fields = append(o.fields, fields...)
	for _, f := range fields { // several objects of a write may have the same field
		if !slices.Contains(w.notes.fields, f) {
			w.notes.fields = append(w.notes.fields, f)
		}
	}
}

// NoteSecret notes the new value of a sensitive field of the object that was noted last;
// nil if it is cleared.
func (w *Writing) NoteSecret(field string, value *string) {
	w.noteSecret(w.notes.objects[len(w.notes.objects)-1], field, value)
}

func (w *Writing) noteSecret(o *Noted, field string, value *string) {
	w.noteFields(o, field)
	if o.secrets == nil {
		o.secrets = map[string]*vault.Secret{}
	}
	o.secrets[field] = (*vault.Secret)(value)
}

// entries returns the audit entries of a write. Agents with the same changed fields share
// an entry, so that no entry says more of an agent than is true. A fingerprint is about
// one object, and so is its entry.
func (w *Writing) entries(ctx context.Context) (all []audit.Entry, err error) {
	for _, group := range w.notes.groups() {
		e := audit.Entry{EntityType: w.notes.entityType}
		for _, o := range group {
			e.EntityKeys = append(e.EntityKeys, o.key)
		}
		for _, field := range w.notes.fields {
			if !slices.Contains(group[0].fields, field) {
				continue
			}
			change, err := w.Secret(ctx, field, (*string)(group[0].secrets[field]))
			if err != nil {
				return nil, err
			}
			e.Changes = append(e.Changes, change)
		}
		all = append(all, e)
	}
	if w.notes.application != "" {
		all = append(all, audit.Entry{EntityType: applicationEntity, EntityKeys: []string{w.notes.application}, Changes: []audit.Change{{Field: applicationAgentField}}})
	}
	return all, nil
}

// groups returns the objects of a write, in the order in which they were noted. Objects
// with the same fields form a group, unless one of the fields is sensitive.
func (n notes) groups() (groups [][]*Noted) {
	byFields := map[string]int{}
	for _, o := range n.objects {
		fields := strings.Join(slices.Compact(slices.Sorted(slices.Values(o.fields))), "\n")
		i, ok := byFields[fields]
		if !ok || o.secrets != nil {
			i, groups = len(groups), append(groups, nil)
		}
		if groups[i] = append(groups[i], o); o.secrets == nil {
			byFields[fields] = i
		}
	}
	return groups
}

// Difference is a field of an agent that a write changes.
type Difference struct {
	Field     string
	sensitive bool
	value     *string // of a sensitive field; nil if it is cleared
}

// SecretDifference is the difference of a sensitive field, which becomes a value; nil if it is
// cleared.
func SecretDifference(field string, value *string) Difference {
	return Difference{Field: field, sensitive: true, value: value}
}

// NoteDifferences notes the fields of an agent that a write changes.
func (w *Writing) NoteDifferences(code string, all []Difference) {
	o := w.Note(AgentEntity, code)
	for _, d := range all {
		if d.sensitive {
			w.noteSecret(o, d.Field, d.value)
		} else {
			w.noteFields(o, d.Field)
		}
	}
}
