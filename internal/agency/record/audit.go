package record

import (
	"context"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/date"
)

// The types of the objects that audit entries tell of. What belongs to an agent
// – its certifications, aliases, tags, periods – is told of the agent: "who
// changed what of this agent" is then one question.
const (
	AgentEntity             = "Agent"
	CertificationTypeEntity = "CertificationType"
	JurisdictionEntity      = "Jurisdiction"
	PayStatusEntity         = "PayStatus"
	AgentLevelEntity        = "AgentLevel"
	ProviderCompanyEntity   = "ProviderCompany"
	TagEntity               = "Tag"
	applicationEntity       = "Application"
)

// The paths of histories, from the agent.
const (
	DirectUplineField = "teams." + DefaultTeam + ".directUpline"
	LevelField        = "teams." + DefaultTeam + ".level"
	W9Field           = "w9"
	// That of the agent an application became, from the application.
	applicationAgentField = "agentCode"
)

// notes say what a write changes, for its audit entry and its events: of which
// objects of a type, and which fields, by their paths in REST and GraphQL.
type notes struct {
	entityType string
	objects    []*Noted
	byKey      map[string]*Noted
	// fields are those that change in any of the objects, in the order in which they
	// were noted.
	fields []string
	// from is the first day of the period that is applied; nil for none.
	from *date.Date
	// also are events of the agent beside those that its fields tell.
	also []string
	// application is the one whose link to the agent is cut; empty for none.
	application string
}

// Noted is an object that a write is about.
type Noted struct {
	key string
	// id is the row of an agent.
	id     int64
	fate   Fate
	fields []string
	// secrets are the new values of sensitive fields, of which the entry keeps
	// fingerprints; nil for one that is cleared.
	secrets map[string]*vault.Secret
	// from is the first day of the period of this object that is applied, where
	// a write applies several; nil for that of the write.
	from *date.Date
	// certifications are those of the agent that change.
	certifications []NotedCertification
}

// Fate is what happens to an object.
type Fate int

// The fates.
const (
	Revised Fate = iota
	Added
	Removed
)

// Note notes an object that a write is about and the fields of it that
// change. All objects of one write are of one type. A write that notes nothing
// leaves no entry, since it changed nothing.
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

// NoteAgent notes an agent that a write is about, what happens to it, and the fields
// of it that change.
func (w *Writing) NoteAgent(id int64, code string, f Fate, fields ...string) *Noted {
	o := w.Note(AgentEntity, code, fields...)
	if o.id = id; f != Revised { // an agent that the write added stays one, whatever changes of it besides
		o.fate = f
	}
	return o
}

// NoteCertification notes a certification of the agent that changes.
func (o *Noted) NoteCertification(c NotedCertification) {
	o.certifications = append(o.certifications, c)
}

// NoteEvent notes an event of the agent beside those that its fields tell.
func (w *Writing) NoteEvent(event string) { w.notes.also = []string{event} }

// NoteApplication notes that an application is no longer that of the agent.
func (w *Writing) NoteApplication(uid string) { w.notes.application = uid }

// PeriodFrom is the first day of the period that the write applied; nil for none.
func (w *Writing) PeriodFrom() *date.Date { return w.notes.from }

// ForgetPeriod takes back that the write applied a period.
func (w *Writing) ForgetPeriod() { w.notes.from = nil }

// NoteAgentAgain is NoteAgent for one of several changes of an agent in a write, each
// with an event of its own.
func (w *Writing) NoteAgentAgain(agentCode string, id int64, from *date.Date, fields ...string) {
	w.notes.entityType = AgentEntity
	o := &Noted{key: agentCode, id: id, from: from}
	w.notes.objects = append(w.notes.objects, o)
	w.noteFields(o, fields...)
}

func (w *Writing) noteFields(o *Noted, fields ...string) {
	o.fields = append(o.fields, fields...)
	for _, f := range fields { // several objects of a write may change in the same one
		if !slices.Contains(w.notes.fields, f) {
			w.notes.fields = append(w.notes.fields, f)
		}
	}
}

// NoteSecret notes the new value of a sensitive field of the object that was
// noted last; nil for cleared.
func (w *Writing) NoteSecret(field string, value *string) {
	o := w.notes.objects[len(w.notes.objects)-1]
	w.noteFields(o, field)
	if o.secrets == nil {
		o.secrets = map[string]*vault.Secret{}
	}
	o.secrets[field] = (*vault.Secret)(value)
}

// entries are the audit entries of a write. There is one, and one for each set of
// fields when a write changes other fields of one agent than of another: no entry
// says more of an agent than is so. A fingerprint is of one object, so its entry is.
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

// groups are the objects of a write, together those that change in the same
// fields, none of them sensitive, in the order in which they were noted.
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
	value     *string // of a sensitive field; nil when cleared
}

// NoteDifferences notes what a write changes of an agent.
func (w *Writing) NoteDifferences(code string, all []Difference) {
	w.Note(AgentEntity, code)
	for _, d := range all {
		if d.sensitive {
			w.NoteSecret(d.Field, d.value)
			continue
		}
		w.Note(AgentEntity, code, d.Field)
	}
}
