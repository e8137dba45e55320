package agency_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// "Circular hierarchies are rejected: an agent cannot become the upline of one
// of its own uplines, directly or indirectly" (Teams, 2), on any day.
func TestCircularHierarchyIsRejected(t *testing.T) {
	d := agentToday.AddDays
	onEach(t, func(t *testing.T, w *agentWorld) {
		for _, code := range []string{"A", "B", "C", "D"} {
			w.register(since(newcomer(code), d(-100)))
		}
		refused := func(name, agent, upline string, from date.Date, through *date.Date) {
			t.Helper()
			w.unchanged(func() {
				_, err := w.applyUpline(agent, &upline, from, through)
				equal(t, name, problems(err), []string{"CIRCULAR_HIERARCHY uplineAgentCode"})
			})
		}
		w.must(w.applyUpline("B", new("A"), agentToday, nil))
		refused("itself", "A", "A", agentToday, nil)
		refused("direct", "A", "B", agentToday, nil)
		w.must(w.applyUpline("C", new("B"), agentToday, nil))
		refused("indirect", "A", "C", agentToday, nil)
		w.must(w.applyUpline("D", new("C"), d(50), d(60).Ptr()))
		refused("through a future period", "A", "D", agentToday, nil)
		refused("on its last day", "A", "D", d(60), d(60).Ptr())
		w.must(w.applyUpline("A", new("D"), d(61), d(70).Ptr()))
		w.must(w.applyUpline("A", nil, d(61), d(70).Ptr()))

		w.must(w.applyUpline("C", new("D"), d(-50), d(-40).Ptr()))
		refused("through a past period", "D", "C", d(-40), d(-30).Ptr())
		w.must(w.applyUpline("D", new("C"), d(-39), d(-30).Ptr()))

		_, err := w.applyUpline("A", new("C"), d(-10), d(10).Ptr())
		details := problem.From(err)[0].Details
		equal(t, "the cycle, from the agent upwards", fmt.Sprint(details["cycle"]), "[A C B]")
		equal(t, "the first day it would exist", fmt.Sprint(details["onDate"]), agentToday.String())
	})
}

// Many writers at once move agents around. Nothing but a cycle is refused, no
// two live periods of an agent overlap, and on no day is there a cycle.
func TestConcurrentMoves(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		const agents, writers, moves = 8, 8, 12
		for i := range agents {
			w.register(since(newcomer(fmt.Sprintf("A%d", i)), agentToday.AddDays(-30)))
		}
		var all sync.WaitGroup
		for writer := range writers {
			all.Go(func() {
				dice := rand.New(rand.NewPCG(7, uint64(writer)))
				for range moves {
					if err := w.randomMove(dice, agents); err != nil && !problem.Has(err, problem.CircularHierarchy) {
						t.Errorf("writer %d: %v", writer, err)
					}
				}
			})
		}
		all.Wait()
		w.checkHistories(t, "agency_upline_period")
		w.checkHistories(t, "agency_level_period")
		w.checkHistories(t, "agency_pay_status_period")
		w.checkNoCycle(t)
	})
}

// Moves that are fine by themselves and a cycle together: whatever their order,
// one of them is refused.
func TestMovesAtOnceCloseNoCycle(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		ring := []string{"A", "B", "C"}
		for _, code := range ring {
			w.register(newcomer(code))
		}
		for round := range 20 {
			on := agentToday.AddDays(round)
			refused := make(chan bool, len(ring))
			for i, code := range ring {
				go func() {
					_, err := w.applyUpline(code, &ring[(i+1)%len(ring)], on, &on)
					if err != nil && !problem.Has(err, problem.CircularHierarchy) {
						t.Error(err)
					}
					refused <- err != nil
				}()
			}
			n := 0
			for range ring {
				if <-refused {
					n++
				}
			}
			equal(t, "refused", n, 1)
		}
		w.checkNoCycle(t)
	})
}

func (w *agentWorld) randomMove(dice *rand.Rand, agents int) error {
	code := fmt.Sprintf("A%d", dice.IntN(agents))
	upline := fmt.Sprintf("A%d", dice.IntN(agents))
	from := agentToday.AddDays(dice.IntN(40) - 20)
	var through *date.Date
	if dice.IntN(3) > 0 {
		through = from.AddDays(dice.IntN(15)).Ptr()
	}
	switch dice.IntN(6) {
	case 0:
		_, err := w.membership(code, agency.MembershipUpdate{DirectUpline: patch.Set(upline), Level: patch.Set(10 * (1 + dice.IntN(9)))})
		return err
	case 1:
		_, err := w.applyUpline(code, nil, from, through)
		return err
	case 2:
		_, err := w.applyStatus(code, []string{"Active", "Suspended"}[dice.IntN(2)], from, through)
		return err
	default:
		_, err := w.applyUpline(code, &upline, from, through)
		return err
	}
}

// interval is a live period.
type interval struct {
	owner, value int64
	from         date.Date
	through      *date.Date
}

