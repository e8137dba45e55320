package read

import (
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
	"github.com/uplinehq/upline/internal/problem"
)

// downlineTree is the subtree of an agent as a flat list.
func (t *teams) downlineTree(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	owner := at.Column("a.id", rowset.Int)
	read := &treeField{t: t, field: f}
	trees := c.Below(at, plan.Asked(f), owner, plan.Source{Objects: func(r *plan.Run, owners []int64) (plan.Objects, error) {
		found, err := read.trees(r, owners)
		objects := make(plan.Objects, len(found))
		for id, tree := range found {
			objects[id] = []any{tree}
		}
		return objects, err
	}})
	nodes := read.nodes(c, at, owner)
	team := teamOfField(f)
	tree := &plan.Type{Names: []string{"HierarchyTree"}, Fields: map[string]plan.Field{
		"root": func(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
			return t.agent.Object(c, at, f.SelectionSet)
		},
		"asOf":      asOf,
		"nodes":     nodes.field,
		"nodeCount": nodes.count,
		"truncated": func(*plan.Compiler, *plan.Place, *ast.Field) plan.Write {
			return func(b []byte, r *plan.Run, row int) []byte {
				one := r.Of(trees, owner.Int(r, row))[0]
				return plan.AppendBool(b, plan.Object[hierarchy.Tree](trees, r, int(one)).Truncated)
			}
		},
		"build": func(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
			return t.build(c, f, team, t.isFlattened)
		},
	}}
	return plan.Unless(tree.Object(c, at, f.SelectionSet), trees)
}

// treeField is one field downlineTree; a fragment can have it at several places of a
// plan.
type treeField struct {
	t     *teams
	field *ast.Field
}

// trees reads the trees of agents, once, however many sets of a plan need them.
func (d *treeField) trees(r *plan.Run, owners []int64) (map[int64]hierarchy.Tree, error) {
	type trees struct {
		byOwner map[int64]hierarchy.Tree
		err     error
	}
	read := plan.Once(r, d, func() (read trees) {
		args := arguments(d.field.ArgumentMap(r.Variables))
		depth, most := *args.int("maxDepth"), *args.int("maxNodes")
		if read.err = checkTree(depth, most); read.err != nil {
			return read
		}
		view, err := d.t.viewOf(r, args.team())
		if err != nil {
			return trees{err: err}
		}
		read.byOwner, read.err = view.Trees(r.Ctx, r.Store, owners, depth, most)
		return read
	})
	return read.byOwner, read.err
}

// nodes are the nodes of the trees. Nodes of agents that were deleted after the rows were
// flattened are left out.
func (d *treeField) nodes(c *plan.Compiler, at *plan.Place, owner plan.Column) nodesOfTrees {
	rows := c.Below(at, plan.Asked(d.field)+" nodes", owner, plan.Source{Objects: func(r *plan.Run, owners []int64) (plan.Objects, error) {
		found, err := d.trees(r, owners)
		nodes := make(map[int64][]hierarchy.TreeNode, len(found))
		for id, tree := range found {
			nodes[id] = tree.Nodes
		}
		return plan.Each(nodes), err
	}})
	id := plan.Number(rows, func(n hierarchy.TreeNode) int64 { return n.AgentID })
	agents := c.Below(rows, "agent", id, plan.Source{Rows: agentsByID})
	return nodesOfTrees{t: d.t, rows: rows, agents: agents, owner: owner, id: id, code: agents.Column("a.code", rowset.Text)}
}

type nodesOfTrees struct {
	t            *teams
	rows, agents *plan.Place
	owner, id    plan.Column
	code         plan.Column
}

// agentsByID writes a SELECT of agents by their ids.
func agentsByID(s *plan.Builder, columns string) {
	recordsByID("agency_agent a", "a")(s, columns)
}

// of returns the nodes of an owner's tree whose agents exist.
func (n nodesOfTrees) of(r *plan.Run, row int) []int32 {
	var there []int32
	for _, node := range r.Of(n.rows, n.owner.Int(r, row)) {
		if len(r.Of(n.agents, n.id.Int(r, int(node)))) > 0 {
			there = append(there, node)
		}
	}
	return there
}

func (n nodesOfTrees) count(*plan.Compiler, *plan.Place, *ast.Field) plan.Write {
	return func(b []byte, r *plan.Run, row int) []byte { return plan.AppendInt(b, len(n.of(r, row))) }
}

func (n nodesOfTrees) field(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
	number := func(of func(hierarchy.TreeNode) int) plan.Field {
		return plan.Of(func(b []byte, _ *plan.Run, node hierarchy.TreeNode) []byte { return plan.AppendInt(b, of(node)) })
	}
	node := &plan.Type{Names: []string{"HierarchyNode"}, Fields: map[string]plan.Field{
		"agent": func(c *plan.Compiler, _ *plan.Place, f *ast.Field) plan.Write {
			return c.Single(n.agents, f, n.id, n.t.agent)
		},
		"agentCode":       plan.Of(func(b []byte, r *plan.Run, node hierarchy.TreeNode) []byte { return n.codeOf(b, r, &node.AgentID) }),
		"parentAgentCode": plan.Of(func(b []byte, r *plan.Run, node hierarchy.TreeNode) []byte { return n.codeOf(b, r, node.ParentID) }),
		"depth":           number(func(node hierarchy.TreeNode) int { return node.Depth }),
		"directCount":     number(func(node hierarchy.TreeNode) int { return node.DirectCount }),
		"downlineCount":   number(func(node hierarchy.TreeNode) int { return node.DownlineCount }),
		"hasMore":         plan.Of(func(b []byte, _ *plan.Run, node hierarchy.TreeNode) []byte { return plan.AppendBool(b, node.HasMore) }),
	}}
	object := node.Object(c, n.rows, f.SelectionSet)
	if object == nil {
		return nil
	}
	return func(b []byte, r *plan.Run, row int) []byte { return plan.WriteList(b, r, n.of(r, row), object) }
}

// codeOf writes the code of an agent of the trees, if there is one.
func (n nodesOfTrees) codeOf(b []byte, r *plan.Run, id *int64) []byte {
	if id != nil {
		for _, row := range r.Of(n.agents, *id) {
			return plan.String(b, n.code.Text(r, int(row)))
		}
	}
	return plan.Null(b)
}

// The bounds of downlineTree.
const (
	maxTreeDepth = 12
	maxTreeNodes = 2000
)

// checkTree refuses a tree that is too deep, or too large.
func checkTree(depth, nodes int) error {
	var refused problem.List
	if depth < 1 || depth > maxTreeDepth {
		refused.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be from 1 to %d", maxTreeDepth), "maxDepth").With("max", maxTreeDepth))
	}
	if nodes < 1 || nodes > maxTreeNodes {
		refused.Add(problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be from 1 to %d", maxTreeNodes), "maxNodes").With("max", maxTreeNodes))
	}
	return refused.Err()
}
