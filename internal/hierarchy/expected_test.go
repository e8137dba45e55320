package hierarchy_test

import (
	"slices"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
)

// uplineOn returns the upline that the model gives an agent on a day; held is
// false when no period covers it.
func (w *world) uplineOn(agent int64, day date.Date) (upline int64, held bool) {
	p, held := history.At(w.periods[agent], day)
	return p.Value, held
}

// chainOn walks up, naively.
func (w *world) chainOn(agent int64, day date.Date) (chain []int64) {
	for {
		upline, _ := w.uplineOn(agent, day)
		if upline == 0 {
			return chain
		}
		chain = append(chain, upline)
		agent = upline
	}
}

type nodeRow struct {
	Agent, Upline           int64
	Depth, Direct, Downline int
}

// expected recomputes the flattened rows of a day from the model.
func (w *world) expected(day date.Date) (relations []relation, nodes []nodeRow) {
	present, direct, downline := map[int64]bool{}, map[int64]int{}, map[int64]int{}
	for _, a := range w.agents {
		upline, held := w.uplineOn(a, day)
		if held {
			present[a] = true
		}
		if upline != 0 {
			present[upline] = true
			direct[upline]++
		}
		for i, above := range w.chainOn(a, day) {
			relations = append(relations, relation{AncestorID: above, DescendantID: a, Level: i + 1})
			downline[above]++
		}
	}
	for _, a := range w.agents {
		if present[a] {
			upline, _ := w.uplineOn(a, day)
			nodes = append(nodes, nodeRow{a, upline, len(w.chainOn(a, day)), direct[a], downline[a]})
		}
	}
	slices.SortFunc(relations, compareRelations)
	return relations, nodes
}

func compareRelations(a, b relation) int {
	return slices.Compare([]int64{a.AncestorID, int64(a.Level), a.DescendantID}, []int64{b.AncestorID, int64(b.Level), b.DescendantID})
}

// flattened reads the flattened rows.
func (w *world) flattened(t failer) (relations []relation, nodes []nodeRow) {
	t.Helper()
	relations, err := store.Collect(w.ctx, w.store, func(row store.Scanner) (r relation, err error) {
		err = row.Scan(&r.AncestorID, &r.DescendantID, &r.Level)
		return r, err
	}, "SELECT ancestor_id, descendant_id, level FROM hierarchy_closure WHERE tenant_id = $1 AND team_id = $2 ORDER BY ancestor_id, level, descendant_id", w.tenant, w.team)
	must(t, err)
	nodes, err = store.Collect(w.ctx, w.store, func(row store.Scanner) (n nodeRow, err error) {
		err = row.Scan(&n.Agent, &n.Upline, &n.Depth, &n.Direct, &n.Downline)
		return n, err
	}, "SELECT agent_id, coalesce(upline_agent_id, 0), depth, direct_count, downline_count FROM hierarchy_node WHERE tenant_id = $1 AND team_id = $2 ORDER BY agent_id", w.tenant, w.team)
	must(t, err)
	return relations, nodes
}

// check compares the flattened rows with the model.
func (w *world) check(t failer) {
	t.Helper()
	relations, nodes := w.flattened(t)
	wantRelations, wantNodes := w.expected(w.today())
	if !slices.Equal(relations, wantRelations) {
		t.Errorf("relations %v, want %v", relations, wantRelations)
	}
	if !slices.Equal(nodes, wantNodes) {
		t.Errorf("nodes %v, want %v", nodes, wantNodes)
	}
	b := w.build(t)
	if b.IsStale || b.Status != hierarchy.Completed || *b.AgentCount != len(wantNodes) || *b.RelationCount != len(wantRelations) {
		t.Errorf("build %+v with %d agents, %d relations", b, len(wantNodes), len(wantRelations))
	}
}
