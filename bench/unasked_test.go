package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// BenchmarkUnasked reads one agent through REST, in turns: plainly, from a server that
// admits other origins, and through the wrapper for compression once more than the
// server has it, none of which the request asks for; then with a request that does ask
// for both. "Cross-origin and compression cost nothing measurable on the point read
// without them being asked for."
func BenchmarkUnasked(b *testing.B) {
	s := dbtest.SQLite(b)
	w := apptest.New(b, s, apptest.Options{Now: clock.System{}.Now(), Origins: []string{"https://portal.example"}})
	w.LoadDemo(b, apptest.Acme, 500)
	w.RebuildNow(b, apptest.Acme)
	open := http.Handler(w)
	w.Origins = nil
	plain := w.Handler()
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(1 << 10))
	if err != nil {
		b.Fatal(err)
	}
	token := w.As(apptest.Acme).Token(b)
	reads := []struct {
		name    string
		handler http.Handler
		asks    http.Header
	}{
		{"plain", plain, nil},
		{"origins", open, nil},
		{"compression", wrap(plain), nil},
		{"both-asked", open, http.Header{"Origin": {"https://portal.example"}, "Accept-Encoding": {"gzip"}}},
	}
	elapsed, cpu := make([][]float64, len(reads)), make([][]float64, len(reads)) // of each, in microseconds
	for b.Loop() {
		for i, read := range reads {
			began, used := time.Now(), ownUsage()
			for range 20 {
				r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/agency-management/acme/agents/A1000", nil)
				for name, values := range read.asks {
					r.Header[name] = values
				}
				r.Header.Set("Authorization", "Bearer "+token)
				answer := httptest.NewRecorder()
				if read.handler.ServeHTTP(answer, r); answer.Code != http.StatusOK {
					b.Fatalf("%d %s", answer.Code, answer.Body)
				}
			}
			elapsed[i] = append(elapsed[i], time.Since(began).Seconds()*1e6/20)
			cpu[i] = append(cpu[i], (ownUsage().CPU-used.CPU).Seconds()*1e6/20)
		}
	}
	for i, read := range reads {
		b.ReportMetric(median(elapsed[i]), read.name+"-µs")
		b.ReportMetric(median(cpu[i]), read.name+"-cpu-µs")
	}
}
