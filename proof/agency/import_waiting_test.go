package agency_test

import (
	"context"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
)

// pass goes over rows once, in a transaction of its own.
func (w *agentWorld) pass(apply func(context.Context, *store.Tx, []bulk.Row, string) ([]bulk.Result, error), rows []bulk.Row) (lines []string) {
	w.t.Helper()
	w.must(nil, w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		lines = nil
		results, err := apply(ctx, tx, rows, "import")
		for _, r := range results {
			lines = append(lines, resultLine(r))
		}
		return err
	}))
	return lines
}

// wait imports agents without a place: their upline has not come.
func (w *agentWorld) wait(agents *agency.AgentImport, codes ...string) {
	w.t.Helper()
	for _, code := range codes {
		said := w.pass(agents.Apply, rowsOf(agents, "agentCode="+code+ana+" teams.default.directUpline=LATER"))
		if said[0] != "CREATED" || len(w.uplineHistory(code)) > 0 {
			w.t.Fatalf("%s is %q, with the uplines %v", code, said, w.uplineHistory(code))
		}
	}
}

// An agent that has no place gets it by a row that says one: below an upline, or at
// the top. Apply counts the row as one that changes its agent, which it does on the
// second pass.
func TestImportedPlaceOfAnAgentWithoutOne(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		agents := w.ImportAgents()
		w.wait(agents, "A", "B", "C")
		w.register(since(newcomer("TOP"), date.Of(2026, 1, 1)))
		const upline = " teams.default.directUpline="
		rows := rowsOf(agents, "agentCode=A"+upline+"TOP", "agentCode=A"+upline+"TOP", "agentCode=B"+upline, "agentCode=C")
		equal(t, "first", w.pass(agents.Apply, rows), []string{"UPDATED", "UNCHANGED", "UPDATED", "UNCHANGED"})
		equal(t, "second", w.pass(agents.Second, rows), []string{"UPDATED", "UNCHANGED", "UPDATED", "UNCHANGED"})
		equal(t, "A", w.uplineHistory("A"), []string{"TOP 2026-01-01.."})
		equal(t, "B", w.uplineHistory("B"), []string{"- 2026-01-01.."})
		equal(t, "C", len(w.uplineHistory("C")), 0)
	})
}

// "refused at once, and nothing of it is written": also of a row of an agent that is
// there without a place.
func TestImportedUplineThatWillNotCome(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		agents := w.ImportAgents()
		w.wait(agents, "A")
		rows := rowsOf(agents, "agentCode=A npn=7 teams.default.directUpline=NOBODY")
		rows[0].Outside = true
		equal(t, "row", w.pass(agents.Apply, rows), []string{"REJECTED teams.default.directUpline UNKNOWN_UPLINE"})
		if npn := w.agent("A").NPN; npn.Value != nil {
			t.Errorf("its npn %s was written", *npn.Value)
		}
	})
}

// A row that Apply accepted stays accepted when somebody moves its agent before the
// second pass; where the agent stands then is no matter of the file any more.
func TestAgentIsMovedBetweenThePasses(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		for _, code := range []string{"X", "Y"} {
			w.register(since(newcomer(code), date.Of(2026, 1, 1)))
		}
		agents := w.ImportAgents()
		rows := rowsOf(agents, "agentCode=A"+ana+" teams.default.directUpline=X")
		equal(t, "first", w.pass(agents.Apply, rows), []string{"CREATED"})
		w.must(w.applyUpline("A", new("Y"), date.Of(2026, 2, 1), nil))
		equal(t, "second", w.pass(agents.Second, rows), []string{"UNCHANGED"})
		equal(t, "A", w.uplineHistory("A"), []string{"X 2026-01-01..2026-01-31", "Y 2026-02-01.."})
	})
}
