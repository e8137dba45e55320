package app

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Gatherer is what the metrics are read from, as they are; Admin brings those of the
// database up to date first.
func (a *App) Gatherer() prometheus.Gatherer { return a.metrics }

// Admin serves what is for those who run the server, and asks for no token: metrics,
// profiles and the probes. It belongs on an address that nobody else reaches.
func (a *App) Admin() http.Handler {
	mux := http.NewServeMux()
	a.probes(mux)
	mux.Handle("GET /metrics", a.counted(promhttp.HandlerFor(a.metrics, promhttp.HandlerOpts{})))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

func (a *App) probes(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /readyz", a.ready)
}

// countWithin bounds what a scrape waits for the database.
const countWithin = 5 * time.Second

// counted reads what is behind before the metrics are shown; what the database does
// not answer is shown as NaN.
func (a *App) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), countWithin)
		defer cancel()
		for name, read := range map[string]func(context.Context) error{"webhooks": a.readBacklog, "what waits": a.readWaiting} {
			if err := read(ctx); err != nil {
				a.Log.WarnContext(ctx, "count "+name, slog.Any("error", err))
			}
		}
		next.ServeHTTP(w, r)
	})
}
