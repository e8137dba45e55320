package agency_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
)

// below moves an agent under another; to "" it becomes a root.
func below(code, upline string) agency.Move {
	if upline == "" {
		return agency.Move{AgentCode: code, NewUpline: patch.Null[string]()}
	}
	return agency.Move{AgentCode: code, NewUpline: patch.Set(upline)}
}

func (w *agentWorld) reorganise(from date.Date, moves ...agency.Move) (agency.Reorganised, error) {
	return w.Reorganise(w.ctx, agency.Reorganisation{Team: "default", Moves: moves, EffectiveFrom: from, Initiator: "reorg"}, false)
}

// plantTeam registers TOP; A and B below it; A1 and A2 below A; A11 below A1.
func (w *agentWorld) plantTeam() {
	w.t.Helper()
	long := agentToday.AddDays(-100)
	w.register(since(newcomer("TOP"), long))
	for _, pair := range [][2]string{{"A", "TOP"}, {"B", "TOP"}, {"A1", "A"}, {"A2", "A"}, {"A11", "A1"}} {
		w.register(since(under(pair[1], pair[0]), long))
	}
}

// A reorganisation applies each period "with the history rules", open-ended, and
// answers who moved from where to where, and how many with them.
func TestReorganise(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.plantTeam()
		long, day := agentToday.AddDays(-100), agentToday.AddDays(10)
		at := w.later()
		builds := w.count("SELECT changed_version FROM hierarchy_build WHERE tenant_id = $1", w.tenantID())
		out, err := w.reorganise(day,
			agency.Move{AgentCode: "A1", NewUpline: patch.Set("B"), NewLevel: patch.Set(30)},
			agency.Move{AgentCode: "A2", NewLevel: patch.Set(20)},
			below("B", ""))
		w.must(out, err)
		equal(t, "history of the upline", w.uplineHistory("A1"), []string{span("A", long, day.AddDays(-1).Ptr()), span("B", day, nil)})
		equal(t, "history of the level", w.levelHistory("A1"), []string{span("30", day, nil)})
		equal(t, "omitted: the upline stays", w.uplineHistory("A2"), []string{span("A", long, nil)})
		equal(t, "null: a root", w.uplineHistory("B"), []string{span("TOP", long, day.AddDays(-1).Ptr()), span("-", day, nil)})

		ids := func(m agency.Moved) []int64 {
			return []int64{m.AgentID, m.FromUplineID, m.ToUplineID, int64(m.SubtreeSize)}
		}
		id := func(code string) int64 { return w.agent(code).ID }
		equal(t, "A1", ids(out.Moves[0]), []int64{id("A1"), id("A"), id("B"), 2})
		equal(t, "A2", ids(out.Moves[1]), []int64{id("A2"), id("A"), id("A"), 1})
		equal(t, "B", ids(out.Moves[2]), []int64{id("B"), id("TOP"), 0, 1})
		equal(t, "an omitted part has no changes", []bool{out.Moves[1].Upline == nil, out.Moves[2].Level == nil}, []bool{true, true})
		equal(t, "kinds", kinds(*out.Moves[0].Upline), []history.Kind{history.Shortened, history.Added})
		equal(t, "warns", slices.Contains(warned(*out.Moves[0].Upline), history.HierarchyRebuildRequired), true)
		equal(t, "affected: A1, A11 and B, each once", out.AffectedAgents, 3)
		equal(t, "depth of A11 before and after", []int{out.MaxDepthBefore, out.MaxDepthAfter}, []int{3, 2})
		equal(t, "changed", out.Changed, true)

		for _, code := range []string{"A1", "A2", "B"} {
			equal(t, "lastModified of "+code, w.agent(code).LastModified.UTC(), at)
		}
		equal(t, "lastModified of who moves along", w.agent("A11").LastModified.Before(at), true)
		equal(t, "one rebuild is asked for", w.count("SELECT changed_version FROM hierarchy_build WHERE tenant_id = $1", w.tenantID()), builds+1)

		w.unchanged(func() {
			again, err := w.reorganise(day, below("B", ""), agency.Move{AgentCode: "A2", NewLevel: patch.Set(20)})
			w.must(again, err)
			equal(t, "identical periods change nothing", []any{again.Changed, again.AffectedAgents}, []any{false, 0})
		})
	})
}

// "Circular hierarchies are rejected" (Teams, 2) as all stand afterwards: two
// agents swap places whatever the order of the moves.
func TestReorganiseJudgesTheFinalState(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.plantTeam()
		swap := []agency.Move{below("A", "A1"), below("A1", "TOP"), below("A11", "A")}
		w.must(w.reorganise(agentToday, swap...))
		equal(t, "A is below A1", w.uplineHistory("A")[1], span("A1", agentToday, nil))
		w.must(w.reorganise(agentToday, below("A1", "A"), below("A", "TOP")))
		slices.Reverse(swap)
		w.must(w.reorganise(agentToday, swap...))
		w.checkNoCycle(t)
	})
}

