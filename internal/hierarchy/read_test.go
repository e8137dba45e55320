package hierarchy_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// randomWorld is a flattened world. Periods end around day0.
func randomWorld(t *rapid.T, s *store.Store) *world {
	w := newWorld(t, s, rapid.IntRange(2, 10).Draw(t, "agents"))
	for i, a := range w.agents {
		var upline int64
		switch u := rapid.IntRange(-2, i-1).Draw(t, "upline"); {
		case u == -2:
			continue // no place of its own
		case u >= 0:
			upline = w.agents[u]
		}
		var through *date.Date
		if rapid.Bool().Draw(t, "ends") {
			through = day0.AddDays(rapid.IntRange(-1, 1).Draw(t, "through")).Ptr()
		}
		must(t, w.place(t, a, upline, day0.AddDays(-rapid.IntRange(1, 9).Draw(t, "since")), through))
	}
	w.rebuild(t)
	return w
}

func drawRange(t *rapid.T) hierarchy.Range {
	bound := func(name string) *int {
		if !rapid.Bool().Draw(t, "with "+name) {
			return nil
		}
		n := rapid.IntRange(0, 5).Draw(t, name)
		return &n
	}
	return hierarchy.Range{Level: bound("level"), Min: bound("min"), Max: bound("max")}
}

// inRange is the rule that the exact level wins over a range.
func inRange(r hierarchy.Range, level int) bool {
	if r.Level != nil {
		return level == *r.Level
	}
	return (r.Min == nil || level >= *r.Min) && (r.Max == nil || level <= *r.Max)
}

// all walks a list in pages of a size, each of which tells how many rows there are.
func all[T any](t failer, size int, read func(page.Args) (page.Page[T], error)) (rows []T) {
	t.Helper()
	args := page.Args{First: &size, Counted: true}
	var totals []int
	for {
		p, err := read(args)
		must(t, err)
		rows, totals = append(rows, p.Items...), append(totals, p.Total)
		if !p.HasNext {
			break
		}
		cursor := p.Cursor(p.Items[len(p.Items)-1])
		args.After = &cursor
	}
	for i, total := range totals {
		if total != len(rows) {
			t.Fatalf("page %d tells of %d rows of %d", i, total, len(rows))
		}
	}
	return rows
}

func equal[T any](t failer, what string, got, want []T) {
	t.Helper()
	if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func same(t failer, what string, got int, err error, want int) {
	t.Helper()
	must(t, err)
	if got != want {
		t.Errorf("%s: %d, want %d", what, got, want)
	}
}

// Today is read from the flattened rows, other days from the periods: each read
// gives what a plain look at the periods gives, in pages of any size.
func TestReadsEqualPlainLook(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		rapid.Check(t, func(t *rapid.T) {
			w := randomWorld(t, s)
			v := w.on(day0.AddDays(rapid.IntRange(-3, 2).Draw(t, "day")))
			if rapid.Bool().Draw(t, "known") { // what is known now, read as any other knowledge
				v.Known = history.KnownAt(w.clock.Now())
			}
			v = w.drawReading(t, v)
			relations, nodes := w.expected(v.Day)
			agent, size := rapid.SampledFrom(w.agents).Draw(t, "agent"), rapid.IntRange(1, 4).Draw(t, "size")
			levels := drawRange(t)

			var below []relation
			var under []nodeRow // the whole subtree
			for _, r := range relations {
				if r.AncestorID == agent && inRange(levels, r.Level) {
					below = append(below, r)
				}
			}
			for _, n := range nodes {
				if n.Agent == agent || slices.Contains(w.chainOn(n.Agent, v.Day), agent) {
					under = append(under, n)
				}
			}
			equal(t, "downline", all(t, size, func(a page.Args) (page.Page[relation], error) {
				p, err := downlines(w.ctx, v, s, []int64{agent}, levels, a)
				return p[agent], err
			}), below)
			w.checkRoots(t, v, nodes, size)
			w.checkTree(t, v, agent, under, rapid.IntRange(1, 4).Draw(t, "depth"), rapid.IntRange(1, 12).Draw(t, "nodes"))
			w.checkSummary(t, v, agent, rapid.IntRange(1, 4).Draw(t, "highest"))
		})
	})
}

