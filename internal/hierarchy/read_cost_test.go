package hierarchy_test

import (
	"context"
	"testing"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// Every read costs the same number of statements for any hierarchy and sees
// nothing of another tenant.
func TestStatementsAndTenants(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		small, large := newWorld(t, s, 2), newWorld(t, s, 40)
		small.plant(t, -1, 0)
		uplines := make([]int, 40)
		for i := range uplines {
			uplines[i] = (i+2)/3 - 1
		}
		large.plant(t, uplines...)
		small.rebuild(t)
		large.rebuild(t)
		for _, days := range []int{0, 1} {
			for name, read := range reads() {
				var statements [2]int64
				for i, w := range []*world{small, large} {
					ctx, n := store.CountStatements(w.ctx)
					if _, err := read(ctx, w, w.on(day0.AddDays(days)), w.agents[0]); err != nil {
						t.Errorf("%s: %v", name, err)
					}
					statements[i] = n.Load()
				}
				if statements[0] != statements[1] || statements[0] > 4 {
					t.Errorf("%s on day %d: %v statements", name, days, statements)
				}
				// The other tenant's team and agent, asked for as this tenant.
				if rows, err := read(small.ctx, small, hierarchy.View{TeamID: large.team, AsOf: history.AsOf{Day: day0.AddDays(days)}, Today: day0}, large.agents[0]); err != nil || rows != 0 {
					t.Errorf("%s on day %d sees %d rows of another tenant (%v)", name, days, rows, err)
				}
				if _, err := read(context.Background(), small, small.on(day0), small.agents[0]); err == nil {
					t.Errorf("%s answers without a tenant", name)
				}
			}
		}
	})
}

type readFunc func(ctx context.Context, w *world, v hierarchy.View, agent int64) (rows int, err error)

// two agents are read as many are.
func two(agent int64) []int64 { return []int64{agent, agent + 1} }

func reads() map[string]readFunc {
	return map[string]readFunc{
		"chain": func(ctx context.Context, w *world, v hierarchy.View, agent int64) (int, error) {
			c, err := v.Chain(ctx, w.store, two(agent), 64)
			return len(c), err
		},
		"downline": func(ctx context.Context, w *world, v hierarchy.View, agent int64) (int, error) {
			p, err := downlines(ctx, v, w.store, two(agent), hierarchy.Range{}, page.Args{})
			return len(p[agent].Items), err
		},
		"counted downline": func(ctx context.Context, w *world, v hierarchy.View, agent int64) (int, error) {
			p, err := downlines(ctx, v, w.store, two(agent), hierarchy.Range{}, page.Args{Counted: true})
			return p[agent].Total, err
		},
		"upline members": func(ctx context.Context, w *world, v hierarchy.View, agent int64) (int, error) {
			c := code(agent + 1)
			p, err := memberPage(ctx, v, w.store, true, hierarchy.MemberFilter{AgentCode: &c}, page.Args{})
			return len(p.Items), err
		},
		"downline members": func(ctx context.Context, w *world, v hierarchy.View, agent int64) (int, error) {
			c := code(agent)
			p, err := memberPage(ctx, v, w.store, false, hierarchy.MemberFilter{AgentCode: &c}, page.Args{Counted: true})
			return p.Total + len(p.Items), err
		},
		"roots": func(ctx context.Context, w *world, v hierarchy.View, _ int64) (int, error) {
			p, err := rootPage(ctx, v, w.store, page.Args{Counted: true})
			return p.Total + len(p.Items), err
		},
		"member count": func(ctx context.Context, w *world, v hierarchy.View, _ int64) (int, error) {
			return v.MemberCount(ctx, w.store)
		},
		"tree": func(ctx context.Context, w *world, v hierarchy.View, agent int64) (int, error) {
			trees, err := v.Trees(ctx, w.store, two(agent), 3, 100)
			return max(len(trees[agent].Nodes)-1, 0), err // the root is always there
		},
		"summary": func(ctx context.Context, w *world, v hierarchy.View, agent int64) (int, error) {
			sums, err := v.Summaries(ctx, w.store, two(agent), 64)
			return sums[agent].Total, err
		},
		"levels": func(ctx context.Context, w *world, v hierarchy.View, agent int64) (int, error) {
			counts, err := v.LevelCounts(ctx, w.store, two(agent), 64)
			return len(counts), err
		},
		"pay statuses": func(ctx context.Context, w *world, v hierarchy.View, agent int64) (int, error) {
			counts, err := v.PayStatusCounts(ctx, w.store, two(agent), 64)
			return len(counts), err
		},
		"certifications": func(ctx context.Context, w *world, v hierarchy.View, agent int64) (int, error) {
			counts, err := v.ExpiringCertifications(ctx, w.store, two(agent), 64, 90)
			return len(counts), err
		},
	}
}