func (w *agentWorld) intervals(table, value string) []interval {
	w.t.Helper()
	all, err := store.Collect(w.ctx, w.store, func(r store.Scanner) (i interval, err error) {
		err = r.Scan(&i.owner, &i.value, &i.from, &i.through)
		return i, err
	}, "SELECT agent_id, "+value+", effective_from, effective_through FROM "+table+
		" WHERE tenant_id = $1 AND superseded_at IS NULL ORDER BY agent_id, effective_from", w.tenantID())
	w.must(all, err)
	return all
}

// checkHistories: "A history is a list of non-overlapping periods"
// (Effective-dated history rules), and from its first day on it has no hole,
// since every period was applied to a history without one.
func (w *agentWorld) checkHistories(t *testing.T, table string) {
	t.Helper()
	all := w.intervals(table, "0")
	if table != "agency_level_period" && len(all) < 8 {
		t.Errorf("%s: %d live periods of 8 agents", table, len(all))
	}
	for i, p := range all {
		if i == 0 || all[i-1].owner != p.owner {
			continue
		}
		before := all[i-1]
		if before.through == nil || *before.through >= p.from {
			t.Errorf("%s: overlap of agent %d at %s", table, p.owner, p.from)
		} else if table != "agency_level_period" && *before.through+1 != p.from {
			t.Errorf("%s: hole of agent %d before %s: an update was lost", table, p.owner, p.from)
		}
	}
}

// checkNoCycle walks up from every agent on every day on which a period starts.
func (w *agentWorld) checkNoCycle(t *testing.T) {
	t.Helper()
	all := w.intervals("agency_upline_period", "coalesce(upline_agent_id, 0)")
	days := map[date.Date]bool{}
	for _, p := range all {
		days[p.from] = true
	}
	for on := range days {
		up := map[int64]int64{}
		for _, p := range all {
			if p.from <= on && on <= date.OrMax(p.through) {
				up[p.owner] = p.value
			}
		}
		for start := range up {
			var seen []int64
			for at := start; at != 0; at = up[at] {
				if slices.Contains(seen, at) {
					t.Errorf("cycle on %s: %v", on, append(seen, at))
					return
				}
				seen = append(seen, at)
			}
		}
	}
}

// Two writers change the same agent: each finds what the other left. No update
// is lost, so each of many days has the value that was applied to it.
func TestNoUpdateIsLost(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(since(newcomer("U1"), agentToday))
		w.register(since(newcomer("A1"), agentToday))
		var all sync.WaitGroup
		for i := range 20 {
			on := agentToday.AddDays(2 * i)
			all.Go(func() { w.noError(w.applyStatus("A1", "Suspended", on, &on)) })
			all.Go(func() { w.noError(w.applyLevel("A1", 20, on, &on)) })
			all.Go(func() { w.noError(w.applyUpline("A1", new("U1"), on, &on)) })
			all.Go(func() {
				w.noErr(w.UpdateAgent(w.ctx, "A1", agency.AgentUpdate{Details: agency.Details{NPN: patch.Set(fmt.Sprint(i))}, Initiator: "edit"}))
			})
		}
		all.Wait()
		for i := range 20 {
			on := agentToday.AddDays(2 * i)
			equal(t, "pay status", slices.Contains(w.statusHistory("A1"), span("Suspended", on, &on)), true)
			equal(t, "level", slices.Contains(w.levelHistory("A1"), span("20", on, &on)), true)
			equal(t, "upline", slices.Contains(w.uplineHistory("A1"), span("U1", on, &on)), true)
		}
	})
}

func (w *agentWorld) noError(_ record.Change, err error) { w.noErr(false, err) }

func (w *agentWorld) noErr(_ bool, err error) {
	if err != nil {
		w.t.Error(err)
	}
}

// Agents are deleted while others are placed below them: whoever comes second
// is told, and nobody is left below an agent that is gone.
func TestDeleteWhileOthersArePlacedBelow(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		for round := range 40 {
			boss := fmt.Sprintf("BOSS%d", round)
			w.register(newcomer(boss))
			var both sync.WaitGroup
			var removed, moved, registered error
			both.Go(func() { _, removed = w.DeleteAgent(w.ctx, boss, nil, "hr") })
			both.Go(func() { _, moved = w.applyUpline("A1", &boss, agentToday, nil) })
			both.Go(func() { _, registered = w.Register(w.ctx, under(boss, ""), false) })
			both.Wait()
			for name, err := range map[string]error{"delete": removed, "move": moved, "register": registered} {
				if err != nil && problem.From(err) == nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if removed == nil && (moved == nil || registered == nil) {
				t.Errorf("round %d: deleted, and others are below it: move %v, register %v; %v", round, moved, registered, w.uplineHistory("A1"))
			}
		}
	})
}

// The chain that is checked is the tenant's own.
func TestCycleIsPerTenant(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		for _, ctx := range []context.Context{w.ctx, w.other} {
			w.must(w.Register(ctx, newcomer("A"), false))
			w.must(w.Register(ctx, newcomer("B"), false))
		}
		w.must(w.applyUpline("B", new("A"), agentToday, nil))
		w.must(w.ApplyUpline(w.other, "default", agency.UplinePeriodInput{AgentCode: "A", UplineAgentCode: new("B"), EffectiveFrom: agentToday, Initiator: "x"}, false))
	})
}
