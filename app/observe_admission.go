package app

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/platform/store"
)

type admissionMetrics struct {
	refused *prometheus.CounterVec
	wait    prometheus.Histogram
}

// newAdmissionMetrics returns the metrics of the limits of this process. No label names a
// client or a tenant.
func newAdmissionMetrics(registry *prometheus.Registry, g *guard, s *store.Store) *admissionMetrics {
	m := &admissionMetrics{
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "upline_refused_total", Help: "Requests and operations that were answered 429 or 503, by what they exceeded.",
		}, []string{"reason"}),
		wait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "upline_operation_wait_seconds", Help: "How long operations waited that ran then.",
			Buckets: []float64{0, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1},
		}),
	}
	for _, reason := range admission.Reasons {
		m.refused.WithLabelValues(string(reason)) // there from the start, with 0
	}
	gauge := func(name, help string, value func() int) prometheus.GaugeFunc {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(value()) })
	}
	registry.MustRegister(m.refused, m.wait,
		gauge("upline_operations_running", "Operations that run.", func() int { running, _ := g.operations.State(); return running }),
		gauge("upline_operations_waiting", "Operations that wait until others end.", func() int { _, waiting := g.operations.State(); return waiting }),
		gauge("upline_connections", "Connections of the database that are in use.", func() int { taken, _ := s.Connections(); return taken }),
		gauge("upline_statements_waiting", "Statements that wait for a connection.", func() int { _, waiting := s.Connections(); return waiting }),
		gauge("upline_requests", "Requests in hand that have shown who they are from, besides streams.", func() int { return g.requests.Taken() + g.reading.Taken() }),
		gauge("upline_strangers", "Requests in hand that have not.", func() int { return g.arriving.Taken() + g.strangers.Taken() + g.greeting.Taken() }),
		gauge("upline_streams", "Open connections of subscriptions.", g.streams.Taken),
	)
	return m
}

func (m *admissionMetrics) waited(d time.Duration) { m.wait.Observe(d.Seconds()) }
