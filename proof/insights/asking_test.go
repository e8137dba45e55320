package insights_test

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// asking is one way of asking about a random agency: who asks, for which scope,
// and whom the answer may be about.
type asking struct {
	ctx    context.Context
	given  parameters
	root   string // of the scope
	within func(agent string, day date.Date) bool
	// sees is about the caller: without a limit, everybody.
	sees func(agent string) bool
}

// askings are every scope, and a limited caller who asks for the whole agency.
func (w *world) askings(t *rapid.T, a *random) (all []asking) {
	root := rapid.SampledFrom(a.codes).Draw(t, "root")
	everybody := func(string) bool { return true }
	below := func(agent string) bool { return a.below(root, agent, today) }
	return []asking{
		{w.ctx, parameters{}, "", func(string, date.Date) bool { return true }, everybody},
		{w.ctx, parameters{"scope": "personal", "agentCode": root}, root, func(agent string, _ date.Date) bool { return agent == root }, everybody},
		{w.ctx, parameters{"agentCode": root}, root, func(agent string, day date.Date) bool { return a.below(root, agent, day) }, everybody},
		{w.limitedTo(t, root), parameters{"scope": "agency"}, "", func(agent string, day date.Date) bool {
			// Who was below the agent on the day, by those whom the caller sees today.
			for ; agent != root && below(agent); agent = on(a.uplines[agent], day) {
			}
			return agent == root
		}, below},
	}
}

// limitedTo is the context of a caller who sees an agent and its downline of today.
func (w *world) limitedTo(t *rapid.T, root string) context.Context {
	var id int64
	w.write(t, func(exec func(string, ...any)) { // what was planted is not flattened
		exec("UPDATE hierarchy_build SET changed_version = built_version + 1 WHERE tenant_id = $1", w.tenantID(t))
	})
	if found, err := store.One(w.ctx, w.store, []any{&id}, "SELECT id FROM agency_agent WHERE tenant_id = $1 AND code = $2", w.tenantID(t), root); err != nil || !found {
		t.Fatal(root, err)
	}
	return tenant.WithCaller(w.ctx, tenant.Caller{Subject: "test", Scopes: apptest.Agency, Within: &id, Clock: w.app.Clock})
}

// zone is the time zone of the agency; in sets it.
func (w *world) zone() *time.Location { return w.app.Tenants[apptest.Acme].Zone }

func (w *world) in(t *rapid.T, name string) {
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	w.app.Tenants[apptest.Acme].Zone = zone
}

