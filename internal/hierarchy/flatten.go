package hierarchy

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
)

// maxIncremental is the number of changed agents above which reading the whole team is
// quicker than reading the surroundings of each.
const maxIncremental = 5000

// flattening brings the flattened rows of a team up to date with its periods of a day.
type flattening struct {
	tenantID, teamID int64
	today            date.Date
}

// flatten writes the rows for today and returns how many agents and relations there are.
// Its cost grows with what is below the changed agents; if that is more than a quarter of
// the team, it reads the whole team.
func (f flattening) flatten(ctx context.Context, tx *store.Tx, b *Build) (agents, relations int, err error) {
	if b.BuiltFor == nil {
		return f.flattenAll(ctx, tx, 0, 0)
	}
	changed, err := f.askChangedAgents(ctx, tx)
	if err := errors.Join(err, tx.Flush(ctx)); err != nil {
		return 0, 0, err
	}
	if !isFew(*changed, max(1000, *b.AgentCount/4)) {
		return f.flattenAll(ctx, tx, *b.AgentCount, *b.RelationCount)
	}
	return f.flattenChanged(ctx, tx, *changed, *b.AgentCount, *b.RelationCount)
}

// isFew reports whether changed agents and everyone below them are at most a number.
func isFew(changed []changedAgent, most int) bool {
	moved := 0
	for _, c := range changed {
		moved += 1 + c.downline
	}
	everyone := len(changed) > 0 && changed[0].id == everyAgent
	return !everyone && len(changed) <= maxIncremental && moved <= most
}

// apply writes the change of a part of the hierarchy.
func (f flattening) apply(ctx context.Context, tx *store.Tx, c *change) error {
	if len(c.removed) > 0 {
		if err := tx.Later(ctx, deleteRelations(tx.Each("r", "$3")), f.tenantID, f.teamID, tx.List(c.removed)); err != nil {
			return err
		}
	}
	if len(c.gone) > 0 {
		if err := tx.Later(ctx, "DELETE FROM hierarchy_node WHERE tenant_id = $1 AND team_id = $2 AND "+tx.In("agent_id", "$3"),
			f.tenantID, f.teamID, tx.List(c.gone)); err != nil {
			return err
		}
	}
	if err := f.insertRelations(ctx, tx, c); err != nil {
		return err
	}
	return tx.PutNumbers(ctx, "hierarchy_node", nodeColumns, nodeKeys, f.nodeRows(c))
}

// deleteRelations is the statement that deletes relations, each of which is looked up in
// an index. As conditions on two lists, PostgreSQL's plan for any list would compare
// each relation of the agents with each one to delete.
func deleteRelations(removed string) string {
	n := strconv.Itoa(levels)
	return "DELETE FROM hierarchy_closure WHERE tenant_id = $1 AND team_id = $2 AND (descendant_id, level) IN (SELECT r.value / " + n + ", r.value % " + n + " FROM " + removed + ")"
}

// rewrite writes the whole hierarchy anew.
func (f flattening) rewrite(ctx context.Context, tx *store.Tx, c *change) error {
	for _, table := range []string{"hierarchy_closure", "hierarchy_node"} {
		if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE tenant_id = $1 AND team_id = $2", f.tenantID, f.teamID); err != nil {
			return err
		}
	}
	if err := f.insertRelations(ctx, tx, c); err != nil {
		return err
	}
	return tx.InsertNumbers(ctx, "hierarchy_node", nodeColumns, f.nodeRows(c))
}

var (
	closureColumns = []string{"tenant_id", "team_id", "ancestor_id", "descendant_id", "level"}
	nodeColumns    = []string{"tenant_id", "team_id", "agent_id", "upline_agent_id", "depth", "direct_count", "downline_count"}
)

// nodeKeys is how many of nodeColumns name the node.
const nodeKeys = 3

// insertRelations adds the rows in the order of their primary keys, which fills the
// indexes from left to right; nodeRows yields them so.
func (f flattening) insertRelations(ctx context.Context, tx *store.Tx, c *change) error {
	slices.SortFunc(c.added, func(a, b relation) int {
		return cmp.Or(cmp.Compare(a.ancestor, b.ancestor), cmp.Compare(a.level, b.level), cmp.Compare(a.descendant, b.descendant))
	})
	return tx.InsertNumbers(ctx, "hierarchy_closure", closureColumns, rows(c.added, func(row []any, rel relation) []any {
		return append(row, f.tenantID, f.teamID, rel.ancestor, rel.descendant, rel.level)
	}))
}

func (f flattening) nodeRows(c *change) iter.Seq[[]any] {
	return rows(slices.Sorted(maps.Keys(c.nodes)), func(row []any, id int64) []any {
		n := c.nodes[id]
		var upline any
		if n.upline != 0 {
			upline = n.upline
		}
		return append(row, f.tenantID, f.teamID, id, upline, n.depth, n.direct, n.downline)
	})
}

// scanNode reads a row of hierarchy_node.
func scanNode(into map[int64]node) func(store.Scanner) (struct{}, error) {
	return func(row store.Scanner) (struct{}, error) {
		var (
			id int64
			n  node
		)
		err := row.Scan(&id, &n.upline, &n.depth, &n.direct, &n.downline)
		into[id] = n
		return struct{}{}, err
	}
}

const selectNode = "SELECT n.agent_id, coalesce(n.upline_agent_id, 0), n.depth, n.direct_count, n.downline_count FROM hierarchy_node n WHERE n.tenant_id = $1 AND n.team_id = $2"
