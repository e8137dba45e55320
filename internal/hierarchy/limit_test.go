package hierarchy_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// limited is the context of a caller who sees an agent and its downline.
func (w *world) limited(agent int64) context.Context {
	return tenant.WithCaller(w.ctx, tenant.Caller{Within: &agent, Clock: w.clock})
}

// below returns an agent and everybody in its downline today, by the model.
func (w *world) below(root int64) []int64 {
	seen := []int64{root}
	for _, a := range w.agents {
		if slices.Contains(w.chainOn(a, w.today()), root) {
			seen = append(seen, a)
		}
	}
	slices.Sort(seen)
	return seen
}

// checkLimits asks, limited to each agent and to nobody, for what is seen, and
// walks the hierarchy on a day from one of them.
func (w *world) checkLimits(t *rapid.T) {
	t.Helper()
	walked, day := rapid.SampledFrom(w.agents).Draw(t, "walked"), rapid.IntRange(-2, 2).Draw(t, "walked on")
	for _, root := range append([]int64{tenant.Nobody}, w.agents...) {
		ctx, want := w.limited(root), []int64{}
		if root != tenant.Nobody {
			want = w.below(root)
		}
		got, err := store.Collect(ctx, w.store, store.ScanOne[int64], "SELECT id FROM agency_agent WHERE tenant_id = $1 ORDER BY id", w.tenant)
		must(t, err)
		equal(t, "agents seen", got, want)
		if root == walked {
			w.checkLimitedView(t, ctx, w.on(w.today().AddDays(day)), root, want)
		}
	}
}

// checkLimitedView holds that no way to walk the hierarchy leads out of what is
// seen, and on today that nothing of it is left out.
func (w *world) checkLimitedView(t failer, ctx context.Context, v hierarchy.View, root int64, seen []int64) {
	t.Helper()
	inside := func(what string, ids ...int64) {
		t.Helper()
		for _, id := range ids {
			if !slices.Contains(seen, id) {
				t.Errorf("%s on %s, limited to %d: %d is outside of %v", what, v.Day, root, id, seen)
			}
		}
	}
	chains, err := v.Chain(ctx, w.store, seen, 64)
	must(t, err)
	for _, links := range chains {
		for _, l := range links {
			inside("chain", l.AgentID)
		}
	}
	// The whole team is kept before the limited caller asks.
	days := hierarchy.Comparison{TeamID: w.team, From: min(v.Day, w.today()), To: max(v.Day, w.today()), Most: 500}
	_, err = w.service.Compare(w.ctx, w.store, days)
	must(t, err)
	d, err := w.service.Compare(ctx, w.store, days)
	must(t, err)
	inside("comparison", append(d.Added, d.Removed...)...)
	for _, moved := range d.Moved {
		inside("comparison", moved.AgentID)
	}
	downlines, err := downlines(ctx, v, w.store, append([]int64{0}, seen...), hierarchy.Range{}, page.Args{})
	must(t, err)
	for _, p := range downlines {
		for _, r := range p.Items {
			inside("downline", r.AncestorID, r.DescendantID)
		}
	}
	for _, a := range w.agents {
		c := code(a)
		up, err := memberPage(ctx, v, w.store, true, hierarchy.MemberFilter{AgentCode: &c}, page.Args{})
		must(t, err)
		down, err := memberPage(ctx, v, w.store, false, hierarchy.MemberFilter{AgentCode: &c}, page.Args{})
		must(t, err)
		for _, r := range append(up.Items, down.Items...) {
			inside("members", r.AncestorID, r.DescendantID)
		}
	}
	roots, err := rootPage(ctx, v, w.store, page.Args{})
	must(t, err)
	inside("roots", roots.Items...)
	if root != tenant.Nobody && v.Day == v.Today && len(downlines[root].Items) != len(seen)-1 && v.Flattened() && !w.build(t).IsStale {
		t.Errorf("the downline of %d has %d, want %v", root, len(downlines[root].Items), seen)
	}
}

// A limited caller sees an agent and its downline of today: after every move,
// end of a period and new day, whether or not the flattened hierarchy has
// followed.
func TestLimitEqualsDownline(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		rapid.Check(t, func(t *rapid.T) {
			w := randomWorld(t, s)
			w.checkLimits(t)
			for range rapid.IntRange(1, 3).Draw(t, "moves") {
				agent, upline := rapid.SampledFrom(w.agents).Draw(t, "agent"), rapid.SampledFrom(append([]int64{0}, w.agents...)).Draw(t, "upline")
				switch rapid.IntRange(0, 3).Draw(t, "what") {
				case 0:
					w.clock.Move(24 * time.Hour)
				case 1:
					w.clear(t, agent, w.today())
				default:
					if agent != upline {
						_ = w.place(t, agent, upline, w.today().AddDays(rapid.IntRange(-1, 1).Draw(t, "from")), nil) // a cycle is refused
					}
				}
				if rapid.Bool().Draw(t, "rebuilt") {
					w.rebuild(t)
				}
				w.checkLimits(t)
			}
		})
	})
}

// The counts that a rebuild leaves are those of what is seen.
func TestLimitedCounts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 6)
		w.plant(t, -1, 0, 1, 1, 0, -1)
		w.rebuild(t)
		ctx, v := w.limited(w.agents[1]), w.on(day0)
		n, err := v.MemberCount(ctx, s)
		same(t, "members", n, err, 3)
		relations, err := memberPage(ctx, v, s, false, hierarchy.MemberFilter{}, page.Args{Counted: true})
		same(t, "relations", relations.Total, err, 2)
		roots, err := rootPage(ctx, v, s, page.Args{Counted: true})
		same(t, "roots", roots.Total, err, 1)
		b, err := w.service.Build(ctx, s, w.team)
		must(t, err)
		if *b.AgentCount != 3 || *b.RelationCount != 2 {
			t.Errorf("the build tells of %d agents and %d relations", *b.AgentCount, *b.RelationCount)
		}
	})
}

// In a large team the limit is one look into the index of the closure for each
// row, and the order of a list still comes from its index.
func TestLimitReadsIndex(t *testing.T) {
	w := newWorld(t, dbtest.PostgresOwner(t), 0)
	w.populate(t, 12_000, func(i int) int { return (i+4)/5 - 1 })
	w.rebuild(t)
	w.exec(t, "ANALYZE")
	for _, c := range []struct{ name, statement, want string }{
		{"page", "SELECT a.id, a.code FROM agency_agent a WHERE a.tenant_id = $1 ORDER BY a.code LIMIT 50", "hierarchy_closure"},
		{"one", "SELECT a.id, a.code FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = 'A1500'", "hierarchy_closure_descendant"},
		{"below", "SELECT p.agent_id FROM agency_upline_period p WHERE p.tenant_id = $1 AND p.team_id = 1 AND p.upline_agent_id = 1500 AND p.superseded_at IS NULL", "agency_upline_period_upline"},
	} {
		plan, err := store.Collect(w.limited(w.agents[1]), w.store, store.ScanOne[string], "EXPLAIN "+c.statement, w.tenant)
		must(t, err)
		if text := strings.Join(plan, "\n"); !strings.Contains(text, c.want) || strings.Contains(text, "Seq Scan on hierarchy_closure") || strings.Contains(text, "Seq Scan on agency_upline_period") {
			t.Errorf("%s:\n%s", c.name, text)
		}
	}
}