// Every problem of every move is told, by its place in the request, and nothing
// is written: all or none.
func TestReorganiseRefuses(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.plantTeam()
		d := agentToday.AddDays
		w.must(w.applyUpline("B", new("A2"), d(50), d(60).Ptr()))
		many := make([]agency.Move, 5001)
		for i := range many {
			many[i] = below(fmt.Sprint("X", i), "")
		}
		for _, c := range []struct {
			name  string
			moves []agency.Move
			want  []string
		}{
			{"no move", nil, []string{"REQUIRED moves"}},
			{"5001 moves", many, []string{"OUT_OF_RANGE moves"}},
			{"an agent twice", []agency.Move{below("A", ""), below("B", ""), below("A", "B")}, []string{"DUPLICATE_KEY moves.2.agentCode"}},
			{"neither upline nor level", []agency.Move{below("A", ""), {AgentCode: "B"}}, []string{"REQUIRED moves.1"}},
			{"level null", []agency.Move{{AgentCode: "A", NewLevel: patch.Null[int]()}}, []string{"NULL_NOT_ALLOWED moves.0.newLevel"}},
			{"all that is unknown", []agency.Move{below("NOBODY", "NONE"), {AgentCode: "A", NewLevel: patch.Set(11)}, {AgentCode: "B", NewUpline: patch.Set("NONE"), NewLevel: patch.Set(11)}},
				[]string{"UNKNOWN_AGENT moves.0.agentCode", "UNKNOWN_UPLINE moves.0.newUplineAgentCode", "UNKNOWN_LEVEL moves.1.newLevel",
					"UNKNOWN_UPLINE moves.2.newUplineAgentCode", "UNKNOWN_LEVEL moves.2.newLevel"}},
			{"itself", []agency.Move{below("B", ""), below("A", "A")}, []string{"CIRCULAR_HIERARCHY moves.1.newUplineAgentCode"}},
			{"below its own downline", []agency.Move{below("A", "A11")}, []string{"CIRCULAR_HIERARCHY moves.0.newUplineAgentCode"}},
			{"below each other", []agency.Move{below("A2", "B"), below("TOP", ""), below("B", "A2")},
				[]string{"CIRCULAR_HIERARCHY moves.0.newUplineAgentCode", "CIRCULAR_HIERARCHY moves.2.newUplineAgentCode"}},
			{"through a future period of another", []agency.Move{below("A2", "B")}, []string{"CIRCULAR_HIERARCHY moves.0.newUplineAgentCode"}},
		} {
			w.unchanged(func() {
				_, err := w.reorganise(d(5), c.moves...)
				equal(t, c.name, problems(err), c.want)
			})
		}
		_, err := w.reorganise(d(5), below("A2", "B"))
		details := problem.From(err)[0].Details
		equal(t, "the cycle, from the agent upwards", fmt.Sprint(details["cycle"]), "[A2 B]")
		equal(t, "the first day it would exist", fmt.Sprint(details["onDate"]), d(50).String())
		_, err = w.Reorganise(w.ctx, agency.Reorganisation{Team: "west", Moves: []agency.Move{below("A", "")}, Initiator: " "}, false)
		equal(t, "initiator", problems(err), []string{"REQUIRED initiator"})
		_, err = w.Reorganise(w.ctx, agency.Reorganisation{Team: "west", Moves: []agency.Move{below("A", "")}, Initiator: "x"}, false)
		equal(t, "team", problems(err), []string{"UNKNOWN_TEAM team"})
	})
}

// Reorganisations and single changes at once wait for each other and never
// fail for it, and no cycle comes of them.
func TestReorganisationsAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		codes := []string{"A0", "A1", "A2", "A3"}
		for _, code := range codes {
			w.register(newcomer(code))
		}
		var all sync.WaitGroup
		allowed := func(err error) {
			if err != nil && !problem.Has(err, problem.CircularHierarchy) {
				t.Error(err)
			}
		}
		for i := range 16 {
			a, b, c := codes[i%4], codes[(i+1)%4], codes[(i+2)%4]
			all.Go(func() {
				_, err := w.reorganise(agentToday.AddDays(i%3), below(a, b), below(c, a))
				allowed(err)
			})
			all.Go(func() {
				_, err := w.applyUpline(b, &c, agentToday.AddDays(i%5), nil)
				allowed(err)
			})
			all.Go(func() { w.noError(w.applyLevel(a, 20, agentToday, nil)) })
		}
		all.Wait()
		w.checkNoCycle(t)
	})
}
