package read

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// inTeam joins the period of the day from a table of periods, in the team that a field
// names.
func (t *teams) inTeam(at *plan.Place, f *ast.Field, table string) *plan.Place {
	team := t.teamOf(f)
	return at.Join(table+" "+teamKey(f), table, ownedBy(at, func(s *plan.Builder, alias string) string {
		return alias + ".team_id = " + team(s) + " AND " + covering(s, alias)
	}))
}

// teamKey identifies the team that a field names.
func teamKey(f *ast.Field) string {
	if a := f.Arguments.ForName("team"); a != nil {
		return a.Value.String()
	}
	return ""
}

func (t *teams) upline(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	write := t.agentOf("p.upline_agent_id")(c, t.inTeam(at, f, "agency_upline_period"), f)
	if write == nil {
		return nil
	}
	return t.inKnownTeam(f, write)
}

// membership is an agent's upline and level in a team. It exists even without any period,
// but not in an unknown team.
func (t *teams) membership(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	team := f
	from := func(table string, field plan.Field) plan.Field {
		return field.At(func(at *plan.Place) *plan.Place { return t.inTeam(at, team, table) })
	}
	const uplines, levels = "agency_upline_period", "agency_level_period"
	membership := &plan.Type{Names: []string{"TeamMembership"}, Fields: map[string]plan.Field{
		"team":             teamName(teamOfField(f)),
		"directUpline":     from(uplines, t.agentOf("p.upline_agent_id")),
		"directUplineCode": from(uplines, uplineCode),
		"uplineSince":      from(uplines, plan.Day("p.effective_from")),
		"level":            from(levels, levelOf(teamOfField(f))),
		"levelSince":       from(levels, plan.Day("p.effective_from")),
	}}
	write := membership.Object(c, at, f.SelectionSet)
	if write == nil {
		return nil
	}
	return t.inKnownTeam(f, write)
}

// inKnownTeam refuses a field that names an unknown team.
func (t *teams) inKnownTeam(f *ast.Field, write plan.Write) plan.Write {
	return func(b []byte, r *plan.Run, row int) []byte {
		if _, err := t.Agency.Team(r.Ctx, teamArgument(f, r)); err != nil {
			return r.Fail(b, err)
		}
		return write(b, r, row)
	}
}

// uplineCode is the code of an upline, even of one that has been deleted.
func uplineCode(_ *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
	code, deleted := agentAt(at, "p.upline_agent_id").Column("a.code", rowset.Text), at.Column("p.deleted_upline_code", rowset.Text)
	return func(b []byte, r *plan.Run, row int) []byte {
		for _, c := range []plan.Column{code, deleted} {
			if !c.IsNull(r, row) {
				return plan.String(b, c.Text(r, row))
			}
		}
		return plan.Null(b)
	}
}

// theTeam is the only team.
func theTeam(*plan.Run) string { return record.DefaultTeam }

// teamName writes the name of a team.
func teamName(team named) plan.Field {
	return plan.Computed(func(b []byte, r *plan.Run, _ int) []byte { return plan.String(b, team(r)) })
}

// teamByName is the field Query.team.
func (t *teams) teamByName(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	name := func(r *plan.Run) string { name, _ := r.Args["name"].(string); return name }
	return c.One(f, t.team(name), plan.Source{Rows: records("agency_team", func(s *plan.Builder) string { return "t.name = " + s.Arg(name(s.Run)) })})
}

