package agency

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/history"
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

// addAgents adds the agents of rows. What is wrong in a row itself is refused first, and
// only if that is good what it refers to.
func (im *agentImporting) addAgents(ctx context.Context, known *places, rows []*agentRow) error {
	var read []*agentRow
	var agents []*newAgent
	for _, r := range rows {
		refused := r.unread
		if r.code == "" {
			refused.Add(problem.Invalid(problem.Required, "is required", "agentCode"))
		}
		if !im.Refuse(r.i, append(refused, problem.From(im.s.checkRegistration(&r.in, im.Today))...)) {
			read, agents = append(read, r), append(agents, &newAgent{code: r.code, in: Newcomer{Registration: r.in}, later: !r.outside})
		}
	}
	if len(agents) == 0 {
		return nil
	}
	a, err := im.s.adding(ctx, im.Import.Writing, known.teamID, agents)
	if err != nil {
		return err
	}
	a.agents = a.agents[:0]
	rowOf := make(map[*newAgent]int, len(read))
	for n, r := range read {
		if !im.Refuse(r.i, a.refused(agents[n])) {
			a.agents, rowOf[agents[n]] = append(a.agents, agents[n]), r.i
			im.Done(r.i, bulk.Created)
			if r.from != nil {
				im.Tell(r.i, "A new agent has its pay status, upline and level from its start on, not from the day of changes.")
			}
		}
	}
	if err := a.write(ctx); err != nil {
		if isCodeInUse(err) { // somebody has registered it since it was looked up, and is found in the next try
			return store.Again(err)
		}
		return err
	}
	of := make(map[int64]int, len(a.agents))
	for _, n := range a.agents {
		known.promised[n.id] = n.waits
		of[n.id] = rowOf[n]
	}
	return im.tellLikely(ctx, of)
}

// likely finds agents that may be the same person as new ones, by what they have in common.
const likely = `SELECT n.id, o.code, 'NPN' FROM agency_agent n JOIN agency_agent o ON o.tenant_id = n.tenant_id AND o.npn = n.npn AND o.id <> n.id WHERE n.tenant_id = $1 AND %[1]s
	UNION SELECT n.id, o.code, 'tax id' FROM agency_agent n JOIN agency_agent o ON o.tenant_id = n.tenant_id AND o.government_identifier_index = n.government_identifier_index AND o.id <> n.id WHERE n.tenant_id = $1 AND %[1]s
	UNION SELECT n.id, o.code, 'name and day of birth' FROM agency_agent n JOIN agency_agent o ON o.tenant_id = n.tenant_id AND o.last_name_key = n.last_name_key AND o.first_name_key = n.first_name_key AND o.birth_date = n.birth_date AND o.id <> n.id WHERE n.tenant_id = $1 AND n.birth_date IS NOT NULL AND %[1]s
	ORDER BY 2, 3`

// tellLikely says which new agents, by the rows that make them, may be there already.
func (im *agentImporting) tellLikely(ctx context.Context, rows map[int64]int) error {
	if err := im.Flush(ctx); err != nil || len(rows) == 0 {
		return err
	}
	ids := slices.Sorted(maps.Keys(rows))
	told := map[int]bool{}
	_, err := store.Collect(ctx, im, func(row store.Scanner) (none struct{}, err error) {
		var (
			id         int64
			code, what string
		)
		err = row.Scan(&id, &code, &what)
		i := rows[id]
		if im.Note(i, "It may be "+code+", who has the same "+what+"."); !told[i] {
			told[i] = true
			im.Tell(i, "A new agent may be there already: another one has the same NPN, tax id, or name and day of birth.")
		}
		return none, err
	}, fmt.Sprintf(likely, im.In("n.id", "$2")), im.Tenant.ID, im.List(ids))
	return err
}

// places holds where rows place agents.
type places struct {
	teamID int64
	// promised has the agents that an earlier row of the call places on the second pass.
	promised map[int64]bool
	// moved has the uplines that earlier rows of the call give on the second pass to agents
	// who have a place; "" at the top.
	moved map[int64]string
}

