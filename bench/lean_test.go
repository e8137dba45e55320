package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/platform/process"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/telemetry"
)

// leanAgents are the agents of the agency that is asked.
const leanAgents = 300

const ofAgent = `agentCode firstName lastName certifications(first: 10) { nodes { type { code } jurisdiction { code } status } }`

// leanQuestions are asked of the whole server: one agent, a chain, a page.
var leanQuestions = []leanQuestion{
	{"agent", `query W1($code: String!) { agent(agentCode: $code) { agentCode firstName lastName email cellPhone { countryCode areaCode phoneNumber } npn payStatus { name } startDate } }`, `{"code":"A1010"}`},
	{"chain", `query W2($code: String!) { agent(agentCode: $code) { ...A upline { ...A upline { ...A } } } } fragment A on Agent { ` + ofAgent + ` }`, `{"code":"A1200"}`},
	{"page", `query W3($first: Int) { agents(first: $first) { nodes { ` + ofAgent + ` upline { firstName lastName } } } }`, `{"first":50}`},
}

type leanQuestion struct{ name, document, variables string }

// leanDatabases are asked in turn.
var leanDatabases = []struct {
	name string
	url  func(testing.TB) string
}{{"sqlite", dbtest.SQLiteURL}, {"postgres", func(t testing.TB) string { return dbtest.OwnerURL(dbtest.PostgresURL(t)) }}}

// BenchmarkLean asks the whole server, as upline serve starts it with its log and its
// rates, over one connection. allocs and B are those of one request beyond what net/http,
// and on PostgreSQL pgx, allocate for a handler that does nothing but ask one statement; us
// is the CPU time of the process, which asks as well, and floor-us that of the handler.
//
//	go test ./bench -run '^$' -bench Lean -benchtime 20000x
func BenchmarkLean(b *testing.B) {
	process.RelaxGC()
	for _, database := range leanDatabases {
		b.Run(database.name, func(b *testing.B) {
			url := database.url(b)
			address, token := serveLean(b, url)
			floor := serveFloor(b, url)
			for _, q := range leanQuestions {
				b.Run(q.name, func(b *testing.B) {
					ours, least := newRepeater(b, address, token, q), newRepeater(b, floor, token, q)
					b.ResetTimer()
					own := ours.cost(b, b.N)
					b.StopTimer()
					by := least.cost(b, b.N)
					b.ReportMetric(own.allocs-by.allocs, "allocs")
					b.ReportMetric(own.bytes-by.bytes, "B")
					b.ReportMetric(own.cpu, "us")
					b.ReportMetric(by.cpu, "floor-us")
				})
			}
		})
	}
}

// leanBounds are how many allocations, and how many bytes, a request may take: a twelfth
// more than it took when they were written. Of the bytes of an agent some 970 are the headers
// that keep a browser safe: with them, an answer has more than the eight a map holds in one
// piece.
var leanBounds = map[string]struct{ allocs, bytes float64 }{
	"sqlite agent": {245, 14_900}, "sqlite chain": {406, 25_600}, "sqlite page": {2182, 69_700},
	"postgres agent": {152, 11_500}, "postgres chain": {245, 19_700}, "postgres page": {585, 49_200},
}

// A request allocates no more than it needs, beyond what net/http and pgx allocate.
func TestRequestsAreLean(t *testing.T) {
	for _, database := range leanDatabases {
		t.Run(database.name, func(t *testing.T) {
			url := database.url(t)
			address, token := serveLean(t, url)
			floor := serveFloor(t, url)
			for _, q := range leanQuestions {
				own, by := newRepeater(t, address, token, q).cost(t, 300), newRepeater(t, floor, token, q).cost(t, 300)
				allocs, bytes, bound := own.allocs-by.allocs, own.bytes-by.bytes, leanBounds[database.name+" "+q.name]
				if t.Logf("%s: %.0f allocations, %.0f bytes", q.name, allocs, bytes); allocs > bound.allocs || bytes > bound.bytes {
					t.Errorf("%s: %.0f allocations, %.0f bytes; at most %v", q.name, allocs, bytes, bound)
				}
			}
		})
	}
}

