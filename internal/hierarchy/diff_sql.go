package hierarchy

import (
	"strings"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
)

// begin adds the arguments of a comparison to a statement. In texts of the statement,
// $tenant, $team, $root, $after, $to and $more stand for them; $covers-from(p) and $covers-to(p)
// stand for the condition that a period covers the day.
func (c Comparison) begin(s *store.SQL, tenantID int64) *strings.Replacer {
	from, to := s.Arg(c.From), s.Arg(c.To)
	pairs := []string{"$tenant", s.Arg(tenantID), "$team", s.Arg(c.TeamID), "$more", s.Arg(c.Most + 1), "$after", s.Arg(c.After)}
	if c.RootID != 0 {
		pairs = append(pairs, "$root", s.Arg(c.RootID))
	}
	for _, alias := range []string{"p", "b", "l"} {
		pairs = append(pairs, "$covers-from("+alias+")", history.Covers(alias, from), "$covers-to("+alias+")", history.Covers(alias, to))
	}
	return strings.NewReplacer(append(pairs, "$to", to)...)
}

// subtrees selects, for each day, the root, if it has a place, and the agents below it.
var subtrees = subtree("before_set", "$covers-from(p)") + subtree("after_set", "$covers-to(p)")

func subtree(name, covers string) string {
	return name + `(agent_id) AS (
		SELECT a.id FROM agency_agent a WHERE a.tenant_id = $tenant AND a.id = $root AND EXISTS (SELECT 1 FROM agency_upline_period p
			WHERE p.tenant_id = $tenant AND p.team_id = $team AND (p.agent_id = $root OR p.upline_agent_id = $root) AND ` + covers + `)
		UNION
		SELECT p.agent_id FROM ` + name + ` r CROSS JOIN agency_upline_period p
		WHERE p.tenant_id = $tenant AND p.team_id = $team AND p.upline_agent_id = r.agent_id AND ` + covers + `
	), `
}

// The agents that a comparison below a root looks at, and the condition that an agent c
// has a place in it on a day.
const (
	belowRoot = "SELECT r.agent_id FROM before_set r UNION SELECT r.agent_id FROM after_set r"
	inBefore  = "EXISTS (SELECT 1 FROM before_set r WHERE r.agent_id = c.agent_id)"
	inAfter   = "EXISTS (SELECT 1 FROM after_set r WHERE r.agent_id = c.agent_id)"
)

// The condition that an agent c has a place in the whole team on a day: it has a period,
// or another agent's period names it.
var placedBefore, placedAfter = placed("$covers-from(p)"), placed("$covers-to(p)")

func placed(covers string) string {
	const by = "EXISTS (SELECT 1 FROM agency_upline_period p WHERE p.tenant_id = $tenant AND p.team_id = $team AND "
	return by + "p.agent_id = c.agent_id AND " + covers + ") OR " + by + "p.upline_agent_id = c.agent_id AND " + covers + ")"
}

// changedIn selects the agents that a column names in periods which hold on only one of
// the days, because they begin or end in between.
func changedIn(table, column string) string {
	return "SELECT p." + column + " FROM " + table + " p WHERE p.tenant_id = $tenant AND p.team_id = $team AND p." + column +
		" IS NOT NULL AND p.superseded_at IS NULL AND ($covers-from(p)) <> ($covers-to(p))"
}