// write runs statements in one transaction.
func (w *world) write(t *rapid.T, f func(exec func(query string, args ...any))) {
	t.Helper()
	err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		f(func(query string, args ...any) {
			if _, err := tx.Exec(ctx, query, args...); err != nil {
				t.Fatalf("%s: %v", query, err)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// holds runs a query and compares its rows, as text and in their order, with
// those that are wanted. Its pages, joined, are the same, sorted by each of its
// columns too; and so are its rows, if only those that sort alike have changed
// places.
func (w *world) holds(t *rapid.T, ask asking, slug string, p parameters, want [][]any) {
	t.Helper()
	p = with(ask.given, p)
	got := w.paged(t, ask.ctx, slug, p, nil)
	same(t, fmt.Sprint(slug, " ", p), lines(got), wanted(want))
	var sortable []int
	for i, c := range got.Columns {
		if c.CanSort() {
			sortable = append(sortable, i)
		}
	}
	i := rapid.SampledFrom(sortable).Draw(t, "sorted by")
	clause := got.Columns[i].Key + rapid.SampledFrom([]string{"", " desc"}).Draw(t, "direction")
	sorted := w.paged(t, ask.ctx, slug, p, &clause)
	for n := range len(sorted.Rows) - 1 {
		if a, b := sorted.Rows[n].Values[i], sorted.Rows[n+1].Values[i]; !inOrder(a, b, strings.HasSuffix(clause, " desc")) {
			t.Fatalf("%s by %s: %v is before %v", slug, clause, a, b)
		}
	}
	same(t, "sorted "+slug, slices.Sorted(slices.Values(lines(sorted))), slices.Sorted(slices.Values(wanted(want))))
}

// paged returns all rows of a query, and fails unless its pages join to them.
func (w *world) paged(t *rapid.T, ctx context.Context, slug string, p parameters, sort *string) *insights.Result {
	t.Helper()
	ask := func(first, offset int) *insights.Result {
		r, err := w.Insight(ctx, insights.Request{Slug: slug, Parameters: p, Sort: sort, First: &first, Offset: &offset})
		if err != nil {
			t.Fatalf("%s %v: %v", slug, p, err)
		}
		return r
	}
	whole := ask(500, 0)
	var joined []string
	for offset := 0; offset == 0 || offset < len(whole.Rows); offset += 3 {
		page := ask(3, offset)
		same(t, "total", page.TotalCount, len(whole.Rows))
		joined = append(joined, lines(page)...)
	}
	same(t, slug+", the pages joined", joined, lines(whole))
	return whole
}

func lines(r *insights.Result) []string {
	rows := make([][]any, len(r.Rows))
	for i, row := range r.Rows {
		rows[i] = row.Values
	}
	return wanted(rows)
}

func wanted(rows [][]any) (lines []string) {
	for _, row := range rows {
		lines = append(lines, fmt.Sprint(row))
	}
	return lines
}

// inOrder is the order that a sort clause asks for: missing values last.
func inOrder(a, b any, desc bool) bool {
	if a == nil || b == nil {
		return b == nil
	}
	n := 0
	switch a := a.(type) {
	case string:
		n = strings.Compare(a, b.(string))
	case int64:
		n = int(a - b.(int64))
	case money.Amount:
		n = int(a - b.(money.Amount))
	case date.Date:
		n = int(a - b.(date.Date))
	case bool:
		if a != b.(bool) {
			n = -1
			if a {
				n = 1
			}
		}
	default:
		panic(fmt.Sprintf("%T", a))
	}
	return n == 0 || (n < 0) != desc
}

// percent is how many of 100 of a whole a part is, exactly, then rounded half up.
func percent(part, whole int) any {
	if whole == 0 {
		return nil
	}
	return big.NewRat(int64(part)*100, int64(whole)).FloatString(2)
}

// averageDays is so much time, of whole minutes, among so many, in days.
func averageDays(total time.Duration, among int) string {
	return big.NewRat(int64(total/time.Minute), 24*60*int64(among)).FloatString(2)
}

// payStatuses draws a pay status of its own for each agent, or a few one after
// the other; some agents begin later than others.
func (a *random) payStatuses(t *rapid.T) {
	for _, code := range a.codes {
		day := start.AddDays(rapid.IntRange(0, 60).Draw(t, "begins"))
		a.statuses[code] = nil
		for range rapid.IntRange(1, 3).Draw(t, "statuses") {
			a.statuses[code] = append(a.statuses[code], since{day, rapid.SampledFrom([]string{"Active", "On Hold", "Vested", "Terminated"}).Draw(t, "status")})
			day = day.AddDays(rapid.IntRange(1, 50).Draw(t, "days"))
		}
	}
}

// isActive and canBePaid are what the starter reference data says of pay statuses.
func isActive(status string) bool { return status == "Active" || status == "On Hold" }

func canBePaid(status string) bool { return status == "Active" || status == "Vested" }

// someDay is one on which much is going on in a random agency, or today.
func someDay(t *rapid.T) date.Date {
	return rapid.OneOf(rapid.Just(today), rapid.Map(rapid.IntRange(-3, 170), start.AddDays)).Draw(t, "on")
}

// someDays is a range in which agents move: days on which they were below an
// agent, and days on which they were not.
func someDays(t *rapid.T) (from, through date.Date) {
	from = start.AddDays(rapid.IntRange(-1, 60).Draw(t, "from"))
	return from, from.AddDays(rapid.IntRange(0, 120).Draw(t, "days"))
}

// onRandom runs a check on random agencies, on every database.
func onRandom(t *testing.T, f func(t *rapid.T, w *world, a *random)) {
	onEach(t, func(t *testing.T, w *world) {
		n := 0
		rapid.Check(t, func(t *rapid.T) {
			n++
			w.clear(t)
			a := draw(t, fmt.Sprintf("R%d-", n))
			f(t, w, a)
		})
	})
}
