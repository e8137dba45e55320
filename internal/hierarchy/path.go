package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Uplines returns all agents above each of several agents, the farthest first; it leaves
// out roots. It reads the same rows as Downlines: the flattened hierarchy if that answers
// for the view.
func (v View) Uplines(ctx context.Context, q store.Querier, agents []int64) (map[int64][]Relation, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	var s store.SQL
	from := v.above(&s, tenantID, among(q, &s, page.Owners{IDs: agents}), Range{})
	s.Write("SELECT r.ancestor_id, r.descendant_id, r.level" + from + " ORDER BY r.level DESC")
	found, err := store.Collect(ctx, q, scanRelation, s.Text(), s.Args()...)
	byAgent := make(map[int64][]Relation, len(agents))
	for _, r := range found {
		byAgent[r.DescendantID] = append(byAgent[r.DescendantID], r)
	}
	return byAgent, err
}

// WriteUplines writes a SELECT of columns of the relations r – ancestor_id, descendant_id
// and level – between agents and those above them. A placeholder holds the ids of the
// agents.
func (v View) WriteUplines(s *store.SQL, q store.Querier, tenantID int64, agents, columns string) {
	from := v.above(s, tenantID, func(column string) string { return q.In(column, agents) }, Range{})
	s.Write("SELECT " + columns + from)
}
