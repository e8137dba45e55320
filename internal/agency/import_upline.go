package agency

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// uplineRow is an upline period that a row of a file gives to an agent.
type uplineRow struct {
	i       int
	code    string
	upline  *string
	silent  bool // it says nothing of an upline
	again   bool // an earlier row is about the same agent
	from    date.Date
	through *date.Date
	// changes is the day of what changes, if the row says one.
	changes *date.Date
	// field is the path of the upline in problems.
	field []string

	agentID int64
	value   uplineRef
}

func (r uplineRow) period() history.Period[uplineRef] {
	return history.Period[uplineRef]{From: r.from, Through: r.through, Value: r.value}
}

// applyUplines applies upline periods in their order, each as ApplyUpline does.
func applyUplines(ctx context.Context, im *imports.Import, team int64, rows []uplineRow, outcome bulk.Outcome) error {
	rows, err := resolveUplines(ctx, im, rows)
	if err != nil || len(rows) == 0 {
		return err
	}
	if _, err := im.Exec(ctx, "SAVEPOINT uplines"); err != nil {
		return err
	}
	changed, circular, err := applyTogether(ctx, im, team, rows)
	if err != nil {
		return err
	}
	if circular {
		// One after the other, the rows show which of them closes the circle.
		if _, err := im.Exec(ctx, "ROLLBACK TO SAVEPOINT uplines"); err != nil {
			return err
		}
		if changed, err = applyInTurn(ctx, im, team, rows); err != nil {
			return err
		}
	}
	if _, err := im.Exec(ctx, "RELEASE SAVEPOINT uplines"); err != nil {
		return err
	}
	ids := make([]int64, len(changed))
	for n, r := range changed {
		ids[n] = r.agentID
		im.NoteAgentAgain(r.code, r.agentID, r.from.Ptr(), record.DirectUplineField)
		im.Done(r.i, outcome)
	}
	return im.TouchNoted(ctx, ids)
}

// resolveUplines locks the agents, finds the uplines, and returns the rows for which both
// exist.
func resolveUplines(ctx context.Context, im *imports.Import, rows []uplineRow) (found []uplineRow, err error) {
	codes, named := make([]string, len(rows)), []string{}
	for n, r := range rows {
		codes[n] = r.code
		if r.upline != nil {
			named = append(named, *r.upline)
		}
	}
	agents, err := im.LockCodes(ctx, codes)
	if err != nil {
		return nil, err
	}
	uplines, err := record.AgentIDs(ctx, im, named)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		r.agentID = agents[r.code]
		if r.upline != nil {
			r.value.id = uplines[*r.upline]
		}
		switch {
		case r.agentID == 0:
			im.Refuse(r.i, problem.From(record.UnknownAgent("agentCode")))
		case r.upline != nil && r.value.id == 0:
			im.Refuse(r.i, problem.List{unknownUpline(r.field...)})
		default:
			found = append(found, r)
		}
	}
	return found, nil
}

// applyTogether applies all rows and only then looks for circles. An agent that would be
// its own upline is a circle too, but one that the database refuses to store.
func applyTogether(ctx context.Context, im *imports.Import, team int64, rows []uplineRow) (changed []uplineRow, circular bool, err error) {
	ids := make([]int64, len(rows))
	first := rows[0].from
	for n, r := range rows {
		if ids[n], first = r.agentID, min(first, r.from); r.value.id == r.agentID {
			return nil, true, nil
		}
	}
	h, err := uplines.Read(ctx, im.Writing, team, ids...)
	if err != nil {
		return nil, false, err
	}
	for _, r := range rows {
		plan, err := h.Apply(im.Writing, r.agentID, r.period())
		if err != nil {
			return nil, false, err
		}
		if plan.Changed() {
			changed = append(changed, r)
		}
	}
	if len(changed) == 0 {
		return nil, false, nil
	}
	if err := h.Write(ctx, im.Writing); err != nil {
		return nil, false, err
	}
	problems, err := hierarchy.CheckCycles(ctx, im.Tx, team, ids, first)
	return changed, len(problems) > 0, err
}

