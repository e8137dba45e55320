package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// listed is how many agents the agency has whose lists are paged, pageRows how many rows
// are on a page.
const listed, pageRows = 400_000, 100

// pagedLists are the lists; the one with a filter has 44,000 rows, the others all.
var pagedLists = []string{
	"/agents?sort=agentCode",
	"/agents?sort=lastName%20DESC",
	"/agents?sort=lastName&lastName=page1",
	"/agents?sort=startDate&payStatus=Suspended",
	"/agents?sort=lastName,startDate%20DESC",
	"/payees/assigned-statuses?sort=effectiveFrom",
}

// BenchmarkPages compares the first, the middle and the last page of lists of 400,000 rows
// over REST, as JSON and as CSV: "as ratios to the first page (≤ 2)". Before a "fresh"
// page the agency has changed, so no total and no place in the list is known.
func BenchmarkPages(b *testing.B) {
	onListed(b, listed, comparePages)
}

// onListed runs a benchmark on both databases with an agency of so many agents.
func onListed(b *testing.B, agents int, run func(*testing.B, *apptest.World)) {
	for _, of := range []struct {
		name string
		open func(testing.TB) string
	}{{"sqlite", dbtest.SQLiteURL}, {"postgres", func(t testing.TB) string { return dbtest.OwnerURL(dbtest.PostgresURL(t)) }}} {
		b.Run(of.name, func(b *testing.B) {
			url := of.open(b)
			s, err := store.Open(b.Context(), url)
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(s.Close)
			w := apptest.New(b, s, apptest.Options{Now: clock.System{}.Now()})
			if err := enlist(w.Context(b, apptest.Acme), w, agents); err != nil {
				b.Fatal(err)
			}
			if of.name == "postgres" {
				if err := settle(b.Context(), url); err != nil {
					b.Fatal(err)
				}
			}
			run(b, w)
		})
	}
}

// BenchmarkAnyPage asks over 16 connections for pages of 50 of a list of 100,000: any of the
// 2,000 over REST, the first one, and the first one over GraphQL with the same fields. "The
// page of 50 at any depth ≤ 1.25 × GraphQL's cost." So is the first one with five fields.
func BenchmarkAnyPage(b *testing.B) {
	const agents, rows, clients, each = 100_000, 50, 16, 40
	onListed(b, agents, func(b *testing.B, w *apptest.World) {
		token, server := w.As(apptest.Acme).Token(b), w.Handler()
		ask := func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+token)
			answer := httptest.NewRecorder()
			if server.ServeHTTP(answer, r); answer.Code != http.StatusOK || answer.Body.Len() < rows*50 {
				b.Errorf("%d %.300s", answer.Code, answer.Body)
			}
		}
		page := func(index int, more string) *http.Request {
			return httptest.NewRequestWithContext(b.Context(), http.MethodGet, fmt.Sprintf("/agency-management/acme/agents?sort=lastName&pageSize=%d&pageIndex=%d%s", rows, index, more), nil)
		}
		query := func(document string) func() *http.Request {
			body := fmt.Sprintf(`{"query":%q,"variables":{"first":%d,"orderBy":[{"field":"LAST_NAME","direction":"ASC"}]}}`, document, rows)
			return func() *http.Request {
				r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/graphql/acme", strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				return r
			}
		}
		const five = `query ($orderBy: [AgentOrder!], $first: Int) { agents(orderBy: $orderBy, first: $first) {
			nodes { agentCode firstName lastName email status: payStatus { name } } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
		for _, kind := range []struct {
			name string
			next func() *http.Request
		}{
			{"GraphQL", query(stored("agents"))},
			{"first", func() *http.Request { return page(1, "") }},
			{"any", func() *http.Request { return page(1+rand.IntN(agents/rows), "") }},
			{"last", func() *http.Request { return page(agents/rows, "") }},
			{"GraphQL-five", query(five)},
			{"five", func() *http.Request { return page(1, "&fields=agentCode,firstName,lastName,email,status") }},
		} {
			b.Run(kind.name, func(b *testing.B) {
				var took, used time.Duration
				for b.Loop() {
					began, cpu := time.Now(), cpuTime(b)
					var asking sync.WaitGroup
					for range clients {
						asking.Go(func() {
							for range each {
								ask(kind.next())
							}
						})
					}
					asking.Wait()
					took, used = took+time.Since(began), used+cpuTime(b)-cpu
				}
				pages := float64(b.N * clients * each)
				b.ReportMetric(pages/took.Seconds(), "pages/s")
				b.ReportMetric(used.Seconds()*1000/pages, "cpu-ms/page")
				b.ReportMetric(0, "ns/op")
			})
		}
	})
}

// enlist adds the agents, with a pay status each; every second one is suspended.
func enlist(ctx context.Context, w *apptest.World, agents int) error {
	return w.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		tenant, now := w.Tenants[apptest.Acme].ID, w.Clock.Now()
		if _, err := tx.Exec(ctx, `INSERT INTO agency_agent (tenant_id, code, first_name, last_name, first_name_key, last_name_key, common_name_key, email_key,
				is_dedicated, start_date, created_at, created_by, last_modified, last_modified_by)
			WITH RECURSIVE k(n) AS (SELECT CAST(100000 AS bigint) UNION ALL SELECT n + 1 FROM k WHERE n < $3)
			SELECT $1, 'P' || n, 'Pat', 'Page' || (n * 7919 % 999983), 'pat', 'page' || (n * 7919 % 999983), '', '', false, $2, $2, 'bench', $2, 'bench' FROM k`,
			tenant, now, 100_000+agents-1); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO agency_pay_status_period (tenant_id, agent_id, status, effective_from, recorded_at, recorded_by)
			SELECT a.tenant_id, a.id, CASE WHEN a.id % 2 = 0 THEN 'Active' ELSE 'Suspended' END, $2, $3, 'bench' FROM agency_agent a WHERE a.tenant_id = $1`,
			tenant, date.In(now, time.UTC), now)
		return err
	})
}

