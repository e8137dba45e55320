package agency

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

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
