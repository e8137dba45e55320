package read

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
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
	from, through, superseded := at.Column("p.effective_from", rowset.Day), at.Column("p.effective_through", rowset.Day), at.Column("p.superseded_at", rowset.Instant)
	return func(b []byte, r *plan.Run, row int) []byte {
		holds := superseded.IsNull(r, row) || r.At.Known.At() != nil
		return plan.AppendBool(b, holds && from.Day(r, row) <= r.At.Day && (through.IsNull(r, row) || r.At.Day <= through.Day(r, row)))
	}
}

// periods is a connection of the periods of all owners, or of one: the owner's id is in a
// column that is empty for all.
func periods(e *Engine, typeName, owner string, list lists.List, period func(team named) *plan.Type) plan.Field {
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		periods := &plan.Connection{Name: typeName, Node: period(teamOfField(f)), Owner: owner, List: listed(e, list, owner != "")}
		return periods.Field(c, at, f)
	}
}

// ofAgents are the fields of the periods of the relations of agents, beside the agent and
// the days.
func (t *types) ofAgents() map[*history.Relation]func(team named) map[string]plan.Field {
	return map[*history.Relation]func(team named) map[string]plan.Field{
		history.PayStatuses: func(named) map[string]plan.Field {
			return map[string]plan.Field{"status": payStatuses.field("p.status")}
		},
		history.Uplines: func(team named) map[string]plan.Field {
			return map[string]plan.Field{"team": teamName(team), "upline": t.agentOf("p.upline_agent_id"), "uplineAgentCode": uplineCode}
		},
		history.Levels: func(team named) map[string]plan.Field {
			return map[string]plan.Field{"team": teamName(team), "level": levelOf(team)}
		},
		history.W9s: func(named) map[string]plan.Field {
			return map[string]plan.Field{"w9": t.w9OfPeriod}
		},
	}
}

// periodOf is the type of the periods of a relation of agents.
func (t *types) periodOf(r *history.Relation, team named) *plan.Type {
	fields := t.ofAgents()[r](team)
	fields["agent"] = t.here
	return period(r.Type, fields)
}

// addPeriods adds to fields the periods of each relation of agents: of all agents, or of
// one, whose id is in a column.
func (t *types) addPeriods(fields map[string]plan.Field, owner string) map[string]plan.Field {
	for r := range t.ofAgents() {
		fields[r.Name] = periods(t.Engine, r.Type, owner, lists.Periods(r), func(team named) *plan.Type { return t.periodOf(r, team) })
	}
	return fields
}

func (t *types) w9OfPeriod(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	return w9Of(at).Optional(c, t.w9(at), f, "v.id", rowset.Int)
}
