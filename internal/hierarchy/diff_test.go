package hierarchy_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// levels are the agent levels of a world, by agent; 0 stands for none.
type levels map[int64][]history.Period[int]

// setLevel gives an agent a level on some days.
func (w *world) setLevel(t failer, of levels, agent int64, level int, from date.Date, through *date.Date) {
	t.Helper()
	plan, err := history.Apply(of[agent], history.Period[int]{From: from, Through: through, Value: level}, w.today())
	must(t, err)
	of[agent] = plan.After
	w.inTx(t, func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.Exec(ctx, "DELETE FROM agency_level_period WHERE tenant_id = $1 AND agent_id = $2", w.tenant, agent); err != nil {
			return err
		}
		for _, p := range plan.After {
			if _, err := tx.Exec(ctx, `INSERT INTO agency_level_period (tenant_id, team_id, agent_id, level, effective_from, effective_through, recorded_at, recorded_by)
				VALUES ($1, $2, $3, $4, $5, $6, $7, 't')`, w.tenant, w.team, agent, p.Value, p.From, p.Through, w.clock.Now()); err != nil {
				return err
			}
		}
		return nil
	})
}

// configureLevels makes levels 10 and 20 known.
func (w *world) configureLevels(t failer) {
	t.Helper()
	for _, value := range []int{10, 20} {
		w.exec(t, `INSERT INTO agency_agent_level (tenant_id, team_id, value, name, description, is_enabled, created_at, created_by, last_modified, last_modified_by)
			VALUES ($1, $2, $3, $4, '', true, $5, 't', $5, 't')`, w.tenant, w.team, value, fmt.Sprint(value), w.clock.Now())
	}
}

// placedOn are the agents with a place on a day, below a root and it unless
// that is 0.
func (w *world) placedOn(root int64, day date.Date) map[int64]bool {
	_, nodes := w.expected(day)
	placed := map[int64]bool{}
	for _, n := range nodes {
		if root == 0 || n.Agent == root || slices.Contains(w.chainOn(n.Agent, day), root) {
			placed[n.Agent] = true
		}
	}
	return placed
}

// expectedDiff compares two days agent by agent, naively.
func (w *world) expectedDiff(c hierarchy.Comparison, of levels) (d hierarchy.Diff) {
	before, after := w.placedOn(c.RootID, c.From), w.placedOn(c.RootID, c.To)
	inTeamBefore, inTeamAfter := w.placedOn(0, c.From), w.placedOn(0, c.To)
	agents := slices.Clone(w.agents)
	slices.SortFunc(agents, func(a, b int64) int { return slices.Compare([]byte(code(a)), []byte(code(b))) })
	for _, id := range agents {
		from, _ := w.uplineOn(id, c.From)
		to, held := w.uplineOn(id, c.To)
		switch {
		case before[id] && !after[id]:
			d.Removed = append(d.Removed, id)
		case !before[id] && after[id]:
			d.Added = append(d.Added, id)
		}
		if (before[id] || after[id]) && inTeamBefore[id] && inTeamAfter[id] && from != to {
			moved := hierarchy.Transfer{AgentID: id, FromUplineID: from, ToUplineID: to, RecordedBy: "t"}
			p, _ := history.At(w.periods[id], c.To)
			for _, ended := range w.periods[id] {
				if !held && ended.Through != nil && *ended.Through < c.To {
					p.From = ended.Through.AddDays(1)
				}
			}
			moved.Since = p.From
			d.Moved = append(d.Moved, moved)
		}
		was, had := history.At(of[id], c.From)
		is, has := history.At(of[id], c.To)
		if was.Value != is.Value && (before[id] || after[id]) {
			change := hierarchy.LevelChange{AgentID: id}
			if had {
				change.From = &was.Value
			}
			if has {
				change.To, change.Since = &is.Value, &is.From
			}
			d.LevelChanged = append(d.LevelChanged, change)
		}
	}
	d.Totals = hierarchy.Totals{Added: len(d.Added), Removed: len(d.Removed), Moved: len(d.Moved), LevelChanged: len(d.LevelChanged)}
	return d
}

func text(d hierarchy.Diff) string {
	s := fmt.Sprintln("added", d.Added, "removed", d.Removed, "moved", d.Moved, "more", d.More, "of", d.Totals)
	for _, l := range d.LevelChanged {
		s += fmt.Sprint(" ", l.AgentID, show(l.From), show(l.To), show(l.Since))
	}
	return s
}

func show[T any](v *T) string {
	if v == nil {
		return " none"
	}
	return fmt.Sprint(" ", *v)
}