// places writes the statement for all agents that got, lost or changed a place: the total
// of each kind, and its agents behind a code, with one row more than is listed.
func (c Comparison) places(s *store.SQL, tenantID int64) {
	with, candidates := "", changedIn("agency_upline_period", "agent_id")+" UNION "+changedIn("agency_upline_period", "upline_agent_id")
	before, after := placedBefore, placedAfter
	was, isNow := "c.was", "c.is_now"
	if c.RootID != 0 {
		with, candidates, before, after = subtrees, belowRoot, inBefore, inAfter
		was, isNow = "(c.was OR "+placedBefore+")", "(c.is_now OR "+placedAfter+")"
	}
	none := s.Arg(date.Max)
	s.Write(c.begin(s, tenantID).Replace(`WITH RECURSIVE ` + with + `candidate(agent_id) AS (` + candidates + `),
	placed AS (
		SELECT c.agent_id, (` + before + `) AS was, (` + after + `) AS is_now FROM candidate c
	), state AS (
		SELECT c.agent_id, c.was, c.is_now, coalesce(b.upline_agent_id, 0) AS from_upline, coalesce(l.upline_agent_id, 0) AS to_upline,
			l.effective_from AS since, l.recorded_by AS recorded_by
		FROM placed c
		LEFT JOIN agency_upline_period b ON b.tenant_id = $tenant AND b.team_id = $team AND b.agent_id = c.agent_id AND $covers-from(b)
		LEFT JOIN agency_upline_period l ON l.tenant_id = $tenant AND l.team_id = $team AND l.agent_id = c.agent_id AND $covers-to(l)
		WHERE c.was OR c.is_now
	), sorted AS (
		SELECT CASE WHEN c.was THEN 'REMOVED' ELSE 'ADDED' END AS kind, c.* FROM state c WHERE c.was <> c.is_now
		UNION ALL
		SELECT 'MOVED', c.* FROM state c WHERE c.from_upline <> c.to_upline AND ` + was + ` AND ` + isNow + `
	), ranked AS (
		SELECT s.*, a.code, row_number() OVER (PARTITION BY s.kind ORDER BY a.code) AS place
		FROM sorted s JOIN agency_agent a ON a.tenant_id = $tenant AND a.id = s.agent_id WHERE a.code > $after
	)
	SELECT r.kind, r.code, r.agent_id, r.from_upline, r.to_upline, coalesce(r.since, ` + none + `), coalesce(e.effective_through, ` + none + `), coalesce(r.recorded_by, e.recorded_by, '')
	FROM ranked r
	LEFT JOIN agency_upline_period e ON r.kind = 'MOVED' AND r.since IS NULL AND e.tenant_id = $tenant AND e.id = (
		SELECT p.id FROM agency_upline_period p WHERE p.tenant_id = $tenant AND p.team_id = $team AND p.agent_id = r.agent_id
			AND p.superseded_at IS NULL AND p.effective_through < $to ORDER BY p.effective_through DESC LIMIT 1)
	WHERE r.place <= $more
	UNION ALL
	SELECT 'TOTAL ' || kind, '', count(*), 0, 0, ` + none + `, ` + none + `, '' FROM sorted GROUP BY kind
	ORDER BY 1, 2`))
}

// levels writes the statement for the agents whose level differs: each with the number of
// all of them, and a row of only that number.
func (c Comparison) levels(s *store.SQL, tenantID int64) {
	with, placed := "", placedBefore+" OR "+placedAfter
	if c.RootID != 0 {
		with, placed = subtrees, inBefore+" OR "+inAfter
	}
	s.Write(c.begin(s, tenantID).Replace(`WITH RECURSIVE ` + with + `candidate(agent_id) AS (` + changedIn("agency_level_period", "agent_id") + ` GROUP BY p.agent_id),
	differs AS (
		SELECT c.agent_id, a.code, b.level AS from_level, l.level AS to_level, l.effective_from AS since FROM candidate c
		JOIN agency_agent a ON a.tenant_id = $tenant AND a.id = c.agent_id
		LEFT JOIN agency_level_period b ON b.tenant_id = $tenant AND b.team_id = $team AND b.agent_id = c.agent_id AND $covers-from(b)
		LEFT JOIN agency_level_period l ON l.tenant_id = $tenant AND l.team_id = $team AND l.agent_id = c.agent_id AND $covers-to(l)
		WHERE coalesce(b.level, -1) <> coalesce(l.level, -1) AND (` + placed + `)
	)
	SELECT n.total, coalesce(d.agent_id, 0), d.from_level, d.to_level, d.since
	FROM (SELECT count(*) AS total FROM differs) n
	LEFT JOIN (SELECT * FROM differs d WHERE d.code > $after ORDER BY d.code LIMIT $more) d ON true
	ORDER BY d.code`))
}
