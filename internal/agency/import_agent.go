package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// AgentImport imports agents by agent code. A row does what Register does with a new
// agent, and what UpdateAgent and UpdateContact do with one that exists. The pay status,
// upline and level of an existing agent become what the row says from the day on that it
// names; without one they have to be so today.
//
// The upline of a new agent may come later in the file. Such an agent is added without a
// place in the team; once all rows are applied, Second gives it one that begins with its
// start. Finish asks for the rebuild of the hierarchy.
type AgentImport struct{ moves }

// ImportAgents returns the import of agents.
func (s *Service) ImportAgents() *AgentImport { return &AgentImport{moves{s}} }

var agentImportColumns = bulk.NewColumns([]bulk.Column{
	bulk.Required("agentCode", "the key: an agent that has it is compared with the row, and updated where it differs").Of(bulk.Agent),
}, imports.ColumnsOf(AgentDetails), []bulk.Column{
	bulk.Required("status", "pay status from the start date on; must be configured").In(bulk.PayStatuses),
	bulk.Sensitive("governmentIdentifier", "SSN or SIN; the mask of one is refused").Of(bulk.Code),
	bulk.Optional(record.DirectUplineField, "agent code of the upline, which may come later in the file; none for a root").Of(bulk.Agent),
	bulk.Optional(record.LevelField, "one of the configured agent levels").In(bulk.AgentLevels),
	bulk.Optional(bulk.ChangesFrom, "first day of a pay status, an upline or a level that an agent does not have on it; its start, if that is later. Without it they have to be today's").Of(bulk.Day),
}, contactColumns())

func contactColumns() (columns []bulk.Column) {
	for _, kind := range addressKinds {
		columns = append(columns, imports.ColumnsBelow(fieldOfAddress[kind], AddressFields)...)
	}
	for _, kind := range phoneKinds {
		columns = append(columns, imports.ColumnsBelow(fieldOfPhone[kind], PhoneFields)...)
	}
	return columns
}

// agentImporting is an import of agents while it is under way.
type agentImporting struct {
	*imports.Import
	s *Service
	// dated are the agents whose pay status or level changes from a day on.
	dated []int64
}

func (a *AgentImport) start(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) (context.Context, *agentImporting, error) {
	ctx, im, err := imports.Begin(ctx, a.s.writer, tx, rows, initiator)
	return ctx, &agentImporting{Import: im, s: a.s}, err
}

// Reference returns the agent code of a row, and the code of its upline.
func (a *AgentImport) Reference(row bulk.Row) (key, to string) {
	r := imports.ReadRow(agentImportColumns, row)
	return r.Plain("agentCode"), r.Plain(record.DirectUplineField)
}

// Columns returns the columns that a file may have.
func (a *AgentImport) Columns() []bulk.Column { return agentImportColumns.All }

// agentRow is a row of a file as it was read.
type agentRow struct {
	i    int
	code string
	// outside is true if no row of the file is about the upline.
	outside bool
	// unread holds the problems with values that could not be read.
	unread problem.List
	in     Registration
	// day is the start of the agent if the file gives it as a day, and from the first day of
	// what changes.
	day, from *date.Date

	update         AgentUpdate
	contact        ContactUpdate
	status, upline patch.Field[string]
	level          patch.Field[int]
}

// Apply adds and updates agents. If several rows are about one agent, each is compared
// with what the rows before it made of the agent, as if it came in another call.
func (a *AgentImport) Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	ctx, im, err := a.start(ctx, tx, rows, initiator)
	if err != nil {
		return nil, err
	}
	team, err := lockHierarchy(ctx, im.Import)
	if err != nil {
		return nil, err
	}
	known := &places{teamID: team, promised: map[int64]bool{}, moved: map[int64]string{}}
	left := make([]*agentRow, len(rows))
	for i, row := range rows {
		left[i] = im.agentRow(i, row)
	}
	for len(left) > 0 {
		var batch []*agentRow
		batch, left = bulk.FirstOfEach(left, func(r *agentRow) string { return r.code })
		if err := im.applyAgents(ctx, known, batch); err != nil {
			return nil, err
		}
		im.Next()
	}
	return im.Finish(ctx)
}

// agentRow reads a row both as a registration and as an update.
func (im *agentImporting) agentRow(i int, row bulk.Row) *agentRow {
	r := imports.ReadRow(agentImportColumns, row)
	a := &agentRow{i: i, code: im.Code(i, r), outside: row.Outside, status: r.Field("status"), upline: r.Field(record.DirectUplineField), level: r.Number(record.LevelField)}
	a.update = AgentUpdate{GovernmentIdentifier: r.Field("governmentIdentifier"), Initiator: im.Initiator}
	r.Record(AgentDetails, &a.update.Details, im.Tenant.Zone)
	a.contact = ContactUpdate{Addresses: map[AddressKind]patch.Field[Address]{}, Phones: map[PhoneKind]patch.Field[Phone]{}, Initiator: im.Initiator}
	for _, kind := range addressKinds {
		var u Address
		if r.RecordBelow(fieldOfAddress[kind]+".", AddressFields, &u, nil); u != (Address{}) {
			a.contact.Addresses[kind] = patch.Set(u)
		}
	}
	for _, kind := range phoneKinds {
		if u := readPhone(r, fieldOfPhone[kind]); u.PhoneNumber.IsNull() {
			a.contact.Phones[kind] = patch.Null[Phone]()
		} else if u != (Phone{}) {
			a.contact.Phones[kind] = patch.Set(u)
		}
	}
	if day, err := date.Parse(r.Plain("startDate")); err == nil {
		a.day = &day
	}
	if a.from = r.Date(bulk.ChangesFrom).Value; a.from != nil {
		r.Check.Day(a.from, check.LastDay, bulk.ChangesFrom)
	}
	a.in, a.unread = a.registration(), r.List
	return a
}

// registration returns the row as a new agent.
func (a *agentRow) registration() Registration {
	u := a.update
	in := Registration{
		Details: u.Details, Status: a.status.OrZero(), StartDay: a.day, GovernmentIdentifier: u.GovernmentIdentifier.Value, Initiator: u.Initiator,
		Teams:   []TeamAssignment{{Team: record.DefaultTeam, DirectUpline: a.upline.Value, Level: a.level.Value}},
		Contact: Contact{Addresses: map[AddressKind]*Address{}, Phones: map[PhoneKind]*Phone{}},
	}
	if a.code != "" {
		in.AgentCode = &a.code
	}
	for kind, f := range a.contact.Addresses {
		in.Contact.Addresses[kind] = new(*f.Value)
	}
	for kind, f := range a.contact.Phones {
		if f.Value != nil {
			in.Contact.Phones[kind] = new(*f.Value)
		}
	}
	return in
}

// applyAgents applies rows that are about different agents.
func (im *agentImporting) applyAgents(ctx context.Context, known *places, rows []*agentRow) error {
	codes := make([]string, 0, len(rows))
	for _, r := range rows {
		codes = append(codes, r.code)
	}
	ids, err := im.LockCodes(ctx, codes)
	if err != nil {
		return err
	}
	var added, there []*agentRow
	for _, r := range rows {
		if ids[r.code] == 0 {
			added = append(added, r)
		} else {
			there = append(there, r)
		}
	}
	if err := im.updateAgents(ctx, known, there, ids); err != nil {
		return err
	}
	return im.addAgents(ctx, known, added)
}