// comparePages asks for all pages in turns, so that what else the machine does falls on all
// of them, and tells medians and ratios to the first page.
func comparePages(b *testing.B, w *apptest.World) {
	c, places := w.As(apptest.Acme), []string{"first", "middle", "last"}
	times, sizes := map[string][]float64{}, map[string]int{}
	for _, list := range pagedLists {
		var page struct{ TotalCount int }
		answer := c.Send(b, http.MethodGet, "/agency-management/{tenant}"+list+"&pageSize=1", nil, nil)
		if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil || page.TotalCount < listed/10 {
			b.Fatalf("%s: %d %s", list, answer.Code, answer.Body)
		}
		sizes[list] = page.TotalCount
	}
	for n := 0; b.Loop(); n++ {
		for _, list := range pagedLists {
			pages := sizes[list] / pageRows
			for _, form := range []string{"application/json", "text/csv"} {
				for k := range places { // none is always the first
					i := (k + n) % len(places)
					index := []int{1, pages/2 + n%50, pages}[i]
					for _, state := range []string{"fresh", "known"} {
						if state == "fresh" {
							touch(b, c, n)
						}
						path := fmt.Sprintf("%s&pageSize=%d&pageIndex=%d", list, pageRows, index)
						began := time.Now()
						answer := c.Send(b, http.MethodGet, "/agency-management/{tenant}"+path, http.Header{"Accept": {form}}, nil)
						elapsed := time.Since(began)
						if answer.Code != http.StatusOK || answer.Body.Len() < pageRows*20 {
							b.Fatalf("%s: %d %s", path, answer.Code, answer.Body)
						}
						key := list + " " + form + " " + state + " " + places[i]
						times[key] = append(times[key], elapsed.Seconds()*1000)
					}
				}
			}
		}
	}
	tellPages(b, times, places)
}

// touch changes the agency.
func touch(b *testing.B, c *apptest.Caller, n int) {
	body := fmt.Appendf(nil, `{"firstName": "Pat%d", "initiator": "bench"}`, time.Now().UnixNano()+int64(n))
	if answer := c.Send(b, http.MethodPatch, "/agency-management/{tenant}/agents/P100000", http.Header{"Content-Type": {"application/json"}}, body); answer.Code != http.StatusOK {
		b.Fatalf("a write: %d %s", answer.Code, answer.Body)
	}
}

func tellPages(b *testing.B, times map[string][]float64, places []string) {
	var lines strings.Builder
	worst := 0.0
	fmt.Fprintf(&lines, "\n| list | | first | middle | last |\n| --- | --- | --: | --: | --: |")
	for _, list := range pagedLists {
		for _, form := range []string{"application/json", "text/csv"} {
			for _, state := range []string{"fresh", "known"} {
				fmt.Fprintf(&lines, "\n| `%s` | %s, %s |", list, strings.TrimPrefix(strings.TrimPrefix(form, "application/"), "text/"), state)
				key := list + " " + form + " " + state + " "
				first := median(times[key+"first"])
				for _, place := range places {
					m := median(times[key+place])
					fmt.Fprintf(&lines, " %.1f ms (%.2f) |", m, m/first)
					worst = max(worst, m/first)
				}
			}
		}
	}
	fmt.Println(lines.String()) // b.Log cuts long tables
	b.ReportMetric(worst, "worst-ratio")
}
