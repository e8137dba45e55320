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

// Gatherer returns the source of the metrics, as they are now. Admin refreshes those of
// the database first.
func (a *App) Gatherer() prometheus.Gatherer { return a.metrics }

// Admin serves what whoever runs the server needs: metrics, profiles and the probes. It
// asks for no token, so it belongs on an address that nobody else can reach.
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
	mux.Handle("GET /readyz", a.Health)
}

// countWithin bounds how long a scrape waits for the database.
const countWithin = 5 * time.Second

// counted refreshes the metrics of the backlog before they are shown. What the database
// does not answer is shown as NaN.
func (a *App) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), countWithin)
		defer cancel()
		for name, err := range map[string]error{"webhooks": a.backlog.read(ctx, a.Webhooks), "what waits": readWaiting(ctx, a.Store, a.Clock.Now(), a.waiting)} {
			if err != nil {
				a.Log.WarnContext(ctx, "count "+name, slog.Any("error", err))
			}
		}
		next.ServeHTTP(w, r)
	})
}
