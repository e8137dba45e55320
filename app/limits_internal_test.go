package app

import (
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/known"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/tenant"
)

// The usual rates and costs only count while others need the machine: a backfill that has
// it for itself is never refused, and the headers say that nothing is used up. While others
// wait it has its rate, and so has anybody whose rate an administrator has set.
func TestRatesYield(t *testing.T) {
	for _, yields := range []bool{true, false} {
		c := clock.At(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		l, err := admission.Limits{ClientRate: 60, TenantRate: 90, ClientCost: 6000, Concurrency: 1, Wait: time.Microsecond,
			Yields: admission.Yields{ClientRate: yields, TenantRate: yields, ClientCost: yields}}.WithDefaults(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		g := &guard{Limits: l, clients: admission.NewBuckets(l.ClientRate, requestPeriod, c), tenants: admission.NewBuckets(l.TenantRate, requestPeriod, c),
			costs: admission.NewBuckets(l.ClientCost, costPeriod, c), operations: admission.NewGate(l, c, nil), notes: admission.NewNotes(c), log: slog.New(slog.DiscardHandler)}
		g.metrics = newAdmissionMetrics(prometheus.NewRegistry(), g, nil)
		v := &visit{header: http.Header{}, caller: "backfill"}
		ctx := known.With(t.Context(), known.Is(visitKey{}, v), known.Is(tenant.Fact(&tenant.Tenant{Identifier: "acme"})))
		answered := func(times int) (requests, operations int) {
			for range times {
				if g.charge(ctx, v.header) == nil {
					requests++
				}
				if g.chargeCost(ctx, 500).RetryAfter == 0 {
					operations++
				}
			}
			return requests, operations
		}
		check := func(when string, wantRequests, wantOperations int, header string) {
			t.Helper()
			if requests, operations := answered(20); requests != wantRequests || operations != wantOperations || v.header.Get("RateLimit") != header {
				t.Errorf("yields %t, %s: %d and %d of 20, %v", yields, when, requests, operations, v.header)
			}
		}
		if yields {
			check("alone", 20, 20, `"client";r=10;t=0`)
		}
		leave, err := g.operations.Enter(t.Context(), "acme", "backfill", "1")
		if err != nil {
			t.Fatal(err)
		}
		var refused *admission.Refusal
		if _, err := g.operations.Enter(t.Context(), "acme", "other", "2"); !errors.As(err, &refused) {
			t.Fatalf("the other: %v", err)
		}
		check("while another waits", 10, 12, `"client";r=0;t=10`)
		leave()
		c.Move(time.Minute)
		if yields {
			check("later", 20, 20, `"client";r=10;t=0`)
		} else {
			check("later", 10, 12, `"client";r=0;t=10`)
		}
	}
}
