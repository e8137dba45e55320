package read

import (
	"math"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
)

// uplineChain is the list of all agents above an agent, the nearest first.
func (t *agents) uplineChain(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	link := &plan.Type{Names: []string{"UplineLink"}, Fields: map[string]plan.Field{
		"depth": plan.Int("r.level"), "since": plan.Day("r.since"), "agent": t.agentOf("r.ancestor_id"),
	}}
	return c.All(at, f, at.Column("a.id", rowset.Int), link, plan.Source{Rows: func(s *plan.Builder, columns string) {
		highest := math.MaxInt
		if given := arguments(f.ArgumentMap(s.Run.Variables)).int("maxDepth"); given != nil {
			highest = *given
		}
		view, err := t.viewOf(s.Run, teamArgument(f, s.Run))
		if err != nil {
			s.Fail(err)
			return
		}
		view.WriteChain(s.SQL, s.Run.Store, s.Run.TenantID, s.Owners, highest, "0 AS total, r.descendant_id AS owner, r.level AS place, "+columns)
	}})
}

// downline is the connection of all agents below an agent.
func (t *agents) downline(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	downline := &plan.Connection{Name: "Downline", Node: t.agent, Owner: "a.id",
		NodeAt: func(row *plan.Place) *plan.Place { return agentAt(row, "r.descendant_id") }, Needs: needsAgent,
		Edge: map[string]plan.Field{"depth": plan.Int("r.level"), "path": t.path(f)},
		List: func(f *ast.Field) func(*plan.Run, page.Owners) (plan.List, error) {
			return func(r *plan.Run, owners page.Owners) (plan.List, error) {
				args := arguments(f.ArgumentMap(r.Variables))
				view, err := t.viewOf(r, args.team())
				if err != nil {
					return nil, err
				}
				return view.DownlineList(r.Ctx, t.Store, owners, hierarchy.Range{Level: args.int("depth"), Min: args.int("minDepth"), Max: args.int("maxDepth")})
			}
		}}
	return downline.Field(c, at, f)
}

// path has the codes of the agents from the agent of the downline to the agent of a row.
// Agents that were deleted after the rows were flattened are left out.
func (t *agents) path(downline *ast.Field) plan.Field {
	return func(c *plan.Compiler, row *plan.Place, _ *ast.Field) plan.Write {
		id, distance := row.Column("r.descendant_id", rowset.Int), row.Column("r.level", rowset.Int)
		own := agentAt(row, "r.descendant_id").Column("a.code", rowset.Text)
		above := c.Below(row, "path "+teamKey(downline), id, plan.Source{Rows: func(s *plan.Builder, columns string) {
			view, err := t.viewOf(s.Run, teamArgument(downline, s.Run))
			if err != nil {
				s.Fail(err)
				return
			}
			view.WriteUplines(s.SQL, s.Run.Store, s.Run.TenantID, s.Owners,
				"0 AS total, r.descendant_id AS owner, row_number() OVER (PARTITION BY r.descendant_id ORDER BY r.level DESC) AS place, "+columns)
		}})
		level, code := above.Column("r.level", rowset.Int), agentAt(above, "r.ancestor_id").Column("a.code", rowset.Text)
		return func(b []byte, r *plan.Run, row int) []byte {
			b = append(b, '[')
			for _, up := range r.Of(above, id.Int(r, row)) {
				if level.Int(r, int(up)) <= distance.Int(r, row) && !code.IsNull(r, int(up)) {
					b = append(plan.String(b, code.Text(r, int(up))), ',')
				}
			}
			return append(plan.String(b, own.Text(r, row)), ']')
		}
	}
}
