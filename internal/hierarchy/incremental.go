package hierarchy

import (
	"context"
	"maps"
	"slices"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
)

// changedAgent is an agent of hierarchy_change: its place as flattened, and its place by
// the periods of today.
type changedAgent struct {
	id       int64
	upline   int64 // as flattened, 0 for none
	downline int   // as flattened
	held     bool  // whether a period of today covers the flattened upline
	place    place
}

// askChangedAgents asks for the agents whose changes are not flattened, everyAgent first, at
// most one more than maxIncremental. It is one statement and so reads changes and periods of
// the same instant: a period that it sees has its change among the rows. So it never
// mixes old and new uplines into a forest that existed at no instant and might have a
// cycle.
// They are there after Flush.
func (f flattening) askChangedAgents(ctx context.Context, tx *store.Tx) (all *[]changedAgent, err error) {
	all = new([]changedAgent)
	return all, tx.AskAll(ctx, func(row store.Scanner) error {
		var c changedAgent
		err := row.Scan(&c.id, &c.upline, &c.downline, &c.held, &c.place.held, &c.place.upline)
		*all = append(*all, c)
		return err
	}, `
		SELECT c.agent_id, coalesce(n.upline_agent_id, 0), coalesce(n.downline_count, 0), u.id IS NOT NULL, p.id IS NOT NULL, coalesce(p.upline_agent_id, 0)
		FROM (
			SELECT DISTINCT h.agent_id FROM hierarchy_change h
			WHERE h.tenant_id = $1 AND h.team_id = $2 AND h.version > (SELECT b.built_version FROM hierarchy_build b WHERE b.tenant_id = $1 AND b.team_id = $2)
			ORDER BY h.agent_id LIMIT $3
		) c
		LEFT JOIN hierarchy_node n ON n.tenant_id = $1 AND n.team_id = $2 AND n.agent_id = c.agent_id
		LEFT JOIN agency_upline_period p ON p.tenant_id = $1 AND p.team_id = $2 AND p.agent_id = c.agent_id AND `+history.Covers("p", "$4")+`
		LEFT JOIN agency_upline_period u ON u.tenant_id = $1 AND u.team_id = $2 AND u.agent_id = n.upline_agent_id AND `+history.Covers("u", "$4")+`
		ORDER BY c.agent_id`, f.tenantID, f.teamID, maxIncremental+1, f.today)
}

// flattenChanged detaches the agents whose upline has changed, with everyone below them,
// and attaches them below their new uplines.
func (f flattening) flattenChanged(ctx context.Context, tx *store.Tx, changed []changedAgent, agents, relations int) (int, int, error) {
	places := make(map[int64]place, len(changed))
	held := make(map[int64]bool, len(changed))
	around := make(map[int64]bool, 2*len(changed))
	for _, c := range changed {
		places[c.id] = c.place
		held[c.upline] = c.held
		around[c.id], around[c.place.upline] = true, true
	}
	delete(around, 0)
	built, err := f.nodesAround(ctx, tx, slices.Collect(maps.Keys(places)), slices.Collect(maps.Keys(around)))
	if err != nil {
		return 0, 0, err
	}
	c := diff(built, places, held)
	return agents + c.agents(built), relations + len(c.added) - len(c.removed), f.apply(ctx, tx, c)
}

// nodesAround reads the nodes of agents, of everyone above them, and of everyone below
// the changed ones.
func (f flattening) nodesAround(ctx context.Context, tx *store.Tx, changed, agents []int64) (map[int64]node, error) {
	built := make(map[int64]node, len(agents))
	_, err := store.Collect(ctx, tx, scanNode(built), selectNode+` AND n.agent_id IN (
			SELECT d.descendant_id FROM hierarchy_closure d WHERE d.tenant_id = $1 AND d.team_id = $2 AND `+tx.In("d.ancestor_id", "$3")+`
			UNION SELECT a.ancestor_id FROM hierarchy_closure a WHERE a.tenant_id = $1 AND a.team_id = $2 AND `+tx.In("a.descendant_id", "$4")+`
			UNION SELECT s.agent_id FROM hierarchy_node s WHERE s.tenant_id = $1 AND s.team_id = $2 AND `+tx.In("s.agent_id", "$4")+`)`,
		f.tenantID, f.teamID, tx.List(changed), tx.List(agents))
	return built, err
}
