package agency

import (
	"context"
	"database/sql"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
)

// levels are the levels of agents in a team. "The level must be one of the team's
// configured agent levels" (Teams, 3).
var levels = &record.DatedValue[int]{
	Dated: record.DatedColumn[int](history.Levels, record.LevelField), Input: "level", Refers: record.LevelTable, Text: record.NumberText,
}

// ApplyLevel applies an agent level to a range of days.
func (p *placing) ApplyLevel(ctx context.Context, team string, in record.PeriodInput[int], dryRun bool) (record.Change, error) {
	return levels.ApplyPeriod(ctx, p.writer, team, in, dryRun)
}

// ImportLevels returns the import of level periods by agent and first day, as ApplyLevel
// applies them.
func (p *placing) ImportLevels() *imports.Periods[int] {
	return imports.NewPeriods(p.writer, levels, bulk.Required(levels.Input, "one of the configured agent levels").In(bulk.AgentLevels), (*imports.Row).MustNumber)
}

// uplineRef is the value of an upline period: an agent, nobody (the agent is a root), or
// an agent that has been deleted since.
type uplineRef struct {
	id          int64 // 0: nobody
	deletedCode string
}

// uplines are the direct uplines of agents in a team.
var uplines = &record.Dated[uplineRef]{
	Relation: history.Uplines, Field: record.DirectUplineField,
	Values: func(v uplineRef) []any {
		args := []any{nil, nil}
		if v.id != 0 {
			args[0] = v.id
		}
		if v.deletedCode != "" {
			args[1] = v.deletedCode
		}
		return args
	},
	Dest: func(v *uplineRef) []any { return []any{zeroForNull[int64]{&v.id}, zeroForNull[string]{&v.deletedCode}} },
}

// zeroForNull scans NULL as the zero value.
type zeroForNull[T any] struct{ to *T }

// Scan implements sql.Scanner.
func (z zeroForNull[T]) Scan(src any) error {
	var v sql.Null[T]
	if err := v.Scan(src); err != nil {
		return err
	}
	*z.to = v.V
	return nil
}

// uplineCodes returns the function that shows the uplines of plans, by their codes.
func uplineCodes(ctx context.Context, w *record.Writing, plans ...history.Plan[uplineRef]) (func(uplineRef) *string, error) {
	text, err := askUplineCodes(ctx, w, plans...)
	return text, record.FirstOf(err, w.Flush(ctx))
}

// askUplineCodes is uplineCodes, but the function knows the codes only after Flush.
func askUplineCodes(ctx context.Context, w *record.Writing, plans ...history.Plan[uplineRef]) (func(uplineRef) *string, error) {
	var ids []int64
	for _, plan := range plans {
		for _, p := range append(append([]history.Period[uplineRef]{}, plan.Before...), plan.After...) {
			if p.Value.id != 0 {
				ids = append(ids, p.Value.id)
			}
		}
	}
	codes := map[int64]string{}
	err := w.AskAll(ctx, intoCodes(codes), codesSQL+w.In("id", "$2")+store.ByID, w.Tenant.ID, w.List(ids))
	return func(v uplineRef) *string {
		switch {
		case v.id != 0:
			code := codes[v.id]
			return &code
		case v.deletedCode != "":
			return &v.deletedCode
		}
		return nil
	}, err
}

func agentCodes(ctx context.Context, q store.Querier, tenantID int64, ids []int64) (map[int64]string, error) {
	codes := make(map[int64]string, len(ids))
	if len(ids) == 0 {
		return codes, nil
	}
	read := intoCodes(codes)
	_, err := store.Collect(ctx, q, func(r store.Scanner) (struct{}, error) { return struct{}{}, read(r) },
		codesSQL+q.In("id", "$2")+store.ByID, tenantID, q.List(ids))
	return codes, err
}

const codesSQL = "SELECT id, code FROM agency_agent WHERE tenant_id = $1 AND "

// intoCodes reads the rows of codesSQL.
func intoCodes(codes map[int64]string) func(store.Scanner) error {
	return func(r store.Scanner) error {
		var (
			id   int64
			code string
		)
		err := r.Scan(&id, &code)
		codes[id] = code
		return err
	}
}
