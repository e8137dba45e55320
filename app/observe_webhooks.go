package app

import (
	"context"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/uplinehq/upline/internal/webhooks"
)

// newAttemptMetrics returns a function that observes the attempts of webhooks. No label
// names a tenant, a subscription or an address.
func newAttemptMetrics(registry *prometheus.Registry) func(webhooks.Outcome, time.Duration) {
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "upline_webhook_attempt_duration_seconds",
		Help:    "Time until an endpoint answered an attempt of this process, or did not, by outcome.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15},
	}, []string{"outcome"})
	for _, o := range []webhooks.Outcome{webhooks.Successful, webhooks.Refused, webhooks.Unanswered} {
		seconds.WithLabelValues(string(o)) // there from the start, with 0
	}
	registry.MustRegister(seconds)
	return func(o webhooks.Outcome, took time.Duration) {
		seconds.WithLabelValues(string(o)).Observe(took.Seconds())
	}
}

// backlogMetrics are read from the database: every process shows the same.
type backlogMetrics struct{ pending, overdue, failing prometheus.Gauge }

func newBacklogMetrics(registry *prometheus.Registry) *backlogMetrics {
	gauge := func(name, help string) prometheus.Gauge {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
		registry.MustRegister(g)
		return g
	}
	return &backlogMetrics{
		pending: gauge("upline_webhook_messages_pending", "Events that are neither delivered to a subscription nor given up, of all processes."),
		overdue: gauge("upline_webhook_overdue_seconds", "How long the event has been due that waits longest for an attempt, other than for an endpoint that keeps failing."),
		failing: gauge("upline_webhook_endpoints_failing", "Active subscriptions whose endpoint failed ten times in a row."),
	}
}

// read reads the metrics from the database.
func (m *backlogMetrics) read(ctx context.Context, w *webhooks.Service) error {
	b, err := w.Backlog(ctx)
	pending, overdue, failing := float64(b.Pending), b.Overdue.Seconds(), float64(b.Failing)
	if err != nil {
		pending, overdue, failing = math.NaN(), math.NaN(), math.NaN()
	}
	m.pending.Set(pending)
	m.overdue.Set(overdue)
	m.failing.Set(failing)
	return err
}
