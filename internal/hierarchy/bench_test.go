package hierarchy_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// A team of 100,000: agent 0 is the root; below agent 1 are 50,000, below agent
// 50,001 the rest, five direct reports each.
const (
	manyAgents = 100_000
	half       = 50_000
)

// manyUpline returns the index of an agent's upline, -1 for the root.
func manyUpline(i int) int {
	switch {
	case i == 0:
		return -1
	case i == 1 || i == half+1:
		return 0
	case i > half+1:
		return half + 1 + (i-half-2)/5
	}
	return 1 + (i-2)/5
}

// mirrored is the same team upside down: nearly every agent has other uplines.
func mirrored(i int) int {
	if i = manyAgents - 1 - i; i == 0 {
		return -1
	}
	return manyAgents - 1 - manyUpline(i)
}

// newMany is a world of that size; agents[i] is the id of agent i.
func newMany(b *testing.B) *world {
	b.Helper()
	w := newWorld(b, dbtest.Postgres(b), 0)
	w.populate(b, manyAgents, manyUpline)
	w.exec(b, "ANALYZE")
	return w
}

// BenchmarkWholeRebuild100k compares a whole rebuild with the least it can do:
// computing the closure in Go and writing it with COPY.
func BenchmarkWholeRebuild100k(b *testing.B) {
	w := newMany(b)
	empty := func() { w.exec(b, "TRUNCATE hierarchy_closure, hierarchy_node") }
	b.Run("floor", func(b *testing.B) {
		for range b.N {
			b.StopTimer()
			empty()
			b.StartTimer()
			w.inTx(b, func(ctx context.Context, tx *store.Tx) error { return w.copyClosure(ctx, tx) })
		}
	})
	b.Run("first", func(b *testing.B) {
		for range b.N {
			b.StopTimer()
			empty()
			w.exec(b, "UPDATE hierarchy_build SET built_for = NULL, built_version = 0")
			b.StartTimer()
			w.rebuild(b)
		}
		reportBuild(b, w)
	})
	b.Run("nothing differs", func(b *testing.B) {
		for range b.N {
			w.changeAll(b)
			w.rebuild(b)
		}
	})
	b.Run("everything differs", func(b *testing.B) {
		for i := range b.N {
			b.StopTimer()
			upline := manyUpline
			if i%2 == 0 {
				upline = mirrored
			}
			w.inTx(b, func(ctx context.Context, tx *store.Tx) error {
				if _, err := tx.Exec(ctx, "DELETE FROM agency_upline_period"); err != nil {
					return err
				}
				return w.copyPeriods(ctx, tx, upline)
			})
			w.changeAll(b)
			w.exec(b, "ANALYZE agency_upline_period")
			b.StartTimer()
			w.rebuild(b)
		}
		reportBuild(b, w)
	})
}

func reportBuild(b *testing.B, w *world) {
	b.ReportMetric(float64(*w.build(b).RelationCount), "relations")
}

// copyClosure is the floor: every agent's uplines by its index.
func (w *world) copyClosure(ctx context.Context, tx *store.Tx) error {
	return tx.CopyFrom(ctx, "hierarchy_closure", []string{"tenant_id", "team_id", "ancestor_id", "descendant_id", "level"}, func(yield func([]any) bool) {
		row := make([]any, 5)
		row[0], row[1] = w.tenant, w.team
		for i := range manyAgents {
			level := 1
			for u := manyUpline(i); u >= 0; u = manyUpline(u) {
				row[2], row[3], row[4] = w.agents[u], w.agents[i], level
				if !yield(row) {
					return
				}
				level++
			}
		}
	})
}

// BenchmarkMoveSubtree1000 moves an agent with about 1,000 below it to and fro.
func BenchmarkMoveSubtree1000(b *testing.B) {
	w := newMany(b)
	w.rebuild(b)
	w.exec(b, "ANALYZE")
	var agent int64
	var below int
	_, err := store.One(w.ctx, w.store, []any{&agent, &below}, "SELECT agent_id, downline_count FROM hierarchy_node WHERE tenant_id = $1 ORDER BY abs(downline_count - 1000) LIMIT 1", w.tenant)
	must(b, err)
	var home int64
	_, err = store.One(w.ctx, w.store, []any{&home}, "SELECT upline_agent_id FROM hierarchy_node WHERE tenant_id = $1 AND agent_id = $2", w.tenant, agent)
	must(b, err)
	b.ResetTimer()
	b.ReportMetric(float64(below), "below")
	for i := range b.N {
		b.StopTimer()
		upline := home
		if i%2 == 0 {
			upline = w.agents[1]
		}
		w.exec(b, "UPDATE agency_upline_period SET upline_agent_id = $1 WHERE tenant_id = $2 AND agent_id = $3", upline, w.tenant, agent)
		w.inTx(b, func(ctx context.Context, tx *store.Tx) error {
			return w.tell(ctx, tx, agent)
		})
		b.StartTimer()
		w.rebuild(b)
	}
}

