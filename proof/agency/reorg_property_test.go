package agency_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
)

// fire removes every agent of the tenant.
func (w *agentWorld) fire(t *rapid.T) {
	if err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, table := range []string{"agency_upline_period", "agency_agent"} {
			if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE tenant_id = $1", w.tenantID()); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func anyMove(t *rapid.T, code string, codes []string) agency.Move {
	m := agency.Move{AgentCode: code}
	if rapid.IntRange(0, 3).Draw(t, "says an upline") > 0 {
		m.NewUpline = below("", rapid.SampledFrom(append([]string{""}, codes...)).Draw(t, "upline")).NewUpline
	}
	if !m.NewUpline.Sent || rapid.Bool().Draw(t, "says a level") {
		m.NewLevel = patch.Set(rapid.SampledFrom([]int{10, 20, 20, 11}).Draw(t, "level"))
	}
	return m
}

// withoutRows takes away what a dry run has none of: the ids of new rows.
func withoutRows(out agency.Reorganised) agency.Reorganised {
	for _, m := range out.Moves {
		for _, c := range []*record.Change{m.Upline, m.Level} {
			if c != nil {
				c.PeriodID = nil
			}
		}
	}
	return out
}

// "dryRun stops after planning": for any agency and any moves a dry run answers
// what the write then answers, and leaves every row as it is. The answer is that
// of a naive count.
func TestReorganiseDryRunIsWhatTheWriteDoes(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		rapid.Check(t, func(rt *rapid.T) {
			w.fire(rt)
			codes := []string{"A0", "A1", "A2", "A3", "A4", "A5"}
			for _, code := range codes {
				w.register(since(newcomer(code), agentToday.AddDays(-30)))
			}
			for range 8 {
				from := agentToday.AddDays(rapid.IntRange(-20, 20).Draw(rt, "from"))
				var through *date.Date
				if rapid.Bool().Draw(rt, "ends") {
					through = from.AddDays(rapid.IntRange(0, 15).Draw(rt, "days")).Ptr()
				}
				upline := rapid.SampledFrom(codes).Draw(rt, "upline")
				_, _ = w.applyUpline(rapid.SampledFrom(codes).Draw(rt, "agent"), &upline, from, through) // a cycle changes nothing
			}
			in := agency.Reorganisation{Team: "default", EffectiveFrom: agentToday.AddDays(rapid.IntRange(-40, 20).Draw(rt, "day")), Initiator: "reorg"}
			for _, code := range rapid.Permutation(codes).Draw(rt, "order")[:rapid.IntRange(1, 4).Draw(rt, "moves")] {
				in.Moves = append(in.Moves, anyMove(rt, code, codes))
			}
			before, rows := w.agency(in.EffectiveFrom), w.dump()
			preview, previewErr := w.Reorganise(w.ctx, in, true)
			if !reflect.DeepEqual(w.dump(), rows) {
				rt.Fatal("the dry run changed a row")
			}
			out, err := w.Reorganise(w.ctx, in, false)
			if !reflect.DeepEqual(withoutRows(preview), withoutRows(out)) || fmt.Sprint(previewErr) != fmt.Sprint(err) {
				rt.Fatalf("dry run %+v, %v\nwrite %+v, %v", preview, previewErr, out, err)
			}
			w.checkNoCycle(t)
			if err == nil {
				w.checkReorganised(rt, in.EffectiveFrom, out, before, w.agency(in.EffectiveFrom))
			} else if !reflect.DeepEqual(w.dump(), rows) {
				rt.Fatal("a refused reorganisation changed a row")
			}
		})
	})
}

// agency is who is below whom on a day.
func (w *agentWorld) agency(on date.Date) map[int64]int64 {
	up := map[int64]int64{}
	for _, p := range w.intervals("agency_upline_period", "coalesce(upline_agent_id, 0)") {
		if p.from <= on && on <= date.OrMax(p.through) {
			up[p.owner] = p.value
		}
	}
	return up
}

// depth is the distance from the root; isBelow says whether it leads over above.
func depth(up map[int64]int64, id, above int64) (n int, isBelow bool) {
	isBelow = id == above
	for at := up[id]; at != 0; at = up[at] {
		n++
		isBelow = isBelow || at == above
	}
	return n, isBelow
}

// otherUpline compares the uplines of each day, for as long as anything ends.
func otherUpline(c *record.Change, from date.Date) bool {
	on := func(all []record.Planned, day date.Date) (code string) {
		for _, p := range all {
			if day >= p.EffectiveFrom && (p.EffectiveThrough == nil || day <= *p.EffectiveThrough) && p.Value != nil {
				code = *p.Value
			}
		}
		return code
	}
	for day := from; day < from.AddDays(120); day++ {
		if on(c.Before, day) != on(c.After, day) {
			return true
		}
	}
	return false
}

func (w *agentWorld) checkReorganised(t *rapid.T, from date.Date, out agency.Reorganised, before, after map[int64]int64) {
	everyone, err := store.Collect(w.ctx, w.store, store.ScanOne[int64], "SELECT id FROM agency_agent WHERE tenant_id = $1", w.tenantID())
	w.must(everyone, err)
	affected := map[int64]bool{}
	for _, m := range out.Moves {
		size := 0
		for _, id := range everyone {
			if _, isBelow := depth(before, id, m.AgentID); isBelow {
				size++
				if m.Upline != nil && otherUpline(m.Upline, from) {
					affected[id] = true
				}
			}
		}
		if m.SubtreeSize != size || m.FromUplineID != before[m.AgentID] || m.ToUplineID != after[m.AgentID] {
			t.Fatalf("%+v, want %d agents from %d to %d", m, size, before[m.AgentID], after[m.AgentID])
		}
	}
	deepest := func(up map[int64]int64) (most int) {
		for id := range affected {
			n, _ := depth(up, id, 0)
			most = max(most, n)
		}
		return most
	}
	got := []int{out.AffectedAgents, out.MaxDepthBefore, out.MaxDepthAfter}
	if want := []int{len(affected), deepest(before), deepest(after)}; !reflect.DeepEqual(got, want) {
		t.Fatalf("affected, depth before and after: %v, want %v", got, want)
	}
}
