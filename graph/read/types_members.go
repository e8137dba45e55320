package read

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// members are the flattened pairs of agents, upwards or downwards.
func (t *teams) members(up bool, filter func(r *plan.Run) hierarchy.MemberFilter) plan.Field {
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		team := teamOfField(f)
		pair := &plan.Type{Names: []string{"HierarchyRelation"}, Fields: map[string]plan.Field{
			"team": teamName(team), "depth": plan.Int("r.level"), "isDirect": isDirect,
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
					return view.MemberList(r.Ctx, t.Store, filter(r), up)
				}
			}}
		return members.Field(c, at, f)
	}
}

func isDirect(_ *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
	level := at.Column("r.level", rowset.Int)
	return func(b []byte, r *plan.Run, row int) []byte { return plan.AppendBool(b, level.Int(r, row) == 1) }
}

// isFlattened reports whether hierarchies are read from the flattened rows.
func (t *teams) isFlattened(r *plan.Run) bool {
	return hierarchy.View{AsOf: r.At, Today: t.Today(r.Ctx)}.Flattened()
}

// uplineMembers are the pairs that the argument filter of Query.uplineMembers asks for.
func uplineMembers(r *plan.Run) hierarchy.MemberFilter {
	f, _ := r.Args["filter"].(*model.UplineMemberFilter)
	if f == nil {
		return hierarchy.MemberFilter{}
	}
	return hierarchy.MemberFilter{AgentCode: convert.Value(f.AgentCode), OtherCode: convert.Value(f.UplineAgentCode),
		Range: hierarchy.Range{Level: convert.Value(f.Depth), Min: convert.Value(f.MinDepth), Max: convert.Value(f.MaxDepth)}}
}

// downlineMembers are the pairs that the argument filter of Query.downlineMembers asks for.
func downlineMembers(r *plan.Run) hierarchy.MemberFilter {
	f, _ := r.Args["filter"].(*model.DownlineMemberFilter)
	if f == nil {
		return hierarchy.MemberFilter{}
	}
	return hierarchy.MemberFilter{AgentCode: convert.Value(f.AgentCode), OtherCode: convert.Value(f.DownlineAgentCode),
		Range: hierarchy.Range{Level: convert.Value(f.Depth), Min: convert.Value(f.MinDepth), Max: convert.Value(f.MaxDepth)}}
}
