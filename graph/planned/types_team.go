package planned

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/graph/resolve"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store/grid"
)

// inTeam joins the period of the day from a table of periods, in the team that a field
// names.
func (t *types) inTeam(at *plan.Place, f *ast.Field, table string) *plan.Place {
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

func (t *types) upline(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	write := t.agentOf("p.upline_agent_id")(c, t.inTeam(at, f, "agency_upline_period"), f)
	if write == nil {
		return nil
	}
	return t.inKnownTeam(f, write)
}

// membership is an agent's upline and level in a team. It exists even without any period,
// but not in an unknown team.
func (t *types) membership(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	team := f
	from := func(table string, field plan.Field) plan.Field {
		return field.At(func(at *plan.Place) *plan.Place { return t.inTeam(at, team, table) })
	}
	const uplines, levels = "agency_upline_period", "agency_level_period"
	membership := &plan.Type{Names: []string{"TeamMembership"}, Fields: map[string]plan.Field{
		"team":             teamName(f),
		"directUpline":     from(uplines, t.agentOf("p.upline_agent_id")),
		"directUplineCode": from(uplines, uplineCode),
		"uplineSince":      from(uplines, plan.Day("p.effective_from")),
		"level":            from(levels, levelOf(f)),
		"levelSince":       from(levels, plan.Day("p.effective_from")),
	}}
	write := membership.Object(c, at, f.SelectionSet)
	if write == nil {
		return nil
	}
	return t.inKnownTeam(f, write)
}

// inKnownTeam refuses a field that names an unknown team.
func (t *types) inKnownTeam(f *ast.Field, write plan.Write) plan.Write {
	return func(b []byte, r *plan.Run, row int) []byte {
		if _, err := t.r.Agency.Team(r.Ctx, teamArgument(f, r)); err != nil {
			return r.Fail(b, err)
		}
		return write(b, r, row)
	}
}

// uplineCode is the code of an upline, even of one that has been deleted.
func uplineCode(_ *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
	code, deleted := agentAt(at, "p.upline_agent_id").Column("a.code", grid.Text), at.Column("p.deleted_upline_code", grid.Text)
	return func(b []byte, r *plan.Run, row int) []byte {
		for _, c := range []plan.Column{code, deleted} {
			if !c.IsNull(r, row) {
				return plan.String(b, c.Text(r, row))
			}
		}
		return plan.Null(b)
	}
}

// teamArgument is the name of the team that a field names.
func teamArgument(f *ast.Field, r *plan.Run) string {
	return arguments(f.ArgumentMap(r.Variables)).team()
}

// teamName writes the name of the team that a field names.
func teamName(f *ast.Field) plan.Field {
	return plan.Computed(func(b []byte, r *plan.Run, _ int) []byte { return plan.String(b, teamArgument(f, r)) })
}

// viewOf is the hierarchy of a team.
func (t *types) viewOf(r *plan.Run, team string) (hierarchy.View, error) {
	return t.r.View(r.Ctx, team, r.At)
}

// team is the field Query.team.
func (t *types) team(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	named := func(r *plan.Run) string { name, _ := r.Args["name"].(string); return name }
	levels := func(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write { return t.levels(c, f, named) }
	team := &plan.Type{Names: []string{model.TeamNode, "Node"}, Fields: viewed(map[string]plan.Field{
		"id": globalID(model.TeamNode, "t.id"), "name": plan.Text("t.name"), "levels": levels, "roots": t.onTop(named),
		"memberCount": t.memberCount(named),
		"hierarchy":   func(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write { return t.build(c, f, named, nil) },
	})}
	return c.One(f, team, plan.Source{Rows: func(s *plan.Builder, columns string) {
		s.Write("SELECT " + columns + " FROM agency_team t WHERE t.tenant_id = " + s.Tenant() + " AND t.name = " + s.Arg(named(s.Run)))
	}})
}

// onTop is the connection of the roots of a team's hierarchy.
func (t *types) onTop(team func(*plan.Run) string) plan.Field {
	roots := &plan.Connection{Name: "Agent", Node: t.agent, NodeAt: func(row *plan.Place) *plan.Place { return agentAt(row, "r.agent_id") }, Needs: needsAgent,
		List: func(*ast.Field) func(*plan.Run, page.Owners) (plan.List, error) {
			return func(r *plan.Run, _ page.Owners) (plan.List, error) {
				view, err := t.viewOf(r, team(r))
				if err != nil {
					return nil, err
				}
				return view.RootList(r.Ctx, t.r.Store)
			}
		}}
	return roots.Field
}

func needsAgent(node *plan.Place) []plan.Column {
	return []plan.Column{node.Column("a.id", grid.Int)}
}

func (t *types) memberCount(team func(*plan.Run) string) plan.Field {
	return func(c *plan.Compiler, _ *plan.Place, _ *ast.Field) plan.Write {
		count := c.Root(plan.Source{Objects: func(r *plan.Run, _ []int64) (plan.Objects, error) {
			view, err := t.viewOf(r, team(r))
			if err != nil {
				return nil, err
			}
			n, err := view.MemberCount(r.Ctx, t.r.Store)
			return plan.Objects{0: {n}}, err
		}})
		return plan.Unless(func(b []byte, r *plan.Run, _ int) []byte { return plan.AppendInt(b, plan.Object[int](count, r, 0)) }, count)
	}
}

// build is the state of the flattened hierarchy of a team.
func (t *types) build(c *plan.Compiler, f *ast.Field, team func(*plan.Run) string, when func(*plan.Run) bool) plan.Write {
	return c.One(f, hierarchyBuild, plan.Source{When: when, Objects: func(r *plan.Run, _ []int64) (plan.Objects, error) {
		b, err := t.r.Build(r.Ctx, team(r))
		if b == nil || err != nil {
			return nil, err
		}
		return plan.Objects{0: {b.Build}}, nil
	}})
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
func (t *types) hierarchyBuildOf(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	return t.build(c, f, func(r *plan.Run) string { return teamArgument(f, r) }, nil)
}

// members are the flattened pairs of agents, upwards or downwards.
func (t *types) members(up bool, filter func(r *plan.Run) hierarchy.MemberFilter) plan.Field {
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		team := func(r *plan.Run) string { return teamArgument(f, r) }
		level := plan.Int("r.level")
		pair := &plan.Type{Names: []string{"HierarchyRelation"}, Fields: map[string]plan.Field{
			"team": teamName(f), "level": level, "isDirect": isDirect,
			"ancestor": t.agentOf("r.ancestor_id"), "descendant": t.agentOf("r.descendant_id"),
		}}
		members := &plan.Connection{Name: "HierarchyRelation", Node: pair,
			Needs: func(row *plan.Place) []plan.Column {
				return append(needsAgent(agentAt(row, "r.ancestor_id")), needsAgent(agentAt(row, "r.descendant_id"))...)
			},
			More: map[string]plan.Field{"build": func(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
				return t.build(c, f, team, t.isFlattened)
			}},
			List: func(*ast.Field) func(*plan.Run, page.Owners) (plan.List, error) {
				return func(r *plan.Run, _ page.Owners) (plan.List, error) {
					view, err := t.viewOf(r, team(r))
					if err != nil {
						return nil, err
					}
					return view.MemberList(r.Ctx, t.r.Store, filter(r), up)
				}
			}}
		return members.Field(c, at, f)
	}
}

func isDirect(_ *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
	level := at.Column("r.level", grid.Int)
	return func(b []byte, r *plan.Run, row int) []byte { return plan.AppendBool(b, level.Int(r, row) == 1) }
}

// isFlattened reports whether hierarchies are read from the flattened rows.
func (t *types) isFlattened(r *plan.Run) bool {
	return hierarchy.View{AsOf: r.At, Today: t.r.Today(r.Ctx)}.Flattened()
}

func uplineMemberFilterOf(r *plan.Run) hierarchy.MemberFilter {
	in, _ := r.Args["filter"].(*model.UplineMemberFilter)
	return resolve.UplineMemberFilter(in)
}

func downlineMemberFilterOf(r *plan.Run) hierarchy.MemberFilter {
	in, _ := r.Args["filter"].(*model.DownlineMemberFilter)
	return resolve.DownlineMemberFilter(in)
}