// BenchmarkDownlinePage reads pages of 100 of a small downline and of a large
// one, at the start and near the end.
func BenchmarkDownlinePage(b *testing.B) {
	w := newMany(b)
	w.rebuild(b)
	w.exec(b, "ANALYZE")
	hundred := 100
	for _, size := range []int{500, 50_000} {
		var agent int64
		var below int
		_, err := store.One(w.ctx, w.store, []any{&agent, &below}, "SELECT agent_id, downline_count FROM hierarchy_node WHERE tenant_id = $1 ORDER BY abs(downline_count - $2) LIMIT 1", w.tenant, size)
		must(b, err)
		for _, v := range []struct {
			name string
			hierarchy.View
		}{{"today", w.on(day0)}, {"tomorrow", w.on(day0.AddDays(1))}} {
			b.Run(fmt.Sprintf("%s/%d", v.name, below), func(b *testing.B) {
				for range b.N {
					pages, err := downlines(w.ctx, v.View, w.store, []int64{agent}, hierarchy.Range{}, page.Args{First: &hundred})
					must(b, err)
					p := pages[agent]
					if len(p.Items) != 100 || !p.HasNext {
						b.Fatalf("%d rows", len(p.Items))
					}
					cursor := p.Cursor(p.Items[99])
					_, err = downlines(w.ctx, v.View, w.store, []int64{agent}, hierarchy.Range{}, page.Args{First: &hundred, After: &cursor})
					must(b, err)
				}
			})
		}
	}
	b.Run("chains of 50", func(b *testing.B) {
		for range b.N {
			chains, err := w.on(day0).Chain(w.ctx, w.store, w.agents[manyAgents-50:], 64)
			must(b, err)
			if len(chains) != 50 {
				b.Fatal(len(chains))
			}
		}
	})
}

// BenchmarkCompare100k compares two days between which half of a team got another upline
// and another level, at once and after a change.
func BenchmarkCompare100k(b *testing.B) {
	for name, s := range map[string]func(testing.TB) *store.Store{"sqlite": dbtest.SQLite, "postgres": dbtest.Postgres} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, s(b), 0)
			w.populate(b, manyAgents, manyUpline)
			w.reorganise(b)
			days := hierarchy.Comparison{TeamID: w.team, From: day0.AddDays(-500), To: day0, Most: 500}
			for _, root := range []int64{0, w.agents[1]} {
				days.RootID = root
				for what, before := range map[string]func(){"again": func() {}, "changed": func() { w.changeAll(b) }} {
					b.Run(fmt.Sprintf("below %d, %s", root, what), func(b *testing.B) {
						for range b.N {
							b.StopTimer()
							before()
							b.StartTimer()
							if _, err := w.service.Compare(w.ctx, w.store, days); err != nil {
								b.Fatal(err)
							}
						}
					})
				}
			}
		})
	}
}

// reorganise moves every second agent below the root, and gives it another level.
func (w *world) reorganise(b *testing.B) {
	b.Helper()
	w.configureLevels(b)
	last := day0.AddDays(-100)
	w.exec(b, `INSERT INTO agency_level_period (tenant_id, team_id, agent_id, level, effective_from, recorded_at, recorded_by)
		SELECT p.tenant_id, p.team_id, p.agent_id, 10, p.effective_from, p.recorded_at, 't' FROM agency_upline_period p WHERE p.tenant_id = $1`, w.tenant)
	w.exec(b, "UPDATE agency_level_period SET effective_through = $2 WHERE tenant_id = $1 AND agent_id % 2 = 0", w.tenant, last)
	w.exec(b, `INSERT INTO agency_level_period (tenant_id, team_id, agent_id, level, effective_from, recorded_at, recorded_by)
		SELECT p.tenant_id, p.team_id, p.agent_id, 20, $2, p.recorded_at, 't' FROM agency_upline_period p WHERE p.tenant_id = $1 AND p.agent_id % 2 = 0`, w.tenant, last.AddDays(1))
	w.exec(b, "UPDATE agency_upline_period SET effective_through = $2 WHERE tenant_id = $1 AND agent_id % 2 = 0 AND upline_agent_id IS NOT NULL", w.tenant, last)
	w.exec(b, `INSERT INTO agency_upline_period (tenant_id, team_id, agent_id, upline_agent_id, effective_from, recorded_at, recorded_by)
		SELECT p.tenant_id, p.team_id, p.agent_id, $3, $2, p.recorded_at, 't' FROM agency_upline_period p WHERE p.tenant_id = $1 AND p.effective_through IS NOT NULL`, w.tenant, last.AddDays(1), w.agents[0])
	w.changeAll(b)
	w.exec(b, "ANALYZE")
}
