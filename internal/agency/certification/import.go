package certification

import (
	"context"
	"maps"
	"slices"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// Import imports certifications by what UpsertCertification matches: agent, type,
// provider company, jurisdiction and identifier.
type Import struct{ s *Service }

// ImportCertifications returns the import of certifications.
func (s *Service) ImportCertifications() *Import { return &Import{s} }

var certificationImportColumns = bulk.NewColumns([]bulk.Column{
	bulk.Required("agentCode", "an existing agent; part of the key").Of(bulk.Agent),
	bulk.Required("type", "a configured certification type; part of the key").In(bulk.CertificationTypes),
	bulk.Optional("providerCompany", "a configured provider company; part of the key").In(bulk.ProviderCompanies),
	bulk.Optional("jurisdiction", "a configured jurisdiction; part of the key").In(bulk.Jurisdictions),
	bulk.Optional("identifier", "licence or appointment number; part of the key").Of(bulk.Code),
}, flags(), []bulk.Column{
	bulk.Optional("status", "as REST or GraphQL spell it (AdministrativeSuspension, ADMINISTRATIVE_SUSPENSION), or as sources do; ACTIVE where the file has no such column").In(bulk.CertificationStatuses).Or("ACTIVE"),
	bulk.Optional("effectiveFrom", "first day of the status, from 1900-01-01 to 2200-12-31; today by default, so a file that is to be imported twice says it").Of(bulk.Day),
	bulk.Optional("effectiveThrough", "last day of the status; none for an open end").Of(bulk.Day),
	bulk.Optional("issueDate", "first day of a licence. With it, or with one of the next two, the status is the one of today: the licence is good from its issue to its expiration or the day of the status, and has the status from then on").Of(bulk.Day),
	bulk.Optional("expirationDate", "last day on which a licence is good; it is EXPIRED from the next day on").Of(bulk.Day),
	bulk.Optional("statusDate", "day from which a licence has its status").Of(bulk.Day),
})

// flags are the columns of Fields. What a file does not say is no, which is said.
func flags() []bulk.Column {
	columns := imports.ColumnsOf(Fields)
	for i, c := range columns {
		if c.Kind == bulk.Flag {
			columns[i] = c.Or("No")
		}
	}
	return columns
}

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
		if im.Refuse(i, in.refused.List) {
			continue
		}
		im.About(i, certificationsPath(in.ID), certificationsPath(in.ID)+".status")
		switch im.Tell(i, in.remark); {
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
	told := standing{issued: r.Date("issueDate").Value, expires: r.Date("expirationDate").Value, since: r.Date("statusDate").Value, status: record.CertificationStatuses.Written(r.Plain("status")), today: im.Today}
	in := Upsert{
		AgentCode: r.Plain("agentCode"), Type: r.Plain("type"), ProviderCompany: r.Text("providerCompany"), Jurisdiction: r.Text("jurisdiction"),
		Identifier: r.Text("identifier"), EffectiveFrom: r.Date("effectiveFrom").Value, EffectiveThrough: r.Date("effectiveThrough").Value, Initiator: im.Initiator,
	}
	r.Record(Fields, &in.Details, nil)
	isTold := told.issued != nil || told.expires != nil || told.since != nil
	if !isTold { // a column for the period alone says the same
		told.expires = in.EffectiveThrough
	}
	if note := told.resolve(); note != "" && in.Note.Value == nil {
		in.Note = patch.Set(note)
	}
	if told.status != "" {
		in.Status = &told.status
	}
	says := in.Details
	checkUpsert(&r.Check, &in)
	u := newUpserting(in, r.Check, im.Today)
	u.says = &says
	if isTold {
		told.status = *in.Status
		if told.issued == nil {
			told.issued = in.EffectiveFrom
		}
		if told.issued != nil && told.expires != nil && *told.expires < *told.issued {
			u.refused.Refuse(problem.PeriodEndsBeforeStart, "is before the issue", "expirationDate")
		}
		u.standing = &told
	}
	return u
}
