package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/page"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Roots returns a page of the agents of the team without an upline, by id.
func (v View) Roots(ctx context.Context, q store.Querier, args page.Args) (page.Page[int64], error) {
	l, err := list(ctx, "roots", page.Key{Name: "id", SQL: "r.agent_id", Kind: page.Int})
	if err != nil {
		return page.Page[int64]{}, err
	}
	plan, err := l.Plan(ctx, args)
	if err != nil {
		return page.Page[int64]{}, err
	}
	day, err := v.whole(ctx, q, l.TenantID)
	if err != nil {
		return page.Page[int64]{}, err
	}
	return page.Reading[int64]{Columns: "r.agent_id", Scan: store.ScanOne[int64],
		From: func(s *store.SQL) string {
			if day != nil {
				return " FROM (SELECT a.id AS agent_id FROM agency_agent a WHERE a.tenant_id = " + s.Arg(l.TenantID) + " AND " + q.In("a.id", s.Arg(q.List(day.rootIDs()))) + ") r WHERE true"
			}
			return v.roots(s, l.TenantID)
		},
		Place: func(id int64) []any { return []any{id} },
	}.Page(ctx, q, plan)
}

func (v View) roots(s *store.SQL, tenantID int64) string {
	if v.Flattened() {
		return " FROM hierarchy_node r WHERE r.tenant_id = " + s.Arg(tenantID) + " AND r.team_id = " + s.Arg(v.TeamID) + " AND r.upline_agent_id IS NULL"
	}
	period := v.periods(s, tenantID)
	return ` FROM (
			SELECT p.agent_id FROM ` + period + ` AND p.upline_agent_id IS NULL
			UNION SELECT p.upline_agent_id FROM ` + period + ` AND p.upline_agent_id IS NOT NULL
			EXCEPT SELECT p.agent_id FROM ` + period + ` AND p.upline_agent_id IS NOT NULL
		) r WHERE true`
}

// MemberCount counts the agents of the team.
func (v View) MemberCount(ctx context.Context, q store.Querier) (n int, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	day, err := v.whole(ctx, q, tenantID)
	if err != nil {
		return 0, err
	}
	if day != nil {
		return day.size, nil
	}
	var s store.SQL
	if v.Flattened() {
		s.Write(v.built(tenantID, "agent_count")(&s))
	} else {
		period := v.periods(&s, tenantID)
		s.Write("SELECT count(*) FROM (SELECT p.agent_id FROM " + period + " UNION SELECT p.upline_agent_id FROM " + period + " AND p.upline_agent_id IS NOT NULL) r")
	}
	_, err = store.One(ctx, q, []any{&n}, s.Text(), s.Args()...)
	return n, err
}
