package certification

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Import imports certifications by what UpsertCertification matches: agent, type,
// provider company, jurisdiction and identifier.
type Import struct{ s *Service }

// ImportCertifications returns the import of certifications.
func (s *Service) ImportCertifications() *Import { return &Import{s} }

var certificationImportColumns = bulk.NewColumns([]bulk.Column{
	bulk.Required("agentCode", "an existing agent; part of the key"),
	bulk.Required("type", "a configured certification type; part of the key"),
	bulk.Optional("providerCompany", "a configured provider company; part of the key"),
	bulk.Optional("jurisdiction", "a configured jurisdiction; part of the key"),
	bulk.Optional("identifier", "licence or appointment number; part of the key"),
}, imports.ColumnsOf(Fields), []bulk.Column{
	bulk.Optional("status", "as REST or GraphQL spell it (AdministrativeSuspension, ADMINISTRATIVE_SUSPENSION); ACTIVE by default"),
	bulk.Optional("effectiveFrom", "first day of the status, from 1900-01-01 to 2200-12-31; today by default, so a file that is to be imported twice says it"),
	bulk.Optional("effectiveThrough", "last day of the status; none for an open end"),
})

// Columns returns the columns that a file may have.
func (c *Import) Columns() []bulk.Column { return certificationImportColumns.All }

// certificationRow is a row of a file as it was read.
type certificationRow struct {
	i int
	Upsert
	period  history.Period[string]
	refused record.Check
	of      *importedCertification
}

// certificationKey is what a row is matched by. A missing value matches only a missing
// one.
type certificationKey struct {
	agentID                                         int64
	kind, providerCompany, jurisdiction, identifier string
}

func (c *stored) key() certificationKey {
	return certificationKey{c.AgentID, c.Type, orEmpty(c.ProviderCompany), orEmpty(c.Jurisdiction), orEmpty(c.Identifier)}
}

// importedCertification is a certification that is stored already, or will be.
type importedCertification struct {
	stored
	agentCode string
	fate      record.Fate
	changed   []string
	from      *date.Date
}

// Apply adds and updates the certifications of rows.
func (c *Import) Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	ctx, im, err := imports.Begin(ctx, c.s.writer, tx, rows, initiator)
	if err != nil {
		return nil, err
	}
	read, codes, named := make([]*certificationRow, len(rows)), make([]string, len(rows)), make([]*Upsert, len(rows))
	for i, row := range rows {
		read[i] = readCertificationRow(im, i, row)
		codes[i], named[i] = read[i].AgentCode, &read[i].Upsert
	}
	known, err := askReferences(ctx, im.Writing, named...)
	if err != nil {
		return nil, err
	}
	agents, err := im.LockCodes(ctx, codes)
	if err != nil {
		return nil, err
	}
	for i, r := range read {
		if _, ok := known.types[r.Type]; ok {
			im.CalledBy(i, r.Type)
		}
	}
	matched, fresh, err := matchRows(ctx, im, read, agents, known)
	if err != nil {
		return nil, err
	}
	if err := applyCertifications(ctx, im, read, matched, fresh); err != nil {
		return nil, err
	}
	return im.Finish(ctx)
}

func readCertificationRow(im *imports.Import, i int, row bulk.Row) *certificationRow {
	r := imports.ReadRow(certificationImportColumns, row)
	im.Code(i, r)
	c := &certificationRow{i: i, Upsert: Upsert{
		AgentCode: r.Plain("agentCode"), Type: r.Plain("type"), ProviderCompany: r.Text("providerCompany"), Jurisdiction: r.Text("jurisdiction"),
		Identifier: r.Text("identifier"), EffectiveFrom: r.Date("effectiveFrom").Value, EffectiveThrough: r.Date("effectiveThrough").Value, Initiator: im.Initiator,
	}}
	r.Record(Fields, &c.Details, nil)
	if status := r.Text("status"); status != nil {
		c.Status = new(record.CertificationStatuses.Written(*status))
	}
	c.refused = r.Check
	checkUpsert(&c.refused, &c.Upsert)
	c.period = c.Upsert.period(im.Today)
	c.refused.Period(c.period.From, c.period.Through)
	return c
}
