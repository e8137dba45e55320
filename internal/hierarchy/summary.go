package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Summary holds counts of a downline.
type Summary struct {
	Total, Direct int
	// MaxDepth is the longest distance, 0 if nobody is below.
	MaxDepth int
	ByDepth  []DepthCount
}

// DepthCount is the number of agents at a distance.
type DepthCount struct{ Depth, Count int }

// LevelCount is the number of agents with an agent level (rank).
type LevelCount struct {
	Value int
	Name  string
	Count int
}

// PayStatusCount is the number of agents with a pay status in force.
type PayStatusCount struct {
	Status   string
	IsActive bool
	Count    int
}

// Summaries counts the agents below each of several agents by distance, down to a level.
// It leaves out agents with nobody below, as do the other counts.
func (v View) Summaries(ctx context.Context, q *store.Store, roots []int64, highest int) (map[int64]Summary, error) {
	counts, err := summarize(ctx, q, v, roots, highest, "r.level, count(*)", nil, ", r.level ORDER BY r.level",
		func(row store.Scanner) (c DepthCount, err error) {
			err = row.Scan(&c.Depth, &c.Count)
			return c, err
		})
	sums := make(map[int64]Summary, len(counts))
	for root, byDepth := range counts {
		sum := Summary{ByDepth: byDepth}
		for _, c := range byDepth {
			sum.Total += c.Count
			sum.MaxDepth = c.Depth
			if c.Depth == 1 {
				sum.Direct = c.Count
			}
		}
		sums[root] = sum
	}
	return sums, err
}

// LevelCounts counts the agents below each of several agents, down to a level, by the
// agent level (rank) in force, lowest value first; it leaves out agents without a level.
func (v View) LevelCounts(ctx context.Context, q *store.Store, roots []int64, highest int) (map[int64][]LevelCount, error) {
	return summarize(ctx, q, v, roots, highest, "l.value, l.name, count(*)", func(s *store.SQL, tenantArg string) string {
		team := s.Arg(v.TeamID)
		return ` JOIN agency_level_period p ON p.tenant_id = ` + tenantArg + ` AND p.team_id = ` + team + ` AND p.agent_id = r.descendant_id AND ` + v.Covers("p", s.Arg) + `
			JOIN agency_agent_level l ON l.tenant_id = ` + tenantArg + ` AND l.team_id = ` + team + ` AND l.value = p.level`
	}, ", l.value, l.name ORDER BY l.value", func(row store.Scanner) (c LevelCount, err error) {
		err = row.Scan(&c.Value, &c.Name, &c.Count)
		return c, err
	})
}

// PayStatusCounts counts the agents below each of several agents, down to a level, by the
// pay status in force, in the order of the statuses; it leaves out agents without a
// status.
func (v View) PayStatusCounts(ctx context.Context, q *store.Store, roots []int64, highest int) (map[int64][]PayStatusCount, error) {
	return summarize(ctx, q, v, roots, highest, "s.name, s.is_active, count(*)", func(s *store.SQL, tenantArg string) string {
		return ` JOIN agency_pay_status_period p ON p.tenant_id = ` + tenantArg + ` AND p.agent_id = r.descendant_id AND ` + v.Covers("p", s.Arg) + `
			JOIN agency_pay_status s ON s.tenant_id = ` + tenantArg + ` AND s.name = p.status`
	}, ", s.name, s.is_active, s.sort_order ORDER BY s.sort_order, s.name", func(row store.Scanner) (c PayStatusCount, err error) {
		err = row.Scan(&c.Status, &c.IsActive, &c.Count)
		return c, err
	})
}

// ExpiringCertifications counts the certifications of the agents below each of several
// agents, down to a level, that are active on the day and whose active period ends within
// a number of days. CROSS JOIN makes SQLite keep to this order, and LastDay keeps it from an index by
// the last day; otherwise it would read the periods of the whole agency, for each certification.
func (v View) ExpiringCertifications(ctx context.Context, q *store.Store, roots []int64, highest, withinDays int) (map[int64]int, error) {
	counts, err := summarize(ctx, q, v, roots, highest, "count(*)", func(s *store.SQL, tenantArg string) string {
		return ` CROSS JOIN agency_certification c CROSS JOIN agency_certification_period p WHERE c.tenant_id = ` + tenantArg + ` AND c.agent_id = r.descendant_id
				AND p.tenant_id = ` + tenantArg + ` AND p.certification_id = c.id AND p.status = 'ACTIVE'
				AND ` + v.Covers("p", s.Arg) + ` AND ` + history.LastDay + ` <= ` + s.Arg(v.Day.AddDays(withinDays))
	}, "", store.ScanOne[int])
	return single(counts), err
}

// summarize reads columns about the relations r below each of several agents. join, if
// any, returns what r is joined with; tenantArg is SQL for the tenant's id. group
// continues the GROUP BY clause.
func summarize[T any](ctx context.Context, q *store.Store, v View, roots []int64, highest int,
	columns string, join func(s *store.SQL, tenantArg string) string, group string, scan func(store.Scanner) (T, error)) (map[int64][]T, error) {
	id, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	var s store.SQL
	d, err := v.datedOf(ctx, q, id, page.Owners{IDs: roots}, Range{Max: &highest})
	if err != nil {
		return nil, err
	}
	var from string
	if d != nil {
		from = d.below(&s)
	} else {
		from = v.below(&s, id, among(q, &s, page.Owners{IDs: roots}), Range{Max: &highest})
	}
	s.Write("SELECT r.ancestor_id, " + columns + " FROM (SELECT r.ancestor_id, r.descendant_id, r.level" + from + ") r")
	if join != nil {
		s.Write(join(&s, s.Arg(id)))
	}
	s.Write(" GROUP BY r.ancestor_id" + group)
	return collectByRoot(ctx, q, scan, &s)
}