// serveLean serves an agency and returns the server's address and a token for it.
func serveLean(tb testing.TB, url string) (address, token string) {
	tb.Helper()
	s, err := store.Open(tb.Context(), url)
	mustBe(tb, err)
	tb.Cleanup(s.Close)
	log, _ := telemetry.NewLog(io.Discard, slog.LevelInfo)
	const enough = 1 << 30
	a, err := app.New(tb.Context(), app.Config{Store: s, Clock: system, Key: key, Issuer: issuer, TokenAlgorithm: "RS256", Log: log,
		Limits: admission.Limits{ClientRate: enough, TenantRate: enough, ClientCost: enough}})
	mustBe(tb, err)
	mustBe(tb, fill(tb.Context(), a, leanAgents))
	served := httptest.NewServer(a.Handler())
	tb.Cleanup(served.Close)
	address = strings.TrimPrefix(served.URL, "http://")
	token, err = (&server{address: address}).fetchToken(tb.Context())
	mustBe(tb, err)
	return address, token
}

// serveFloor serves a handler that reads the request and answers as briefly as ours; on
// PostgreSQL it asks one statement with as many columns.
func serveFloor(tb testing.TB, url string) (address string) {
	tb.Helper()
	query := func(context.Context) error { return nil }
	if strings.HasPrefix(url, "postgres") {
		pool, err := pgxpool.New(tb.Context(), url)
		mustBe(tb, err)
		tb.Cleanup(pool.Close)
		query = func(ctx context.Context) error {
			rows, err := pool.Query(ctx, "SELECT $1::bigint, $2::text, $3::date, 4, 5, 6, 7, 8, 9, 10, 11", int64(1), "A1010", "2026-01-01")
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				_ = rows.RawValues()
			}
			return rows.Err()
		}
	}
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body [1 << 10]byte
		for _, err := r.Body.Read(body[:]); err == nil; _, err = r.Body.Read(body[:]) { //nolint:revive
		}
		if err := query(r.Context()); err != nil {
			panic(err)
		}
		const answer = `{"data":{}}`
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(len(answer)))
		_, _ = io.WriteString(w, answer)
	}))
	tb.Cleanup(served.Close)
	return strings.TrimPrefix(served.URL, "http://")
}

// repeater sends the same request again and again.
type repeater struct {
	*connection
	request []byte
}

func newRepeater(tb testing.TB, address, token string, q leanQuestion) *repeater {
	tb.Helper()
	c, err := dial(address)
	mustBe(tb, err)
	tb.Cleanup(func() { _ = c.conn.Close() })
	body := fmt.Sprintf(`{"query":%q,"variables":%s}`, q.document, q.variables)
	a := &repeater{c, fmt.Appendf(nil, "POST /graphql/%s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json\r\nContent-Length: %d\r\n\r\n%s", tenantIdentifier, token, len(body), body)}
	a.ask(tb, 200) // statements are prepared, memory is pooled
	return a
}

func (a *repeater) ask(tb testing.TB, times int) {
	tb.Helper()
	for range times {
		if _, err := a.roundTrip(a.request, ""); err != nil {
			tb.Fatal(err)
		}
	}
}

// perRequest is what one request takes, on average.
type perRequest struct{ allocs, bytes, cpu float64 }

func (a *repeater) cost(tb testing.TB, times int) perRequest {
	tb.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	used := ownUsage().CPU
	a.ask(tb, times)
	used = ownUsage().CPU - used
	runtime.ReadMemStats(&after)
	n := float64(times)
	return perRequest{float64(after.Mallocs-before.Mallocs) / n, float64(after.TotalAlloc-before.TotalAlloc) / n, float64(used) / float64(time.Microsecond) / n}
}

func mustBe(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
