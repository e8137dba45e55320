package agency_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// BenchmarkSearches reads the first page of what people type, in an agency of 10,000 or of
// as many as UPLINE_BENCH_AGENTS says. It tells the median of 21 reads of each, and how
// many are found.
//
//	UPLINE_BENCH_AGENTS=100000 go test ./proof/agency -run '^$' -bench Searches -benchtime 1x
func BenchmarkSearches(b *testing.B) {
	agents := 10_000
	if n, err := strconv.Atoi(os.Getenv("UPLINE_BENCH_AGENTS")); err == nil {
		agents = n
	}
	for name, open := range map[string]func(testing.TB) *store.Store{"sqlite": dbtest.SQLite, "postgres": dbtest.PostgresOwner} {
		b.Run(name, func(b *testing.B) {
			w := newListed(b, open(b), agents)
			if w.store.Postgres() {
				w.exec(b, "ANALYZE")
			}
			var first, last, email, code string
			_, err := store.One(w.ctx, w.store, []any{&first, &last, &email, &code}, "SELECT first_name, last_name, email, code FROM agency_agent WHERE tenant_id = $1 AND email IS NOT NULL ORDER BY code LIMIT 1 OFFSET 777", w.tenantID(b))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				for _, query := range []string{code, email, email[:9], last, first + " " + last, last[:3] + " " + first[:2], last[:2], last[:1], last[2:], code[2:], "555-0142", "zzzz"} {
					ms, n := w.search(b, query)
					fmt.Printf("%s %d agents %6.1f ms %6d found by %q\n", name, agents, ms, n, query)
				}
			}
		})
	}
}

func (w *listed) tenantID(b *testing.B) (id int64) {
	b.Helper()
	if _, err := store.One(w.ctx, w.store, []any{&id}, "SELECT id FROM tenant WHERE identifier = 'listed'"); err != nil {
		b.Fatal(err)
	}
	return id
}

func (w *listed) search(b *testing.B, query string) (ms float64, found int) {
	b.Helper()
	list, err := w.AgentList(w.ctx, agency.AgentFilter{Query: &query}, nil, history.AsOf{Day: w.today})
	if err != nil {
		b.Fatal(err)
	}
	var all []float64
	for range 21 {
		began := time.Now()
		if _, err := texts(list, "a.code").Page(w.ctx, page.Args{First: new(12)}); err != nil {
			b.Fatal(err)
		}
		all = append(all, float64(time.Since(began).Microseconds())/1000)
	}
	slices.Sort(all)
	if found, err = list.Count(w.ctx); err != nil {
		b.Fatal(err)
	}
	return all[len(all)/2], found
}