// storedAgents holds what rows about existing agents are compared with.
type storedAgents struct {
	rows      map[int64]*storedAgent
	addresses map[int64]map[AddressKind]*Address
	phones    map[int64]map[PhoneKind]*Phone
	statuses  *record.Histories[string]
	uplines   *record.Histories[uplineRef]
	levels    *record.Histories[int]
	// named has the agents that rows name as uplines.
	named map[string]int64
	// usableStatuses and usableLevels are those that rows may change to.
	usableStatuses map[string]bool
	usableLevels   map[int]bool
}

// changesOn is the day on which what differs changes; nil if nothing may.
func (st *storedAgents) changesOn(r *agentRow, id int64) *date.Date {
	if r.from == nil {
		return nil
	}
	day := *r.from
	if all := st.statuses.Of(id); len(all) > 0 {
		day = max(day, all[0].From)
	}
	return &day
}

// waits reports whether an agent has no place, that is, no upline period at all.
func (st *storedAgents) waits(id int64) bool { return !st.uplines.Has(id) }

func (im *agentImporting) storedAgents(ctx context.Context, known *places, rows []*agentRow, ids map[string]int64) (*storedAgents, error) {
	agentIDs, named := make([]int64, len(rows)), []string{}
	for i, r := range rows {
		agentIDs[i] = ids[r.code]
		if r.upline.Value != nil {
			named = append(named, *r.upline.Value)
		}
	}
	st := new(storedAgents)
	for _, read := range []func() error{
		func() (err error) { st.rows, err = readAgents(ctx, im.Writing, im.Tenant.ID, agentIDs); return err },
		func() (err error) { st.addresses, err = readAddresses(ctx, im, im.Tenant.ID, agentIDs); return err },
		func() (err error) { st.phones, err = readPhones(ctx, im, im.Tenant.ID, agentIDs); return err },
		func() (err error) { st.named, err = record.AgentIDs(ctx, im, named); return err },
		func() (err error) {
			st.statuses, err = payee.Statuses.Read(ctx, im.Writing, 0, agentIDs...)
			return err
		},
		func() (err error) {
			st.uplines, err = uplines.Read(ctx, im.Writing, known.teamID, agentIDs...)
			return err
		},
		func() (err error) {
			st.levels, err = levels.Read(ctx, im.Writing, known.teamID, agentIDs...)
			return err
		},
		func() (err error) {
			st.usableStatuses, err = record.ReferenceKeys[string](ctx, im.Writing, record.PayStatusTable)
			return err
		},
		func() (err error) {
			st.usableLevels, err = record.ReferenceKeys[int](ctx, im.Writing, record.LevelTable(known.teamID))
			return err
		},
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// updateAgents compares rows with their agents, and changes those that differ as
// UpdateAgent and UpdateContact do. A row that gives its agent a place changes the agent,
// although Second does it.
func (im *agentImporting) updateAgents(ctx context.Context, known *places, rows []*agentRow, ids map[string]int64) error {
	if len(rows) == 0 {
		return nil
	}
	st, err := im.storedAgents(ctx, known, rows, ids)
	if err != nil {
		return err
	}
	for _, r := range rows {
		changed, err := im.updateAgent(ctx, st, st.rows[ids[r.code]], r)
		refused, fault := im.RefuseErr(r.i, err)
		if fault != nil {
			return fault
		}
		if refused {
			continue
		}
		id := ids[r.code]
		if r.upline.Sent && st.waits(id) && !known.promised[id] {
			known.promised[id], changed = true, true
		}
		dated, err := im.changeFrom(known, st, r, id)
		if err != nil {
			return err
		}
		if changed || dated {
			im.Done(r.i, bulk.Updated)
		}
	}
	dated := im.dated
	im.dated = nil
	return record.FirstOf(st.statuses.Write(ctx, im.Writing), st.levels.Write(ctx, im.Writing), im.TouchNoted(ctx, dated))
}

// changeFrom applies what a row says from its day on. Its upline Second applies: that one may
// come later in the file.
func (im *agentImporting) changeFrom(known *places, st *storedAgents, r *agentRow, id int64) (changed bool, err error) {
	day := st.changesOn(r, id)
	if day == nil {
		return false, nil
	}
	var fields []string
	if status, ok := st.statuses.At(id, *day); r.status.Value != nil && (!ok || status != *r.status.Value) {
		_, err = st.statuses.Apply(im.Writing, id, history.Period[string]{From: *day, Value: *r.status.Value})
		fields = append(fields, st.statuses.Field)
	}
	if level, ok := st.levels.At(id, *day); err == nil && r.level.Value != nil && (!ok || level != *r.level.Value) {
		_, err = st.levels.Apply(im.Writing, id, history.Period[int]{From: *day, Value: *r.level.Value})
		fields = append(fields, st.levels.Field)
	}
	if err != nil {
		return false, err
	}
	for _, field := range fields {
		im.NoteAgentAgain(r.code, id, day, field)
	}
	if len(fields) > 0 {
		im.dated = append(im.dated, id)
	}
	return im.moves(known, st, r, id, *day) || len(fields) > 0, nil
}

// moves reports whether a row gives an agent who has a place another upline than the rows
// before it.
func (im *agentImporting) moves(known *places, st *storedAgents, r *agentRow, id int64, day date.Date) bool {
	if !r.upline.Sent || st.waits(id) {
		return false
	}
	said := r.upline.OrZero()
	before, isMoved := known.moved[id]
	known.moved[id] = said
	if isMoved {
		return before != said
	}
	has, ok := st.uplines.At(id, day)
	return !ok || has != uplineOf(r.upline.Value, st.named)
}

func (im *agentImporting) updateAgent(ctx context.Context, st *storedAgents, row *storedAgent, r *agentRow) (changed bool, err error) {
	var c record.Check
	c.Add(r.unread...)
	c.Add(problem.From(im.s.checkAgentUpdate(&r.update, im.Today))...)
	addresses, phones := checkContactUpdate(&c, r.contact)
	u := contactWriting{w: im.Writing, agentID: row.id, addresses: addresses, phones: phones}
	checkStands(&c, st, r, row.id, im.Writing)
	u.refused = c
	fields, err := u.mergeWith(ctx, st.addresses[row.id], st.phones[row.id])
	if err != nil {
		return false, err
	}
	// Nothing is refused from here on.
	u.w = im.Alone()
	if changed, err = im.s.writeAgentUpdate(ctx, u.w, row, r.update); err != nil {
		return false, err
	}
	if len(fields) > 0 {
		if err := record.FirstOf(u.write(ctx), u.w.TouchAgent(ctx, row.id, fields...)); err != nil {
			return false, err
		}
		changed = true
	}
	if changed {
		im.Keep(u.w)
	}
	return changed, nil
}

// elsewhere refuses what a row says of a history that it may not change.
func elsewhere(field ...string) *problem.Error {
	return problem.Clash(problem.DuplicateKey, "The agent is there, and this is not so today: say from which day on it is (changesFrom), or import the periods of this history", field...)
}

// checkStands refuses a row if its agent's pay status, upline or level is another today
// than the row says, or if the agent would wait for an upline that will not come.
func checkStands(c *record.Check, st *storedAgents, r *agentRow, id int64, w *record.Writing) {
	from := st.changesOn(r, id)
	day := w.Today
	if from != nil {
		day = *from
	}
	refuse := func(unknown *problem.Error, isUsable bool, field ...string) {
		switch {
		case from == nil:
			c.Add(elsewhere(field...))
		case !isUsable:
			c.Add(unknown)
		}
	}
	if v := r.status.Value; v != nil {
		if status, ok := st.statuses.At(id, day); !ok || status != *v {
			refuse(record.PayStatusTable.Unknown("status"), st.usableStatuses[*v], "status")
		}
	}
	if r.upline.Sent {
		checkStandsBelow(c, st, r, id, day)
	}
	if v := r.level.Value; v != nil {
		if level, ok := st.levels.At(id, day); !ok || level != *v {
			field := []string{"teams", record.DefaultTeam, "level"}
			refuse(record.LevelTable(0).Unknown(field...), st.usableLevels[*v], field...)
		}
	}
}

func checkStandsBelow(c *record.Check, st *storedAgents, r *agentRow, id int64, day date.Date) {
	upline := r.upline.Value
	field := []string{"teams", record.DefaultTeam, "directUpline"}
	if st.waits(id) {
		if upline != nil && r.outside && st.named[*upline] == 0 {
			c.Add(unknownUpline(field...))
		}
		return
	}
	said := uplineOf(upline, st.named)
	has, ok := st.uplines.At(id, day)
	switch {
	case ok && has == said:
	case r.from == nil:
		c.Add(elsewhere(field...))
	case said.deletedCode != "" && r.outside:
		c.Add(unknownUpline(field...))
	}
}
