package planned

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/graph/resolve"
	"github.com/uplinehq/upline/internal/agency/record"

	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
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
	from, through, superseded := at.Column("p.effective_from", store.DayCell), at.Column("p.effective_through", store.DayCell), at.Column("p.superseded_at", store.InstantCell)
	return func(b []byte, r *plan.Run, row int) []byte {
		holds := superseded.IsNull(r, row) || r.At.Known.At() != nil
		return plan.AppendBool(b, holds && from.Day(r, row) <= r.At.Day && (through.IsNull(r, row) || r.At.Day <= through.Day(r, row)))
	}
}

// here is the agent of a row, from the table of agents that its list has joined as a.
func (t *types) here(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	return t.agent.Object(c, at, f.SelectionSet)
}

// periodList is a connection of the periods of all agents, or of one.
type periodList[F any] struct {
	typeName string
	// owner is the column with the id of the owner; empty for the periods of all agents.
	owner string
	// filter reads the argument filter.
	filter func(*F) record.PeriodFilter
	list   func(r *plan.Run, f record.PeriodFilter, orders []listing.Order) (plan.List, error)
}

// connection is the field for such a history.
func (h periodList[F]) connection(c *plan.Compiler, at *plan.Place, f *ast.Field, fields map[string]plan.Field) plan.Write {
	periods := &plan.Connection{Name: h.typeName, Node: period(h.typeName, fields), Owner: h.owner,
		List: func(f *ast.Field) func(*plan.Run, page.Owners) (plan.List, error) {
			return func(r *plan.Run, _ page.Owners) (plan.List, error) {
				if h.owner != "" {
					return h.list(r, record.PeriodFilter{Known: r.At.Known}, record.ForOneOwner())
				}
				filter, order, err := filtered[F, model.PeriodOrder](r, f)
				if err != nil {
					return nil, err
				}
				return h.list(r, h.filter(filter), resolve.Orders(order))
			}
		}}
	return periods.Field(c, at, f)
}

// filtered reads the arguments filter and orderBy.
func filtered[F, O any](r *plan.Run, f *ast.Field) (filter *F, order []*O, err error) {
	if filter, err = input[F](r, f, "filter"); err != nil {
		return nil, nil, err
	}
	order, err = inputs[O](r, f, "orderBy")
	return filter, order, err
}

func (t *types) payStatusPeriods(owner string) plan.Field {
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		return periodList[model.PayStatusPeriodFilter]{model.PayStatusPeriodNode, owner, convert.PayStatusPeriodFilter, func(r *plan.Run, f record.PeriodFilter, o []listing.Order) (plan.List, error) {
			return t.r.Agency.PayStatusPeriods(r.Ctx, f, o)
		}}.connection(c, at, f, map[string]plan.Field{"agent": t.here, "status": payStatuses.field("p.status")})
	}
}

func (t *types) uplinePeriods(owner string) plan.Field {
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		team := t.teamID(f)
		return periodList[model.UplinePeriodFilter]{model.UplinePeriodNode, owner, convert.UplinePeriodFilter, func(r *plan.Run, f record.PeriodFilter, o []listing.Order) (plan.List, error) {
			id, err := team(r)
			if err != nil {
				return nil, err
			}
			return t.r.Agency.UplinePeriods(r.Ctx, id, f, o)
		}}.connection(c, at, f, map[string]plan.Field{"team": teamName(f), "agent": t.here, "upline": t.agentOf("p.upline_agent_id"),
			"uplineAgentCode": plan.Text("coalesce(u.code, p.deleted_upline_code)")})
	}
}

func (t *types) levelPeriods(owner string) plan.Field {
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		team := t.teamID(f)
		return periodList[model.LevelPeriodFilter]{model.LevelPeriodNode, owner, convert.LevelPeriodFilter, func(r *plan.Run, f record.PeriodFilter, o []listing.Order) (plan.List, error) {
			id, err := team(r)
			if err != nil {
				return nil, err
			}
			return t.r.Agency.LevelPeriods(r.Ctx, id, f, o)
		}}.connection(c, at, f, map[string]plan.Field{"team": teamName(f), "agent": t.here, "level": levelOf(f)})
	}
}

func (t *types) w9Periods(owner string) plan.Field {
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		w9 := func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
			return w9Of(at).Optional(c, t.w9(at), f, "v.id", store.IntCell)
		}
		return periodList[model.W9PeriodFilter]{model.W9PeriodNode, owner, convert.W9PeriodFilter, func(r *plan.Run, f record.PeriodFilter, o []listing.Order) (plan.List, error) {
			return t.r.Agency.W9Periods(r.Ctx, f, o)
		}}.connection(c, at, f, map[string]plan.Field{"agent": t.here, "w9": w9})
	}
}
