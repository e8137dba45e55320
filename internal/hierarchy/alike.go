package hierarchy

import (
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
)

// alike are today's flattened rows as the source of a downline of another day. They say
// the same if nobody in it was placed below somebody else since, or will be before that
// day (decision 6).
type alike struct{ dated }

// holds writes the row that is there if both downlines are the same, and what it reads.
func (a alike) holds(s *store.SQL) {
	a.own(s)
	s.Write(", ")
	a.changed(s)
	s.Write(", ")
	a.isSame(s)
}

// ownID is the id of the agent above.
const ownID = "(SELECT o.id FROM own o)"

// own writes the row of the agent. As many changes as too_many says are not looked at: a
// quarter of those in its downline of today, so that looking costs little beside a walk.
func (a alike) own(s *store.SQL) {
	root, _ := a.root.Single(s)
	s.Write("own AS MATERIALIZED (SELECT o.id, coalesce((SELECT n.downline_count" + a.nodes(s, a.tenantID) + " AND n.agent_id = o.id), 0) / 4 + 1 AS too_many" +
		" FROM (SELECT CAST(" + root + " AS bigint) AS id) o)")
}

// changed writes the uplines of periods that begin or end between today and the day. All
// that cover only one of the two days are among them.
func (a alike) changed(s *store.SQL) {
	from, to := s.Arg(min(a.Day, a.Today)), s.Arg(max(a.Day, a.Today))
	uplines := func(between string) string {
		return "SELECT * FROM (SELECT p.upline_agent_id FROM agency_upline_period p WHERE " + a.ofTeam(s, "p") + history.LiveInOrder +
			" AND " + between + " LIMIT (SELECT o.too_many FROM own o)) c"
	}
	s.Write("changed AS MATERIALIZED (" + uplines("p.effective_from > "+from+" AND p.effective_from <= "+to) +
		" UNION ALL " + uplines(history.LastDay+" >= "+from+" AND "+history.LastDay+" < "+to) + ")")
}

// isSame writes the row that is there if both downlines are the same. A step of the
// hierarchy is an agent below an upline. If no step from the agent, or from somebody in
// its downline of today, is taken on one of the two days only, the downlines are the
// same, step by step.
func (a alike) isSame(s *store.SQL) {
	// 1 = (…) is asked of each change; for EXISTS PostgreSQL reads the whole downline first.
	s.Write("source AS MATERIALIZED (SELECT 1 FROM hierarchy_build b WHERE " + a.ofTeam(s, "b") + " AND b.changed_version = b.built_version AND b.built_for = " + s.Arg(a.Today) +
		" AND (SELECT count(*) FROM changed) < (SELECT o.too_many FROM own o)" +
		" AND NOT EXISTS (SELECT 1 FROM changed c WHERE c.upline_agent_id = " + ownID + " OR 1 = (SELECT 1 FROM hierarchy_closure h WHERE " + a.ofTeam(s, "h") +
		" AND h.ancestor_id = " + ownID + " AND h.descendant_id = c.upline_agent_id LIMIT 1)))")
}

// relations writes the flattened rows.
func (a alike) relations(s *store.SQL) {
	s.Write("SELECT r.ancestor_id, r.descendant_id, r.level" + a.fromClosure(s, a.tenantID, a.levels) + " AND r.ancestor_id = " + ownID)
}

// count writes the number of them, as it is kept.
func (a alike) count(s *store.SQL) {
	s.Write("SELECT n.downline_count" + a.nodes(s, a.tenantID) + " AND n.agent_id = " + ownID)
}
