package app

import (
	"math"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/uplinehq/upline/internal/platform/store"
)

// observeReplica adds the metrics of the read replica; they are 0 without one.
func observeReplica(registry *prometheus.Registry, s *store.Store) {
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "upline_replica_lag_seconds",
		Help: "How long the oldest commit has waited that the read replica has not replayed; +Inf while it is away, 0 without one."},
		func() float64 {
			r := s.Replica()
			if r.Away != nil {
				return math.Inf(1)
			}
			return r.Lag.Seconds()
		}))
	for by, count := range map[string]func(store.Replica) int64{
		"replica": func(r store.Replica) int64 { return r.Answered },
		"primary": func(r store.Replica) int64 { return r.Behind },
		"again":   func(r store.Replica) int64 { return r.Again },
	} {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "upline_replica_queries_total",
			Help:        "Queries that could be answered by the read replica, by who was asked: replica; primary, as the replica was behind or away; again, the primary after the replica had failed.",
			ConstLabels: prometheus.Labels{"by": by}}, func() float64 { return float64(count(s.Replica())) }))
	}
}