func (t *teams) team(team named) *plan.Type {
	levels := func(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write { return t.levels(c, f, team) }
	return &plan.Type{Names: []string{model.TeamNode, "Node"}, Fields: viewed(map[string]plan.Field{
		"id": globalID(model.TeamNode, "t.id"), "name": plan.Text("t.name"), "levels": levels, "roots": t.onTop(team),
		"memberCount": t.memberCount(team),
		"hierarchy":   func(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write { return t.build(c, f, team, nil) },
	})}
}

// onTop is the connection of the roots of a team's hierarchy.
func (t *teams) onTop(team named) plan.Field {
	roots := &plan.Connection{Name: "Agent", Node: t.agent, NodeAt: func(row *plan.Place) *plan.Place { return agentAt(row, "r.agent_id") }, Needs: needsAgent,
		List: func(*ast.Field) func(*plan.Run, page.Owners) (plan.List, error) {
			return func(r *plan.Run, _ page.Owners) (plan.List, error) {
				view, err := t.viewOf(r, team(r))
				if err != nil {
					return nil, err
				}
				list, err := view.RootList(r.Ctx, t.Store)
				if err != nil {
					return nil, err
				}
				list.Row = "r.agent_id AS agent_id"
				list.Dimensions, err = t.Agency.AgentDimensions(r.Ctx, r.At)
				return list, err
			}
		}}
	return roots.Field
}

func needsAgent(node *plan.Place) []plan.Column {
	return []plan.Column{node.Column("a.id", rowset.Int)}
}

func (t *teams) memberCount(team named) plan.Field {
	return func(c *plan.Compiler, _ *plan.Place, _ *ast.Field) plan.Write {
		count := c.Root(plan.Source{Objects: func(r *plan.Run, _ []int64) (plan.Objects, error) {
			view, err := t.viewOf(r, team(r))
			if err != nil {
				return nil, err
			}
			n, err := view.MemberCount(r.Ctx, t.Store)
			return plan.Objects{0: {n}}, err
		}})
		return plan.Unless(func(b []byte, r *plan.Run, _ int) []byte { return plan.AppendInt(b, plan.Object[int](count, r, 0)) }, count)
	}
}

// build is the state of the flattened hierarchy of a team.
func (t *teams) build(c *plan.Compiler, f *ast.Field, team named, when func(*plan.Run) bool) plan.Write {
	return c.One(f, hierarchyBuild, plan.Source{When: when, Objects: func(r *plan.Run, _ []int64) (plan.Objects, error) {
		id, err := t.Agency.Team(r.Ctx, team(r))
		if err != nil {
			return nil, err
		}
		found, err := t.builds(r, []int64{id})
		return plan.Objects{0: found[id]}, err
	}})
}

// builds are the states of the hierarchies of teams, by their ids.
func (t *teams) builds(r *plan.Run, teams []int64) (plan.Objects, error) {
	found := plan.Objects{}
	for _, id := range teams {
		b, err := t.Hierarchy.Build(r.Ctx, t.Store, id)
		if err != nil {
			return nil, err
		}
		if b != nil {
			found[id] = []any{b}
		}
	}
	return found, nil
}

var hierarchyBuild = &plan.Type{Names: []string{model.HierarchyBuildNode, "Node"}, Fields: map[string]plan.Field{
	"id": ofBuild(func(b []byte, h *hierarchy.Build) []byte {
		return plan.String(b, model.RowID(model.HierarchyBuildNode, h.TeamID))
	}),
	"team": ofBuild(func(b []byte, h *hierarchy.Build) []byte { return plan.String(b, h.Team) }),
	"status": plan.Of(func(b []byte, r *plan.Run, h *hierarchy.Build) []byte {
		return plan.AppendEnum(b, r, hierarchy.Statuses, h.Status)
	}),
	"version":  ofBuild(func(b []byte, h *hierarchy.Build) []byte { return plan.AppendInt(b, h.Version) }),
	"queuedAt": ofBuild(func(b []byte, h *hierarchy.Build) []byte { return plan.AppendInstant(b, h.QueuedAt) }),
	"startedAt": ofBuild(func(b []byte, h *hierarchy.Build) []byte {
		return plan.AppendOptional(b, h.StartedAt, plan.AppendInstant)
	}),
	"finishedAt": ofBuild(func(b []byte, h *hierarchy.Build) []byte {
		return plan.AppendOptional(b, h.FinishedAt, plan.AppendInstant)
	}),
	"agentCount": ofBuild(func(b []byte, h *hierarchy.Build) []byte { return plan.AppendOptional(b, h.AgentCount, plan.AppendInt) }),
	"relationCount": ofBuild(func(b []byte, h *hierarchy.Build) []byte {
		return plan.AppendOptional(b, h.RelationCount, plan.AppendInt)
	}),
	"isStale": ofBuild(func(b []byte, h *hierarchy.Build) []byte { return plan.AppendBool(b, h.IsStale) }),
}}

func ofBuild(write func(b []byte, h *hierarchy.Build) []byte) plan.Field {
	return plan.Of(func(b []byte, _ *plan.Run, h *hierarchy.Build) []byte { return write(b, h) })
}

// hierarchyBuildOf is the field Query.hierarchyBuild.
func (t *teams) hierarchyBuildOf(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	return t.build(c, f, teamOfField(f), nil)
}
