package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// pair is the same asked in two ways; the second may take so many times as long.
type pair struct {
	name          string
	first, second func(b *testing.B) *http.Request
	target        float64
}

// BenchmarkPairs asks the whole server the same in two ways, in turns: over REST and with
// the same document over GraphQL, of a past day and of today, with payees
// and without, with their sensitive values revealed and masked. It tells medians and the median of the ratios; CPU is that of this
// process, without PostgreSQL's.
func BenchmarkPairs(b *testing.B) {
	for _, database := range []struct {
		name string
		open func(testing.TB) *store.Store
	}{{"sqlite", func(t testing.TB) *store.Store { return dbtest.SQLite(t) }}, {"postgres", func(t testing.TB) *store.Store { return dbtest.PostgresOwner(t) }}} {
		b.Run(database.name, func(b *testing.B) {
			w := apptest.New(b, database.open(b), apptest.Options{Now: clock.System{}.Now()})
			w.LoadDemo(b, apptest.Acme, 2000)
			w.RebuildNow(b, apptest.Acme)
			ctx := w.Context(b, apptest.Acme)
			for i := range 50 {
				if err := pay(ctx, w.Agency, fmt.Sprintf("A%d", 1000+i), i); err != nil {
					b.Fatal(err)
				}
			}
			token := w.As(apptest.Acme, append(apptest.Agency, "read:agents:sensitive")...).Token(b)
			for _, p := range pairs(token) {
				b.Run(p.name, func(b *testing.B) { p.run(b, w.Handler()) })
			}
		})
	}
}

func (p pair) run(b *testing.B, server http.Handler) {
	var elapsed, cpu [2][]float64 // in milliseconds
	for b.Loop() {
		for i, ask := range []func(*testing.B) *http.Request{p.first, p.second} {
			r := ask(b)
			began, used := time.Now(), ownUsage()
			answer := httptest.NewRecorder()
			server.ServeHTTP(answer, r)
			elapsed[i] = append(elapsed[i], time.Since(began).Seconds()*1000)
			cpu[i] = append(cpu[i], (ownUsage().CPU-used.CPU).Seconds()*1000)
			if text := answer.Body.String(); answer.Code != http.StatusOK || strings.Contains(text, `"errors"`) {
				b.Fatalf("%d %.300s", answer.Code, text)
			}
		}
	}
	for of, all := range map[string][2][]float64{"": elapsed, "cpu-": cpu} {
		ratios := make([]float64, len(all[0]))
		for i := range ratios {
			ratios[i] = all[1][i] / all[0][i]
		}
		b.ReportMetric(median(all[0]), of+"first-ms")
		b.ReportMetric(median(all[1]), of+"second-ms")
		b.ReportMetric(median(ratios), of+"ratio")
	}
	b.ReportMetric(p.target, "target")
}

func pairs(token string) []pair {
	get := func(path string) func(*testing.B) *http.Request {
		return func(b *testing.B) *http.Request {
			r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, nil)
			r.Header.Set("Authorization", "Bearer "+token)
			return r
		}
	}
	post := func(document, variables string) func(*testing.B) *http.Request {
		body := fmt.Sprintf(`{"query":%q,"variables":%s}`, document, variables)
		return func(b *testing.B) *http.Request {
			r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/graphql/acme", strings.NewReader(body))
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Content-Type", "application/json")
			return r
		}
	}
	today := func(name string) string { return question{name: name}.document() }
	// A day of last spring, on which most of the agency was there.
	past := time.Now().AddDate(0, -6, 0).Format(time.DateOnly)
	dated := func(name string) string {
		d := strings.Replace(today(name), "agents(", `agents(onDate: "`+past+`", `, 1)
		return strings.Replace(d, "agent(", `agent(onDate: "`+past+`", `, 1)
	}
	const one = `{"agentCode":"A1010"}`
	page := today("page")
	withPayees := func(reveal string) string {
		sensitive := regexp.MustCompile(`accountNumber|taxpayerIdentifier|signature|routingNumber`)
		return strings.Replace(page, "agentCode displayName isActive", "agentCode displayName isActive "+sensitive.ReplaceAllString(payees, "$0"+reveal), 1)
	}
	return []pair{
		{"one agent over REST", post(stored("agent"), one), get("/agency-management/acme/agents/A1010"), 1.25},
		{"50 agents over REST", post(stored("agents"), `{"first":50}`), get("/agency-management/acme/agents?pageSize=50"), 1.25},
		{"50 certifications over REST", post(stored("certifications"), `{"first":50}`), get("/agency-management/acme/certifications?pageSize=50"), 1.25},
		{"a page of a past day", post(page, `{}`), post(dated("page"), `{}`), 1.5},
		{"uplines of a past day", post(today("uplines"), one), post(dated("uplines"), one), 1.5},
		{"a flattened downline of a past day", post(today("flattened"), one), post(dated("flattened"), one), 1.5},
		{"50 agents with payee and W9", post(page, `{}`), post(withPayees(""), `{}`), 1.3},
		{"50 W9s and bank accounts revealed", post(withPayees(""), `{}`), post(withPayees("(reveal: true)"), `{}`), 1.3},
	}
}

// stored is the document of a path of REST, with its fragments.
func stored(name string) string {
	read := func(file string) string {
		text, err := os.ReadFile(filepath.Join("../rest/operations/agency", file+".graphql"))
		if err != nil {
			panic(err)
		}
		return string(text)
	}
	document, added := read(name), map[string]bool{}
	for {
		before := len(document)
		for _, spread := range regexp.MustCompile(`\.\.\.(\w+)`).FindAllStringSubmatch(document, -1) {
			if !added[spread[1]] {
				added[spread[1]] = true
				document += "\n" + read("fragments/"+spread[1])
			}
		}
		if len(document) == before {
			return document
		}
	}
}