// "Only agents with a place in it on one of the dates count": the diff is that
// of a look at every agent on both days, for any history, of the team and below
// any root.
func TestCompareEqualsALookAtEveryAgent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		rapid.Check(t, func(t *rapid.T) {
			w := newWorld(t, s, 6)
			w.configureLevels(t)
			of := levels{}
			agent := rapid.Custom(func(t *rapid.T) int64 { return rapid.SampledFrom(w.agents).Draw(t, "agent") })
			for range 12 {
				a := agent.Draw(t, "agent")
				upline := rapid.SampledFrom(append([]int64{0}, w.agents...)).Draw(t, "upline")
				from := day0.AddDays(rapid.IntRange(-10, 10).Draw(t, "from"))
				var through *date.Date
				if rapid.Bool().Draw(t, "ends") {
					through = from.AddDays(rapid.IntRange(0, 8).Draw(t, "days")).Ptr()
				}
				switch rapid.IntRange(0, 3).Draw(t, "what") {
				case 0:
					w.setLevel(t, of, a, rapid.SampledFrom([]int{10, 20}).Draw(t, "level"), from, through)
				case 1:
					w.clear(t, a, from)
				default:
					_ = w.place(t, a, upline, from, through) // a cycle changes nothing
				}
			}
			for range 6 {
				from := day0.AddDays(rapid.IntRange(-12, 20).Draw(t, "from"))
				c := hierarchy.Comparison{TeamID: w.team, From: from, To: from.AddDays(rapid.IntRange(0, 25).Draw(t, "days")), Most: 500,
					RootID: rapid.SampledFrom(append([]int64{0}, w.agents...)).Draw(t, "root")}
				got, err := w.service.Compare(w.ctx, s, c)
				must(t, err)
				if want := w.expectedDiff(c, of); text(got) != text(want) {
					t.Fatalf("%s to %s below %d:\n%s\nwant\n%s", c.From, c.To, c.RootID, text(got), text(want))
				}
			}
		})
	})
}

// Each list is cut at the same number, and says so.
func TestCompareCutsEachList(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 8)
		for _, a := range w.agents[:4] {
			must(t, w.place(t, a, 0, day0.AddDays(-10), day0.AddDays(5).Ptr()))
		}
		for _, a := range w.agents[4:] {
			must(t, w.place(t, a, 0, day0, nil))
		}
		compare := func(most int) hierarchy.Diff {
			d, err := w.service.Compare(w.ctx, s, hierarchy.Comparison{TeamID: w.team, From: day0.AddDays(-1), To: day0.AddDays(10), Most: most})
			must(t, err)
			return d
		}
		if d := compare(3); !slices.Equal(d.Removed, w.agents[:3]) || !slices.Equal(d.Added, w.agents[4:7]) || !d.More {
			t.Errorf("cut at three: %+v", d)
		}
		if d := compare(4); !slices.Equal(d.Removed, w.agents[:4]) || !slices.Equal(d.Added, w.agents[4:]) || d.More {
			t.Errorf("four of four: %+v", d)
		}
	})
}

// A move names both uplines, also the agent that comes first.
func TestCompareNamesBothUplines(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 4)
		first, second, moved, back := w.agents[0], w.agents[1], w.agents[2], w.agents[3]
		for agent, uplines := range map[int64][2]int64{moved: {first, second}, back: {second, first}} {
			must(t, w.place(t, agent, uplines[0], day0.AddDays(-10), nil))
			must(t, w.place(t, agent, uplines[1], day0, nil))
		}
		d, err := w.service.Compare(w.ctx, s, hierarchy.Comparison{TeamID: w.team, From: day0.AddDays(-1), To: day0, Most: 10})
		must(t, err)
		var got [][3]int64
		for _, m := range d.Moved {
			got = append(got, [3]int64{m.AgentID, m.FromUplineID, m.ToUplineID})
		}
		if want := [][3]int64{{moved, first, second}, {back, second, first}}; !slices.Equal(got, want) {
			t.Errorf("moved %v; want %v", got, want)
		}
	})
}

// The statements do not grow with the hierarchy. The second comparison reads no upline
// period but those of agents that moved.
func TestCompareCost(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, 0)
		w.populate(t, 3000, func(i int) int { return (i+1)/3 - 1 })
		must(t, w.place(t, w.agents[2000], w.agents[1], day0, nil))
		for i, root := range []int64{0, w.agents[1]} {
			ctx, n := store.CountStatements(w.ctx)
			d, err := w.service.Compare(ctx, s, hierarchy.Comparison{TeamID: w.team, RootID: root, From: day0.AddDays(-1), To: day0, Most: 500})
			must(t, err)
			if n.Load() != int64(6-2*i) || len(d.Moved) != 1 || d.Moved[0].AgentID != w.agents[2000] || d.Moved[0].ToUplineID != w.agents[1] || len(d.Added)+len(d.Removed) > 0 {
				t.Errorf("below %d, %d statements: %+v", root, n.Load(), d)
			}
		}
		must(t, w.place(t, w.agents[2001], w.agents[1], day0, nil))
		ctx, n := store.CountStatements(w.ctx)
		var all sync.WaitGroup
		const times = 8
		for range times {
			all.Go(func() {
				d, err := w.service.Compare(ctx, s, hierarchy.Comparison{TeamID: w.team, From: day0.AddDays(-1), To: day0, Most: 500})
				if err != nil || d.Totals.Moved != 2 {
					t.Errorf("after a change: %+v, %v", d.Totals, err)
				}
			})
		}
		all.Wait()
		// Each asks for the counter and, while what is kept is behind, for changes; then for levels, codes and
		// initiators.
		if most := int64(times*5 + 2); n.Load() > most {
			t.Errorf("%d comparisons at once after a change: %d statements, want at most %d", times, n.Load(), most)
		}
	})
}