// Today's downline is read from the flattened rows, that of another day from the periods.
// Both keep to the levels that are asked for, and count their agents, for one agent and
// for several.
func TestDownlineOfLevels(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 6)
		w.plant(t, -1, 0, 1, 2, 2, 0)
		w.rebuild(t)
		for name, c := range map[string]struct {
			levels      hierarchy.Range
			first, next int // of the first agent, and of the one below it
		}{
			"all": {hierarchy.Range{}, 5, 3}, "one": {hierarchy.Range{Level: new(2)}, 1, 2}, "the first": {hierarchy.Range{Level: new(1)}, 2, 1},
			"from": {hierarchy.Range{Min: new(2)}, 3, 2}, "through": {hierarchy.Range{Max: new(2)}, 3, 3}, "between": {hierarchy.Range{Min: new(2), Max: new(2)}, 1, 2},
		} {
			for _, day := range []date.Date{w.today(), w.today().AddDays(1)} {
				for _, roots := range [][]int64{w.agents[:1], w.agents[:2]} {
					pages, err := downlines(w.ctx, w.on(day), s, roots, c.levels, page.Args{Counted: true})
					must(t, err)
					for i, want := range []int{c.first, c.next}[:len(roots)] {
						if p := pages[roots[i]]; len(p.Items) != want || p.Total != want {
							t.Errorf("%s, %s, agent %d of %d: %d of %d, want %d", name, day, i, len(roots), len(p.Items), p.Total, want)
						}
					}
				}
			}
		}
	})
}

// drawReading returns the view, or one that keeps nothing, or after the periods are kept.
func (w *world) drawReading(t *rapid.T, v hierarchy.View) hierarchy.View {
	switch rapid.SampledFrom([]string{"", "walked", "kept"}).Draw(t, "read") {
	case "walked":
		return hierarchy.View{TeamID: v.TeamID, AsOf: v.AsOf, Today: v.Today}
	case "kept":
		_, err := v.MemberCount(w.ctx, w.store)
		must(t, err)
	}
	return v
}

func (w *world) checkRoots(t failer, v hierarchy.View, nodes []nodeRow, size int) {
	t.Helper()
	var roots []int64
	for _, n := range nodes {
		if n.Upline == 0 {
			roots = append(roots, n.Agent)
		}
	}
	equal(t, "roots", all(t, size, func(a page.Args) (page.Page[int64], error) { return rootPage(w.ctx, v, w.store, a) }), roots)
	n, err := v.MemberCount(w.ctx, w.store)
	same(t, "member count", n, err, len(nodes))
}

func (w *world) checkTree(t failer, v hierarchy.View, root int64, under []nodeRow, depth, limit int) {
	t.Helper()
	trees, err := v.Trees(w.ctx, w.store, []int64{root}, depth, limit)
	must(t, err)
	tree, truncated := trees[root].Nodes, trees[root].Truncated
	distance := func(n nodeRow) int { return slices.Index(append([]int64{n.Agent}, w.chainOn(n.Agent, v.Day)...), root) }
	var within []nodeRow
	for _, n := range under {
		if distance(n) <= depth {
			within = append(within, n)
		}
	}
	if len(under) == 0 { // the root has no place in the team
		within = []nodeRow{{Agent: root}}
	}
	slices.SortStableFunc(within, func(a, b nodeRow) int { return distance(a) - distance(b) })
	if truncated != (len(within) > limit) {
		t.Errorf("truncated %t with %d of %d nodes", truncated, limit, len(within))
	}
	within = within[:min(limit, len(within))]
	if len(tree) != len(within) {
		t.Fatalf("tree of %d nodes, want %d", len(tree), len(within))
	}
	for i, n := range tree {
		want := hierarchy.TreeNode{AgentID: within[i].Agent, Depth: max(distance(within[i]), 0), DirectCount: within[i].Direct, DownlineCount: within[i].Downline}
		listed := 0
		for _, child := range within[1:] {
			if child.Upline == n.AgentID {
				listed++
			}
		}
		want.HasMore = listed < want.DirectCount
		if i > 0 {
			want.ParentID = &within[i].Upline
		}
		if !reflect.DeepEqual(n, want) {
			t.Errorf("node %d: %+v, want %+v", i, n, want)
		}
	}
}

