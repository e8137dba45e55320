package hierarchy

import (
	"strconv"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Spans writes a common table expression, to follow WITH RECURSIVE: who was in an agent's
// downline on which days of a range; the agent itself counts on all of them. Its columns
// are agent_id, since, until and level, the distance from the agent. The spans of one
// agent share no day, since an agent has at most one upline on any day. So what happened
// to an agent on a day is counted once, for those who were above it on that day:
//
//	WITH RECURSIVE spans AS … SELECT sum(f.amount) FROM facts f JOIN spans s
//	ON s.agent_id = f.agent_id AND f.day >= s.since AND f.day <= s.until
//
// It reads the periods, and costs as much as there are agents in it. CROSS JOIN makes
// SQLite keep to this order; otherwise it would read all periods for each agent.
func Spans(s *store.SQL, tenantID, teamID, root int64, from, through date.Date) {
	tenant, team, first, last := s.Arg(tenantID), s.Arg(teamID), s.Arg(from), s.Arg(through)
	// The day of a row that does not exist gives the argument its type; PostgreSQL would
	// take it for a text here.
	day := func(placeholder string) string {
		return "coalesce((SELECT x.effective_from FROM agency_upline_period x WHERE x.tenant_id = " + tenant + " AND x.id = 0), " + placeholder + ")"
	}
	s.Write(`spans(agent_id, since, until, level) AS (
			SELECT a.id, ` + day(first) + `, ` + day(last) + `, 0 FROM agency_agent a WHERE a.tenant_id = ` + tenant + ` AND a.id = ` + s.Arg(root) + `
			UNION ALL
			SELECT p.agent_id, CASE WHEN p.effective_from > s.since THEN p.effective_from ELSE s.since END,
				CASE WHEN p.effective_through < s.until THEN p.effective_through ELSE s.until END, s.level + 1
			FROM spans s CROSS JOIN agency_upline_period p WHERE p.tenant_id = ` + tenant + ` AND p.team_id = ` + team + ` AND p.upline_agent_id = s.agent_id
				AND p.effective_from <= s.until AND (p.effective_through IS NULL OR p.effective_through >= s.since) AND p.superseded_at IS NULL AND s.level < ` + strconv.Itoa(maxLevel) + `
		)`)
}
