package read

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/platform/store/grid"
)

// period is the type of the rows p of a history.
func period(typeName string, fields map[string]plan.Field) *plan.Type {
	fields["id"], fields["databaseId"] = globalID(typeName, "p.id"), plan.Int("p.id")
	fields["effectiveFrom"], fields["effectiveThrough"], fields["isCurrent"] = plan.Day("p.effective_from"), plan.Day("p.effective_through"), isCurrent
	fields["recordedAt"], fields["recordedBy"] = plan.Instant("p.recorded_at"), plan.Text("p.recorded_by")
	return &plan.Type{Names: []string{typeName, "Node", "EffectivePeriod"}, Fields: fields}
}

// isCurrent reports whether a period covers the day that is read. A superseded period is
// current only in a view of what was known before.
func isCurrent(_ *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
	from, through, superseded := at.Column("p.effective_from", grid.Day), at.Column("p.effective_through", grid.Day), at.Column("p.superseded_at", grid.Instant)
	return func(b []byte, r *plan.Run, row int) []byte {
		holds := superseded.IsNull(r, row) || r.At.Known.At() != nil
		return plan.AppendBool(b, holds && from.Day(r, row) <= r.At.Day && (through.IsNull(r, row) || r.At.Day <= through.Day(r, row)))
	}
}

// here is the agent of a row, from the table of agents that its list has joined as a.
func (t *types) here(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	return t.agent.Object(c, at, f.SelectionSet)
}

// periods is a connection of the periods of all owners, or of one: the owner's id is in a
// column that is empty for all.
func periods(t *types, typeName, owner string, list lists.List, period func(team named) *plan.Type) plan.Field {
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		periods := &plan.Connection{Name: typeName, Node: period(teamOfField(f)), Owner: owner, List: listed(t, list, owner != "")}
		return periods.Field(c, at, f)
	}
}

func (t *types) payStatusPeriods(owner string) plan.Field {
	return periods(t, model.PayStatusPeriodNode, owner, lists.PayStatusPeriods, t.payStatusPeriod)
}

func (t *types) payStatusPeriod(named) *plan.Type {
	return period(model.PayStatusPeriodNode, map[string]plan.Field{"agent": t.here, "status": payStatuses.field("p.status")})
}

func (t *types) uplinePeriods(owner string) plan.Field {
	return periods(t, model.UplinePeriodNode, owner, lists.UplinePeriods, t.uplinePeriod)
}

func (t *types) uplinePeriod(team named) *plan.Type {
	return period(model.UplinePeriodNode, map[string]plan.Field{"team": teamName(team), "agent": t.here, "upline": t.agentOf("p.upline_agent_id"),
		"uplineAgentCode": plan.Text("coalesce(u.code, p.deleted_upline_code)")})
}

func (t *types) levelPeriods(owner string) plan.Field {
	return periods(t, model.LevelPeriodNode, owner, lists.LevelPeriods, t.levelPeriod)
}

func (t *types) levelPeriod(team named) *plan.Type {
	return period(model.LevelPeriodNode, map[string]plan.Field{"team": teamName(team), "agent": t.here, "level": levelOf(team)})
}

func (t *types) w9Periods(owner string) plan.Field {
	return periods(t, model.W9PeriodNode, owner, lists.W9Periods, t.w9Period)
}

func (t *types) w9Period(named) *plan.Type {
	w9 := func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		return w9Of(at).Optional(c, t.w9(at), f, "v.id", grid.Int)
	}
	return period(model.W9PeriodNode, map[string]plan.Field{"agent": t.here, "w9": w9})
}
