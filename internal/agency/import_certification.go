package agency

import (
	"context"
	"strings"
	"unicode"

	"github.com/uplinehq/upline/internal/bulk"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/store"
)

// CertificationImport imports certifications by what UpsertCertification matches:
// agent, type, provider company, jurisdiction and identifier.
type CertificationImport struct{ s *Service }

// ImportCertifications returns the import of certifications.
func (s *Service) ImportCertifications() *CertificationImport { return &CertificationImport{s} }

var certificationImportColumns = bulk.NewColumns([]bulk.Column{
	bulk.Required("agentCode", "an existing agent; part of the key"),
	bulk.Required("type", "a configured certification type; part of the key"),
	bulk.Optional("providerCompany", "a configured provider company; part of the key"),
	bulk.Optional("jurisdiction", "a configured jurisdiction; part of the key"),
	bulk.Optional("identifier", "licence or appointment number; part of the key"),
	bulk.Optional("isResidentCertification", "true or false"),
	bulk.Optional("isVerified", "true or false"),
	bulk.Optional("status", "as REST or GraphQL spell it (AdministrativeSuspension, ADMINISTRATIVE_SUSPENSION); ACTIVE by default"),
	bulk.Optional("effectiveFrom", "first day of the status; today by default, so a file that is to be imported twice says it"),
	bulk.Optional("effectiveThrough", "last day of the status; none for an open end"),
	bulk.Optional("note", "a note; where the file says none, there is none"),
})

// Columns are those that a file may have.
func (c *CertificationImport) Columns() []bulk.Column { return certificationImportColumns.All }

// certificationRow is a row of a file, read.
type certificationRow struct {
	i int
	CertificationUpsert
	period  history.Period[string]
	refused check
	of      *importedCertification
}

// certificationKey is what matches; a missing value matches only a missing one.
type certificationKey struct {
	agentID                                         int64
	kind, providerCompany, jurisdiction, identifier string
}

func (r *certificationRow) key(agentID int64) certificationKey {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	return certificationKey{agentID, r.Type, text(r.ProviderCompany), text(r.Jurisdiction), text(r.Identifier)}
}

// importedCertification is a certification as it is stored, or is going to be.
type importedCertification struct {
	certificationKey
	id                     int64
	agentCode              string
	isResident, isVerified bool
	note                   *string
	fate                   fate
	changed                []string
	from                   *date.Date
}

// Apply adds and updates certifications.
func (c *CertificationImport) Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	ctx, im, err := c.s.startImport(ctx, tx, rows, initiator)
	if err != nil {
		return nil, err
	}
	known, err := im.certificationReferences(ctx)
	if err != nil {
		return nil, err
	}
	read, codes := make([]*certificationRow, len(rows)), make([]string, len(rows))
	for i, row := range rows {
		read[i] = im.certificationRow(i, row, known)
		codes[i] = read[i].AgentCode
	}
	agents, err := im.lockCodes(ctx, codes)
	if err != nil {
		return nil, err
	}
	matched, fresh, err := im.match(ctx, read, agents, known)
	if err != nil {
		return nil, err
	}
	if err := im.applyCertifications(ctx, read, matched, fresh); err != nil {
		return nil, err
	}
	return im.finish(ctx)
}

func (im *importing) certificationRow(i int, row bulk.Row, known *certificationReferences) *certificationRow {
	r := readRow(certificationImportColumns, row)
	im.code(i, r)
	c := &certificationRow{i: i, CertificationUpsert: CertificationUpsert{
		AgentCode: r.Plain("agentCode"), Type: r.Plain("type"), ProviderCompany: r.Text("providerCompany"), Jurisdiction: r.Text("jurisdiction"),
		Identifier: r.Text("identifier"), IsResidentCertification: or(r.Flag("isResidentCertification"), false), IsVerified: or(r.Flag("isVerified"), false),
		EffectiveFrom: r.Date("effectiveFrom").Value, EffectiveThrough: r.Date("effectiveThrough").Value, Note: r.Text("note"), Initiator: im.initiator,
	}}
	if status := r.Text("status"); status != nil {
		c.Status = new(enumSpelling(*status))
	}
	c.refused = r.check
	c.refused.certificationUpsert(&c.CertificationUpsert)
	c.period = history.Period[string]{From: im.today, Through: c.EffectiveThrough, Value: *c.Status}
	if c.EffectiveFrom != nil {
		c.period.From = *c.EffectiveFrom
	}
	c.refused.period(c.period.From, c.period.Through)
	if _, ok := known.types[c.Type]; ok && im.results[i].Key != "" {
		im.results[i].Key += "/" + c.Type
	}
	return c
}

