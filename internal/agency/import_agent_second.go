package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// Second places the agents of rows that wait for a place: below an upline, or at the top. It
// moves an agent that has a place if its row says from which day on; otherwise it leaves it
// alone, even if it has been moved since Apply compared its row. It rejects a row that names another upline than the earlier row which
// gave its agent the place: Apply could not tell while the agent had none.
//
// It also rejects a row whose upline does not exist after all, or is below the agent.
// Unless the caller rolls back, the agent stays without a place; importing the corrected
// row completes it.
func (a *AgentImport) Second(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	ctx, im, err := a.start(ctx, tx, rows, initiator)
	if err != nil {
		return nil, err
	}
	team, err := lockHierarchy(ctx, im.Import)
	if err != nil {
		return nil, err
	}
	all := make([]uplineRow, len(rows))
	for i, row := range rows {
		r := imports.ReadRow(agentImportColumns, row)
		said := r.Field(record.DirectUplineField)
		all[i] = uplineRow{i: i, code: im.Code(i, r), silent: !said.Sent, again: row.Again, upline: said.Value, changes: r.Date(bulk.ChangesFrom).Value, field: []string{"teams", record.DefaultTeam, "directUpline"}}
	}
	waiting, moving, err := im.waiting(ctx, team, all)
	if err != nil || len(waiting)+len(moving) == 0 {
		return im.Results, err
	}
	if len(waiting) > 0 {
		err = applyUplines(ctx, im.Import, team, waiting, bulk.Updated)
	}
	for err == nil && len(moving) > 0 {
		im.Next()
		var batch []uplineRow
		batch, moving = bulk.FirstOfEach(moving, func(r uplineRow) string { return r.code })
		if batch, err = im.elsewhere(ctx, team, batch); err == nil && len(batch) > 0 {
			err = applyUplines(ctx, im.Import, team, batch, bulk.Updated)
		}
	}
	if err != nil {
		return nil, err
	}
	return im.Finish(ctx)
}

// elsewhere returns the rows whose agents have another upline on the day of the change.
func (im *agentImporting) elsewhere(ctx context.Context, team int64, rows []uplineRow) (moved []uplineRow, err error) {
	ids, named := make([]int64, len(rows)), []string{}
	for i, r := range rows {
		if ids[i] = r.agentID; r.upline != nil {
			named = append(named, *r.upline)
		}
	}
	stored, err := uplines.Read(ctx, im.Writing, team, ids...)
	if err != nil {
		return nil, err
	}
	known, err := record.AgentIDs(ctx, im, named)
	for _, r := range rows {
		if has, ok := stored.At(r.agentID, r.from); !ok || has != uplineOf(r.upline, known) {
			moved = append(moved, r)
		}
	}
	return moved, err
}

// uplineOf returns the upline with a code: an agent, nobody, or one that is deleted.
func uplineOf(code *string, known map[string]int64) (said uplineRef) {
	if code != nil {
		if said.id = known[*code]; said.id == 0 {
			said.deletedCode = *code
		}
	}
	return said
}

// standing is an agent and its place today.
type standing struct {
	id int64
	// from is the first day of its first periods.
	from   date.Date
	placed bool
	// upline is the code of the agent's upline, or of the one that a row of the same call
	// gives it.
	upline *string
}

// standings returns the agents of rows that say something about uplines, by code.
func (im *agentImporting) standings(ctx context.Context, team int64, rows []uplineRow) (map[string]*standing, error) {
	var codes []string
	for _, r := range rows {
		if !r.silent {
			codes = append(codes, r.code)
		}
	}
	agents := make(map[string]*standing, len(codes))
	if len(codes) == 0 {
		return agents, nil
	}
	_, err := store.Collect(ctx, im, func(row store.Scanner) (struct{}, error) {
		var (
			a    standing
			code string
		)
		err := row.Scan(&a.id, &code, &a.from, &a.placed, &a.upline)
		agents[code] = &a
		return struct{}{}, err
	}, standingsQuery(im.InTexts("a.code", "$2")), im.Tenant.ID, im.Texts(codes), team, im.Today)
	return agents, err
}

// standingsQuery asks for the standings of some agents. It asks for recorded_by, which is in
// no index: with EXISTS SQLite would read, for each agent, an index that has all it needs of
// the uplines of all.
func standingsQuery(some string) string {
	const period = ` FROM agency_upline_period p LEFT JOIN agency_agent u ON u.tenant_id = p.tenant_id AND u.id = p.upline_agent_id
		WHERE p.tenant_id = $1 AND p.team_id = $3 AND p.agent_id = a.id AND p.superseded_at IS NULL`
	return `SELECT a.id, a.code,
		(SELECT min(s.effective_from) FROM agency_pay_status_period s WHERE s.tenant_id = $1 AND s.agent_id = a.id AND s.superseded_at IS NULL), (SELECT p.recorded_by` + period + ` LIMIT 1) IS NOT NULL,
		(SELECT coalesce(u.code, p.deleted_upline_code)` + period + ` AND p.effective_from <= $4 AND (p.effective_through IS NULL OR p.effective_through >= $4))
		FROM agency_agent a WHERE a.tenant_id = $1 AND ` + some
}

// waiting returns the rows whose agents have no place and get one. The place begins with
// the agent's first pay status, as that of a registered agent does. If an earlier row was
// about the same agent, a row that names another upline is refused, unless it says from when
// on: moving are the rows of agents with a place that do.
func (im *agentImporting) waiting(ctx context.Context, team int64, rows []uplineRow) (waiting, moving []uplineRow, err error) {
	agents, err := im.standings(ctx, team, rows)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range rows {
		a := agents[r.code]
		switch {
		case a == nil || r.silent:
		case !a.placed:
			a.placed, a.upline = true, r.upline
			r.from = a.from
			waiting = append(waiting, r)
		case r.changes != nil:
			r.agentID, r.from = a.id, max(*r.changes, a.from)
			moving = append(moving, r)
		case r.again && !record.Same(a.upline, r.upline):
			im.Refuse(r.i, problem.List{elsewhere(r.field...)})
		}
	}
	return waiting, moving, nil
}
