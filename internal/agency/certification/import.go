package certification

import (
	"context"
	"maps"
	"slices"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
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

// Apply adds and updates the certifications of rows.
func (c *Import) Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	ctx, im, err := imports.Begin(ctx, c.s.writer, tx, rows, initiator)
	if err != nil {
		return nil, err
	}
	all, codes := make([]*upserting, len(rows)), make([]string, len(rows))
	for i, row := range rows {
		all[i] = readCertificationRow(im, i, row)
		codes[i] = all[i].AgentCode
	}
	agents, err := im.LockCodes(ctx, codes)
	if err != nil {
		return nil, err
	}
	b, err := askBatch(ctx, im.Writing, all, im.In("agent_id", "$2"), im.List(slices.Collect(maps.Values(agents))))
	if err := record.FirstOf(err, im.Flush(ctx)); err != nil {
		return nil, err
	}
	for i, in := range all {
		if agents[in.AgentCode] == 0 && in.AgentCode != "" {
			in.refuseAgent(record.UnknownAgent("agentCode"))
		}
		if _, ok := b.known.types[in.Type]; ok {
			im.CalledBy(i, in.Type)
		}
	}
	b.match(agents)
	if _, err := b.write(ctx); err != nil {
		return nil, err
	}
	for i, in := range all {
		switch {
		case im.Refuse(i, in.refused.List):
		case in.IsNew:
			im.Done(i, bulk.Created)
		case in.Changed:
			im.Done(i, bulk.Updated)
		}
	}
	return im.Finish(ctx)
}

func readCertificationRow(im *imports.Import, i int, row bulk.Row) *upserting {
	r := imports.ReadRow(certificationImportColumns, row)
	im.Code(i, r)
	in := Upsert{
		AgentCode: r.Plain("agentCode"), Type: r.Plain("type"), ProviderCompany: r.Text("providerCompany"), Jurisdiction: r.Text("jurisdiction"),
		Identifier: r.Text("identifier"), EffectiveFrom: r.Date("effectiveFrom").Value, EffectiveThrough: r.Date("effectiveThrough").Value, Initiator: im.Initiator,
	}
	r.Record(Fields, &in.Details, nil)
	if status := r.Text("status"); status != nil {
		in.Status = new(record.CertificationStatuses.Written(*status))
	}
	checkUpsert(&r.Check, &in)
	return newUpserting(in, r.Check, im.Today)
}
