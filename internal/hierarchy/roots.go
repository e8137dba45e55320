package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// RootList is the list of the ids r.agent_id of the agents of the team without an upline.
func (v View) RootList(ctx context.Context, q *store.Store) (l listing.Rows, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return l, err
	}
	h, err := v.periodsIfKept(ctx, q, tenantID)
	if err != nil {
		return l, err
	}
	return listing.Rows{
		Store: q, Name: "roots", Keys: []page.Key{{Name: "id", SQL: "r.agent_id", Kind: page.Int}},
		From: func(s *store.SQL) {
			if h != nil {
				s.Write("(SELECT a.id AS agent_id FROM agency_agent a WHERE a.tenant_id = ? AND "+q.In("a.id", s.Arg(q.List(h.roots(v.Day))))+") r WHERE true", tenantID)
				return
			}
			v.roots(s, tenantID)
		},
	}, nil
}

func (v View) roots(s *store.SQL, tenantID int64) {
	if v.Flattened() {
		s.Write("hierarchy_node r WHERE r.tenant_id = ? AND r.team_id = ? AND r.upline_agent_id IS NULL", tenantID, v.TeamID)
		return
	}
	period := v.periods(s, tenantID)
	s.Write(`(
			SELECT p.agent_id FROM ` + period + ` AND p.upline_agent_id IS NULL
			UNION SELECT p.upline_agent_id FROM ` + period + ` AND p.upline_agent_id IS NOT NULL
			EXCEPT SELECT p.agent_id FROM ` + period + ` AND p.upline_agent_id IS NOT NULL
		) r WHERE true`)
}

// MemberCount counts the agents of the team.
func (v View) MemberCount(ctx context.Context, q store.Querier) (n int, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	h, err := v.periodsIfKept(ctx, q, tenantID)
	if err != nil {
		return 0, err
	}
	if h != nil {
		return h.size(v.Day), nil
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
