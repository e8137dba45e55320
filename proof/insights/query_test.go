package insights_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/money"
)

type parameters = map[string]any

func (w *world) run(t testingT, slug string, p parameters) *insights.Result {
	t.Helper()
	size := 500
	r, err := w.Insight(w.ctx, insights.Request{Slug: slug, Parameters: p, First: &size})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

type testingT interface {
	Helper()
	Fatal(args ...any)
}

// table writes the rows as text, one a line.
func table(r *insights.Result) (lines []string) {
	for _, row := range r.Rows {
		text, err := r.JSON(row)
		if err != nil {
			panic(err)
		}
		lines = append(lines, string(text))
	}
	return lines
}

func with(p parameters, more parameters) parameters {
	all := parameters{}
	for _, m := range []parameters{p, more} {
		for k, v := range m {
			all[k] = v
		}
	}
	return all
}

// The period of an agent whose upline was deleted keeps who it was.
func TestDeletedUplinesAreNamed(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.register(t, "E", "D")
		must[[]facts.Outcome](t)(w.RecordProduction(w.ctx, []facts.ProductionInput{policy("E", "ACO", "1")}, batch))
		// Nobody is deleted who is an upline today.
		w.app.As(apptest.Acme).Query(t, `mutation { uplinePeriodApply(input: {agentCode: "E", uplineAgentCode: "A", effectiveFrom: "2026-06-01", initiator: "hr"}) { applied } }`, nil)
		if err := w.delete("D"); err != nil {
			t.Fatal(err)
		}
		for through, want := range map[string]string{"2026-05-31": "D", "2026-06-15": "A"} {
			r := w.run(t, "leaderboard", parameters{"metric": "submittedPremium", "from": "2026-01-01", "through": through})
			column := slices.IndexFunc(r.Columns, func(c insights.Column) bool { return c.Key == "directUpline" })
			if len(r.Rows) != 1 || r.Rows[0].Values[column] != want {
				t.Errorf("through %s: %v; want one row below %s", through, table(r), want)
			}
		}
	})
}

// Pages follow each other, also of rows made in memory, and know how many rows
// there are, behind the last one too; the production of an agent who moved stays
// with the upline of its date.
func TestPagesAndMoves(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		early, late := policy("C", "ACO", "1"), policy("C", "ACO", "2")
		early.SubmittedOn, late.SubmittedOn = ptr(date.Of(2026, 3, 10)), ptr(date.Of(2026, 5, 10))
		must[[]facts.Outcome](t)(w.RecordProduction(w.ctx, []facts.ProductionInput{early, late, policy("D", "ACO", "1")}, batch))
		w.app.As(apptest.Acme).Query(t, `mutation { uplinePeriodApply(input: {agentCode: "C", uplineAgentCode: "D", effectiveFrom: "2026-04-01", initiator: "hr"}) { applied } }`, nil)
		range2026 := parameters{"from": "2026-01-01", "through": "2026-06-15", "metric": "submittedPremium"}
		for root, want := range map[string]string{"A": "1200.50", "B": "1200.50", "C": "2401.00", "D": "2401.00"} {
			total := money.Amount(0)
			for _, row := range w.run(t, "production-summary", with(range2026, parameters{"agentCode": root})).Rows {
				sum, err := money.Parse(row.Values[2].(*money.Sum).String())
				if err != nil {
					t.Fatal(err)
				}
				total += sum
			}
			equal(t, root, total.String(), want)
		}
		for slug, rows := range map[string]int{"leaderboard": 2, "production-summary": 6} {
			all := table(w.run(t, slug, range2026))
			equal(t, slug, len(all), rows)
			for offset := range rows + 2 {
				page := must[*insights.Result](t)(w.Insight(w.ctx, insights.Request{Slug: slug, Parameters: range2026, First: ptr(1), Offset: &offset}))
				equal(t, "total", page.TotalCount, rows)
				equal(t, "page", strings.Join(table(page), ""), strings.Join(all[min(offset, rows):min(offset+1, rows)], ""))
			}
		}
		by := must[*insights.Result](t)(w.Insight(w.ctx, insights.Request{Slug: "production-summary", Parameters: range2026, Sort: ptr("submittedCount desc, period desc")}))
		equal(t, "sorted", []any{by.Rows[0].Values[0], by.Rows[1].Values[0]}, []any{"2026-05", "2026-03"})
		equal(t, "of another tenant", len(must[*insights.Result](t)(w.Insight(w.other, insights.Request{Slug: "leaderboard", Parameters: range2026})).Rows), 0)
	})
}