// enumSpelling is a value of an enum as GraphQL spells it, which REST writes in
// words: AdministrativeSuspension.
func enumSpelling(s string) string {
	if strings.ToUpper(s) == s {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

// certificationReferences are what new certifications may refer to.
type certificationReferences struct {
	types                    map[string]typeNeeds
	jurisdictions, companies map[string]bool
}

type typeNeeds struct{ jurisdiction, providerCompany bool }

func (w *writing) certificationReferences(ctx context.Context) (known *certificationReferences, err error) {
	known = &certificationReferences{types: map[string]typeNeeds{}}
	if known.jurisdictions, err = referenceKeys[string](ctx, w, jurisdictionTable); err != nil {
		return nil, err
	}
	if known.companies, err = referenceKeys[string](ctx, w, providerCompanyTable); err != nil {
		return nil, err
	}
	_, err = store.Collect(ctx, w, func(row store.Scanner) (struct{}, error) {
		var (
			code  string
			needs typeNeeds
		)
		err := row.Scan(&code, &needs.jurisdiction, &needs.providerCompany)
		known.types[code] = needs
		return struct{}{}, err
	}, "SELECT code, requires_jurisdiction, requires_provider_company FROM agency_certification_type WHERE tenant_id = $1 AND is_enabled", w.tenantID)
	return known, err
}

// check is checkNewCertification.
func (known *certificationReferences) check(in CertificationUpsert, c *check) {
	needs, ok := known.types[in.Type]
	if !ok && in.Type != "" {
		c.problems.Add(certificationTypeTable.unknown("type"))
	}
	for _, r := range []struct {
		table    referenceTable
		keys     map[string]bool
		key      *string
		required bool
		field    string
	}{
		{jurisdictionTable, known.jurisdictions, in.Jurisdiction, needs.jurisdiction, "jurisdiction"},
		{providerCompanyTable, known.companies, in.ProviderCompany, needs.providerCompany, "providerCompany"},
	} {
		switch {
		case r.key != nil && !r.keys[*r.key]:
			c.problems.Add(r.table.unknown(r.field))
		case r.key == nil && r.required:
			c.refuse(problem.Required, "is required for certifications of this type", r.field)
		}
	}
}

// match finds the certification of each row, or makes a new one, and rejects the
// rows in which something is wrong.
func (im *importing) match(ctx context.Context, rows []*certificationRow, agents map[string]int64, known *certificationReferences) (matched, fresh []*importedCertification, err error) {
	byKey, err := im.storedCertifications(ctx, agents)
	if err != nil {
		return nil, nil, err
	}
	taken := map[*importedCertification]bool{}
	for _, r := range rows {
		agentID := agents[r.AgentCode]
		if agentID == 0 && r.AgentCode != "" {
			r.refused.problems = append(problem.From(unknownAgent("agentCode")), r.refused.problems...)
		}
		key := r.key(agentID)
		there := byKey[key]
		if there == nil {
			known.check(r.CertificationUpsert, &r.refused)
		}
		if im.refuse(r.i, r.refused.problems) {
			continue
		}
		switch {
		case there == nil:
			there = &importedCertification{certificationKey: key, agentCode: r.AgentCode, fate: added}
			byKey[key] = there
			fresh = append(fresh, there)
		case there.fate != added && !taken[there]:
			taken[there] = true
			there.agentCode = r.AgentCode
			matched = append(matched, there)
		}
		r.of = there
	}
	return matched, fresh, nil
}

func (im *importing) storedCertifications(ctx context.Context, agents map[string]int64) (map[certificationKey]*importedCertification, error) {
	ids := make([]int64, 0, len(agents))
	for _, id := range agents {
		ids = append(ids, id)
	}
	byKey := map[certificationKey]*importedCertification{}
	_, err := store.Collect(ctx, im, func(row store.Scanner) (struct{}, error) {
		c := new(importedCertification)
		err := row.Scan(&c.id, &c.agentID, &c.kind, &c.providerCompany, &c.jurisdiction, &c.identifier, &c.isResident, &c.isVerified, &c.note)
		byKey[c.certificationKey] = c
		return struct{}{}, err
	}, `SELECT id, agent_id, type, coalesce(provider_company, ''), coalesce(jurisdiction, ''), coalesce(identifier, ''),
		is_resident_certification, is_verified, note FROM agency_certification WHERE tenant_id = $1 AND `+im.In("agent_id", "$2"), im.tenantID, im.List(ids))
	return byKey, err
}

// applyCertifications applies the good rows in their order, and writes what they
// come to.
func (im *importing) applyCertifications(ctx context.Context, rows []*certificationRow, matched, fresh []*importedCertification) error {
	ids, err := im.NewIDs(ctx, "agency_certification", len(fresh))
	if err != nil {
		return err
	}
	for n, c := range fresh {
		c.id = ids[n]
	}
	periods := certificationHistories()
	stored := make([]int64, len(matched))
	for n, c := range matched {
		stored[n] = c.id
	}
	if err := periods.load(ctx, im.writing, stored); err != nil {
		return err
	}
	first := map[*importedCertification]bool{}
	for _, r := range rows {
		if r.of == nil {
			continue
		}
		differs, err := r.applyTo(r.of, periods, im.today)
		if err != nil {
			return err
		}
		switch {
		case r.of.fate == added && !first[r.of]:
			im.done(r.i, bulk.Created)
		case differs:
			im.done(r.i, bulk.Updated)
		}
		first[r.of] = true
	}
	if err := im.copyCertifications(ctx, fresh); err != nil {
		return err
	}
	if err := periods.write(ctx, im.writing); err != nil {
		return err
	}
	return im.saveCertifications(ctx, append(fresh, matched...))
}

// applyTo makes a certification what the row says (Certifications, outcomes).
func (r *certificationRow) applyTo(c *importedCertification, periods *histories[string], today date.Date) (differs bool, err error) {
	var fields []string
	if c.isResident != r.IsResidentCertification {
		fields = append(fields, "isResidentCertification")
	}
	if c.isVerified != r.IsVerified {
		fields = append(fields, "isVerified")
	}
	if !same(c.note, r.Note) {
		fields = append(fields, "note")
	}
	c.isResident, c.isVerified, c.note = r.IsResidentCertification, r.IsVerified, r.Note
	changed, err := periods.apply(c.id, r.period, today)
	if changed {
		fields = append(fields, "status")
		if c.from == nil {
			c.from = r.period.From.Ptr()
		}
	}
	c.changed = append(c.changed, fields...)
	return len(fields) > 0, err
}

var newCertificationColumns = []string{
	"tenant_id", "id", "agent_id", "type", "provider_company", "jurisdiction", "identifier",
	"is_resident_certification", "is_verified", "note", "created_at", "created_by", "last_modified", "last_modified_by",
}

func (im *importing) copyCertifications(ctx context.Context, fresh []*importedCertification) error {
	if len(fresh) == 0 {
		return nil
	}
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return im.CopyFrom(ctx, "agency_certification", newCertificationColumns, func(yield func([]any) bool) {
		row := make([]any, 0, len(newCertificationColumns))
		for _, c := range fresh {
			row = append(row[:0], im.tenantID, c.id, c.agentID, c.kind, orNull(c.providerCompany), orNull(c.jurisdiction), orNull(c.identifier),
				c.isResident, c.isVerified, c.note, im.now, im.initiator, im.now, im.initiator)
			if !yield(row) {
				return
			}
		}
	})
}

// saveCertifications stores what changed of those that were there, moves the
// lastModified of the agents, and notes all that changed.
func (im *importing) saveCertifications(ctx context.Context, all []*importedCertification) error {
	var agents []int64
	for _, c := range all {
		paths := []string{"certifications"}
		if c.fate != added {
			if len(c.changed) == 0 {
				continue
			}
			if _, err := im.Exec(ctx, `UPDATE agency_certification SET is_resident_certification = $1, is_verified = $2, note = $3,
				last_modified = $4, last_modified_by = $5 WHERE tenant_id = $6 AND id = $7`,
				c.isResident, c.isVerified, c.note, im.now, im.initiator, im.tenantID, c.id); err != nil {
				return err
			}
			paths = nil
			for _, f := range c.changed {
				paths = append(paths, "certifications."+f)
			}
		} else {
			c.changed = nil
		}
		agents = append(agents, c.agentID)
		noted := im.changed(agentEntity, c.agentCode, paths...)
		noted.id = c.agentID
		noted.certifications = append(noted.certifications, &notedCertification{id: c.id, certificationType: c.kind, fate: c.fate, fields: c.changed, from: c.from})
	}
	return im.touchAll(ctx, agents)
}