func (w *world) checkSummary(t failer, v hierarchy.View, root int64, highest int) {
	t.Helper()
	var want hierarchy.Summary
	relations, _ := w.expected(v.Day)
	for level := 1; level <= highest; level++ {
		n := 0
		for _, r := range relations {
			if r.AncestorID == root && r.Level == level {
				n++
			}
		}
		if n > 0 {
			want.ByDepth = append(want.ByDepth, hierarchy.DepthCount{Depth: level, Count: n})
			want.Total, want.MaxDepth = want.Total+n, level
		}
		if level == 1 {
			want.Direct = n
		}
	}
	got, err := v.Summaries(w.ctx, w.store, []int64{root}, highest)
	must(t, err)
	if !reflect.DeepEqual(got[root], want) {
		t.Errorf("summary %+v, want %+v", got[root], want)
	}
}

// What is read for many agents in one statement is what is read for each.
func TestManyEqualEach(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		rapid.Check(t, func(t *rapid.T) {
			w := randomWorld(t, s)
			v := w.on(day0.AddDays(rapid.IntRange(-2, 2).Draw(t, "day")))
			levels, depth, most := drawRange(t), rapid.IntRange(1, 4).Draw(t, "depth"), rapid.IntRange(1, 6).Draw(t, "most")
			args := drawArgs(t, w, v, levels)
			manyEqualEach(t, w, "downlines", func(ids []int64) (map[int64]any, error) {
				pages, err := downlines(w.ctx, v, s, ids, levels, args)
				return shown(pages, func(p page.Page[relation]) any { return []any{p.Items, p.HasNext, p.HasPrev, p.Total} }), err
			})
			manyEqualEach(t, w, "trees", func(ids []int64) (map[int64]hierarchy.Tree, error) { return v.Trees(w.ctx, s, ids, depth, most) })
			manyEqualEach(t, w, "summaries", func(ids []int64) (map[int64]hierarchy.Summary, error) {
				return v.Summaries(w.ctx, s, ids, depth)
			})
		})
	})
}

// drawArgs draws a page forwards, backwards, behind a row or by number.
func drawArgs(t *rapid.T, w *world, v hierarchy.View, levels hierarchy.Range) page.Args {
	size, skipped := rapid.IntRange(1, 4).Draw(t, "size"), rapid.IntRange(0, 2).Draw(t, "skipped")
	switch rapid.IntRange(0, 3).Draw(t, "way") {
	case 0:
		return page.Args{Last: &size}
	case 1:
		return page.Args{First: &size, Offset: &skipped}
	case 2:
		pages, err := downlines(w.ctx, v, w.store, w.agents, levels, page.Args{})
		must(t, err)
		for _, id := range w.agents {
			if p := pages[id]; len(p.Items) > skipped {
				cursor := p.Cursor(p.Items[skipped])
				return page.Args{First: &size, After: &cursor}
			}
		}
	}
	return page.Args{First: &size}
}

// shown replaces what cannot be compared.
func shown[T any](byID map[int64]T, show func(T) any) map[int64]any {
	all := make(map[int64]any, len(byID))
	for id, one := range byID {
		all[id] = show(one)
	}
	return all
}

func manyEqualEach[T any](t failer, w *world, what string, read func(ids []int64) (map[int64]T, error)) {
	t.Helper()
	many, err := read(w.agents)
	must(t, err)
	each := map[int64]T{}
	for _, id := range w.agents {
		one, err := read([]int64{id})
		must(t, err)
		maps.Copy(each, one)
	}
	if !reflect.DeepEqual(many, each) {
		t.Errorf("%s: %v, want %v", what, many, each)
	}
}