// applyInTurn applies one row after the other.
func applyInTurn(ctx context.Context, im *imports.Import, team int64, rows []uplineRow) (changed []uplineRow, err error) {
	for _, r := range rows {
		if r.value.id != 0 {
			err := hierarchy.CheckCycle(ctx, im.Tx, team, r.agentID, r.value.id, r.from, r.through)
			refused, fault := im.RefuseErr(r.i, record.Renamed(err, r.field))
			if fault != nil {
				return nil, fault
			}
			if refused {
				continue
			}
		}
		h, err := uplines.Read(ctx, im.Writing, team, r.agentID)
		if err != nil {
			return nil, err
		}
		plan, err := h.Apply(im.Writing, r.agentID, r.period())
		if err := record.FirstOf(err, h.Write(ctx, im.Writing)); err != nil {
			return nil, err
		}
		if plan.Changed() {
			changed = append(changed, r)
		}
	}
	return changed, nil
}

// UplineImport imports upline periods by agent and first day, as ApplyUpline does.
type UplineImport struct{ moves }

// ImportUplines returns the import of upline periods.
func (s *Service) ImportUplines() *UplineImport { return &UplineImport{moves{s}} }

var uplineImportColumns = imports.PeriodColumns(bulk.Optional("uplineAgentCode", "an existing agent; none for a root on these days").Of(bulk.Agent))

// Columns returns the columns that a file may have.
func (u *UplineImport) Columns() []bulk.Column { return uplineImportColumns.All }

// Apply applies upline periods.
func (u *UplineImport) Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	ctx, im, err := imports.Begin(ctx, u.s.writer, tx, rows, initiator)
	if err != nil {
		return nil, err
	}
	team, err := lockHierarchy(ctx, im)
	if err != nil {
		return nil, err
	}
	var read []uplineRow
	for i, row := range rows {
		r := imports.ReadRow(uplineImportColumns, row)
		one := uplineRow{i: i, field: []string{"uplineAgentCode"}}
		one.code, one.from, one.through = im.PeriodOf(i, r)
		one.upline = r.Optional(r.Text("uplineAgentCode"), record.MaxText, "uplineAgentCode")
		if !im.Refuse(i, r.List) {
			read = append(read, one)
		}
	}
	if len(read) > 0 {
		if err := applyUplines(ctx, im, team, read, bulk.Created); err != nil {
			return nil, err
		}
	}
	return im.Finish(ctx)
}

// moves is the part of an import that changes the uplines of the default team.
type moves struct{ s *Service }

// Wrote notes that the flattened hierarchy is out of date.
func (m moves) Wrote(ctx context.Context, tx *store.Tx) error {
	return m.tell(ctx, tx, hierarchy.ChangedSome)
}

// Finish asks for one rebuild of the flattened hierarchy after everything that an import
// wrote.
func (m moves) Finish(ctx context.Context, tx *store.Tx) error {
	return m.tell(ctx, tx, hierarchy.ChangedAll)
}

func (m moves) tell(ctx context.Context, tx *store.Tx, changed func(ctx context.Context, tx *store.Tx, team int64, now time.Time) error) error {
	team, err := record.TeamID(ctx, tx, record.DefaultTeam)
	if err != nil {
		return err
	}
	return changed(ctx, tx, team, m.s.editor.clock.Now())
}

// lockHierarchy takes the lock that comes before all others of an import that writes
// uplines (see hierarchy.Lock). It returns the id of the default team.
func lockHierarchy(ctx context.Context, im *imports.Import) (team int64, err error) {
	if team, err = record.TeamID(ctx, im, record.DefaultTeam); err != nil {
		return 0, err
	}
	return team, hierarchy.Lock(ctx, im.Tx, team)
}
