package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/problem"
)

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
