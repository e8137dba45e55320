package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
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
		if id := ids[r.code]; r.upline.Sent && st.waits(id) && !known.promised[id] {
			known.promised[id], changed = true, true
		}
		if changed {
			im.Done(r.i, bulk.Updated)
		}
	}
	return nil
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

func elsewhere(field ...string) *problem.Error {
	return problem.Clash(problem.DuplicateKey, "The agent is there, and this is not so today: import the periods of this history to change it", field...)
}

// checkStands refuses a row if its agent's pay status, upline or level is another today
// than the row says, or if the agent would wait for an upline that will not come.
func checkStands(c *record.Check, st *storedAgents, r *agentRow, id int64, w *record.Writing) {
	if v := r.status.Value; v != nil {
		if status, ok := st.statuses.At(id, w.Today); !ok || status != *v {
			c.Add(elsewhere("status"))
		}
	}
	if r.upline.Sent {
		checkStandsBelow(c, st, r, id, w.Today)
	}
	if v := r.level.Value; v != nil {
		if level, ok := st.levels.At(id, w.Today); !ok || level != *v {
			c.Add(elsewhere("teams", record.DefaultTeam, "level"))
		}
	}
}

func checkStandsBelow(c *record.Check, st *storedAgents, r *agentRow, id int64, today date.Date) {
	upline := r.upline.Value
	field := []string{"teams", record.DefaultTeam, "directUpline"}
	if st.waits(id) {
		if upline != nil && r.outside && st.named[*upline] == 0 {
			c.Add(unknownUpline(field...))
		}
		return
	}
	var said uplineRef
	if upline != nil {
		if said.id = st.named[*upline]; said.id == 0 {
			said.deletedCode = *upline
		}
	}
	if has, ok := st.uplines.At(id, today); !ok || has != said {
		c.Add(elsewhere(field...))
	}
}
