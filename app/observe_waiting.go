package app

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/uplinehq/upline/internal/platform/store"
)

// waiting is a kind of work whose oldest waiting piece shows how far the work is behind.
type waiting struct {
	name, help string
	// oldest reads since when the oldest piece waits.
	oldest string
	gauge  prometheus.Gauge
}

// newWaitingMetrics returns the metrics of how far the work in the background is behind.
// They cover all tenants and processes, so every process shows the same.
func newWaitingMetrics(registry *prometheus.Registry, s *store.Store) []waiting {
	all := []waiting{
		{name: "upline_hierarchy_stale_seconds", help: "How long the change has waited for a rebuild of the flattened hierarchy that waits longest.",
			oldest: "SELECT queued_at FROM hierarchy_build WHERE changed_version > built_version AND queued_at <= $1 ORDER BY queued_at LIMIT 1"},
		{name: "upline_outbox_unnumbered_seconds", help: "How long the event has waited for its place in the feed that waits longest.",
			oldest: "SELECT occurred_at FROM outbox_event WHERE position IS NULL AND occurred_at <= $1 ORDER BY occurred_at LIMIT 1"},
		{name: "upline_job_overdue_seconds", help: "How long the job has been due that waits longest for a worker.",
			oldest: "SELECT scheduled_at FROM river_job WHERE state IN ('available', 'retryable', 'scheduled') AND scheduled_at <= $1 ORDER BY scheduled_at LIMIT 1"},
	}
	for i := range all {
		all[i].gauge = prometheus.NewGauge(prometheus.GaugeOpts{Name: all[i].name, Help: all[i].help})
		registry.MustRegister(all[i].gauge)
	}
	registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "upline_connections_limit", Help: "Connections of the database that statements share."},
			func() float64 { return float64(s.Parallel()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "upline_sqlite_wal_bytes", Help: "Size of the write-ahead log beside an SQLite file; 0 on PostgreSQL."},
			func() float64 { return float64(s.WALSize()) }))
	return all
}

// readWaiting reads the metrics from the database.
func readWaiting(ctx context.Context, s *store.Store, now time.Time, all []waiting) (err error) {
	for _, w := range all {
		var since time.Time
		found, readErr := store.One(ctx, s, []any{&since}, w.oldest, now)
		switch {
		case readErr != nil:
			err = errors.Join(err, readErr)
			w.gauge.Set(math.NaN())
		case found:
			w.gauge.Set(now.Sub(since).Seconds())
		default:
			w.gauge.Set(0)
		}
	}
	return err
}
