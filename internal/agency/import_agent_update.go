package agency

import (
	"context"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/agent"
	"github.com/uplinehq/upline/internal/bulk"
	"github.com/uplinehq/upline/internal/problem"
)

// storedAgents is what rows of agents that are there are compared with.
type storedAgents struct {
	rows      map[string]*db.Agent
	addresses map[int64]map[AddressKind]*Address
	phones    map[int64]map[PhoneKind]*Phone
	statuses  *histories[string]
	uplines   *histories[uplineRef]
	levels    *histories[int]
	// named are the agents that rows name as uplines.
	named map[string]int64
}

func (im *importing) storedAgents(ctx context.Context, team int64, rows []*agentRow, ids map[string]int64) (*storedAgents, error) {
	agentIDs, named := make([]int64, len(rows)), []string{}
	for i, r := range rows {
		agentIDs[i] = ids[r.code]
		if r.upline.Value != nil {
			named = append(named, *r.upline.Value)
		}
	}
	found, err := im.Agent.Query().Where(agent.IDIn(agentIDs...)).All(ctx)
	if err != nil {
		return nil, err
	}
	st := &storedAgents{rows: make(map[string]*db.Agent, len(found)), statuses: payStatusHistories(), uplines: uplineHistories(team), levels: levelHistories(team)}
	for _, row := range found {
		st.rows[row.Code] = row
	}
	for _, read := range []func() error{
		func() (err error) { st.addresses, err = readAddresses(ctx, im, im.tenantID, agentIDs); return err },
		func() (err error) { st.phones, err = readPhones(ctx, im, im.tenantID, agentIDs); return err },
		func() (err error) { st.named, err = im.idsByCode(ctx, named); return err },
		func() error { return st.statuses.load(ctx, im.writing, agentIDs) },
		func() error { return st.uplines.load(ctx, im.writing, agentIDs) },
		func() error { return st.levels.load(ctx, im.writing, agentIDs) },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return st, nil
}

// updateAgents compares rows with their agents, and changes those that differ as
// UpdateAgent and UpdateContact do.
func (im *importing) updateAgents(ctx context.Context, team int64, rows []*agentRow, ids map[string]int64) error {
	if len(rows) == 0 {
		return nil
	}
	st, err := im.storedAgents(ctx, team, rows, ids)
	if err != nil {
		return err
	}
	for _, r := range rows {
		changed, err := im.updateAgent(ctx, st, r)
		if refused, fault := im.refuseErr(r.i, err); fault != nil {
			return fault
		} else if !refused && changed {
			im.done(r.i, bulk.Updated)
		}
	}
	return nil
}

func (im *importing) updateAgent(ctx context.Context, st *storedAgents, r *agentRow) (changed bool, err error) {
	row := st.rows[r.code]
	c := check{problems: r.unread}
	c.problems = append(c.problems, problem.From(im.s.checkAgentUpdate(&r.update))...)
	addresses, phones := c.contactUpdate(r.contact)
	u := contactWriting{w: im.writing, agentID: row.ID, addresses: addresses, phones: phones}
	c.stands(st, r, row.ID, im.writing)
	u.refused = c
	fields, err := u.mergeWith(ctx, st.addresses[row.ID], st.phones[row.ID])
	if err != nil {
		return false, err
	}
	// Nothing is refused from here on.
	u.w = im.alone()
	if changed, err = im.s.writeAgentUpdate(ctx, u.w, row, r.update); err != nil {
		return false, err
	}
	if len(fields) > 0 {
		if err := firstOf(u.write(ctx), u.w.touchAgent(ctx, row.ID, fields...)); err != nil {
			return false, err
		}
		changed = true
	}
	if changed {
		im.own = append(im.own, u.w)
	}
	return changed, nil
}

func elsewhere(field ...string) *problem.Error {
	return problem.Clash(problem.DuplicateKey, "The agent is there, and this is not so today: import the periods of this history to change it", field...)
}

// stands refuses a row whose agent stands elsewhere today than the row says. An
// agent without any upline period is one that waits for its place.
func (c *check) stands(st *storedAgents, r *agentRow, id int64, w *writing) {
	differs := func(field ...string) { c.problems.Add(elsewhere(field...)) }
	if v := r.status.Value; v != nil {
		if status, ok := st.statuses.at(id, w.today); !ok || status != *v {
			differs("status")
		}
	}
	if r.upline.Sent && len(st.uplines.stored[id]) > 0 {
		var said uplineRef
		if v := r.upline.Value; v != nil {
			if said.id = st.named[*v]; said.id == 0 {
				said.deletedCode = *v
			}
		}
		if upline, ok := st.uplines.at(id, w.today); !ok || upline != said {
			differs("teams", DefaultTeam, "directUpline")
		}
	}
	if v := r.level.Value; v != nil {
		if level, ok := st.levels.at(id, w.today); !ok || level != *v {
			differs("teams", DefaultTeam, "level")
		}
	}
}
