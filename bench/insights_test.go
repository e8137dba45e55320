package main

import (
	"context"
	"flag"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

var insightAgents = flag.Int("insight-agents", 100_000, "agents of BenchmarkInsights; each has about eleven policies")

// leaderboardByHand is what somebody would write who needs this leaderboard and
// no other: $1 the tenant, $2 to $4 the first day before, the first and the last.
const leaderboardByHand = `
	WITH g AS (
		SELECT agent_id, sum(annual_premium_cents) FILTER (WHERE issued_on >= $3)::bigint AS value, sum(annual_premium_cents) FILTER (WHERE issued_on < $3)::bigint AS previous,
			count(*) FILTER (WHERE issued_on >= $3) AS policies
		FROM insights_production_record WHERE tenant_id = $1 AND issued_on BETWEEN $2 AND $4 GROUP BY agent_id
	), ranked AS (
		SELECT *, rank() OVER (ORDER BY value DESC NULLS LAST) AS place, CASE WHEN previous IS NOT NULL THEN rank() OVER (ORDER BY previous DESC NULLS LAST) END AS before FROM g
	), page AS (
		SELECT *, count(*) OVER () AS total FROM ranked WHERE value IS NOT NULL ORDER BY place, agent_id LIMIT 50
	)
	SELECT a.code, a.first_name || ' ' || a.last_name, p.place, p.before, p.value, p.previous, p.policies, p.total, l.level, u.code
	FROM page p JOIN agency_agent a ON a.tenant_id = $1 AND a.id = p.agent_id
		LEFT JOIN agency_level_period l ON l.tenant_id = $1 AND l.agent_id = p.agent_id AND l.superseded_at IS NULL AND l.effective_from <= $4 AND (l.effective_through IS NULL OR l.effective_through >= $4)
		LEFT JOIN agency_upline_period up ON up.tenant_id = $1 AND up.agent_id = p.agent_id AND up.superseded_at IS NULL AND up.effective_from <= $4 AND (up.effective_through IS NULL OR up.effective_through >= $4)
		LEFT JOIN agency_agent u ON u.tenant_id = $1 AND u.id = up.upline_agent_id
	ORDER BY p.place, p.agent_id`

// summaryByHand is the same for production by the month: $1 the tenant, $2 and
// $3 the days.
const summaryByHand = `
	SELECT 0, date_trunc('month', submitted_on)::date, count(*), sum(annual_premium_cents)::bigint FROM insights_production_record WHERE tenant_id = $1 AND submitted_on BETWEEN $2 AND $3 GROUP BY 2
	UNION ALL SELECT 1, date_trunc('month', issued_on)::date, count(*), sum(annual_premium_cents)::bigint FROM insights_production_record WHERE tenant_id = $1 AND issued_on BETWEEN $2 AND $3 GROUP BY 2
	UNION ALL SELECT 2, date_trunc('month', placed_on)::date, count(*), sum(annual_premium_cents)::bigint FROM insights_production_record WHERE tenant_id = $1 AND placed_on BETWEEN $2 AND $3 GROUP BY 2
	ORDER BY 2, 1`

// BenchmarkInsights compares curated queries about a whole agency, for a year and
// for all three, with statements written for the one question: "leaderboard and
// production-summary for the whole agency answer within 1.5× of the best
// hand-written SQL". Both are asked in turns, so that what else the machine does
// falls on both, and medians are told.
func BenchmarkInsights(b *testing.B) {
	w := apptest.New(b, dbtest.PostgresOwner(b), apptest.Options{Now: clock.System{}.Now()})
	w.LoadDemo(b, apptest.Acme, *insightAgents)
	ctx := w.Context(b, apptest.Acme)
	t := tenant.From(ctx)
	through := clock.Today(w.Clock, t.Zone)
	// As autovacuum would have done by the next day.
	if err := w.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "ANALYZE insights_production_record")
		return err
	}); err != nil {
		b.Fatal(err)
	}
	for _, years := range []int{1, 3} {
		from := through.AddDays(1 - 365*years)
		for slug, byHand := range map[string]func() (int, error){
			"leaderboard": func() (int, error) {
				return read(ctx, w.Store, 10, leaderboardByHand, t.ID, from.AddDays(int(from-through-1)), from, through)
			},
			"production-summary": func() (int, error) { return read(ctx, w.Store, 4, summaryByHand, t.ID, from, through) },
		} {
			b.Run(slug+map[int]string{1: "/one-year", 3: "/three-years"}[years], func(b *testing.B) {
				compareInsight(ctx, b, w, slug, from, through, byHand)
			})
		}
	}
}

func compareInsight(ctx context.Context, b *testing.B, w *apptest.World, slug string, from, through date.Date, byHand func() (int, error)) {
	ours := func() (int, error) {
		r, err := w.Insights.Insight(ctx, insights.Request{Slug: slug, Parameters: map[string]any{"from": from.String(), "through": through.String()}})
		if err != nil {
			return 0, err
		}
		return len(r.Rows), nil
	}
	var elapsed [2][]float64 // by hand and ours, in milliseconds
	var ratios []float64
	for b.Loop() {
		for i, ask := range []func() (int, error){byHand, ours} {
			began := time.Now()
			n, err := ask()
			if err != nil || n == 0 {
				b.Fatal(n, err)
			}
			elapsed[i] = append(elapsed[i], time.Since(began).Seconds()*1000)
		}
		ratios = append(ratios, elapsed[1][len(elapsed[1])-1]/elapsed[0][len(elapsed[0])-1])
	}
	b.ReportMetric(median(elapsed[0]), "by-hand-ms")
	b.ReportMetric(median(elapsed[1]), "ours-ms")
	b.ReportMetric(median(ratios), "ratio")
}

// read reads all rows of a statement of so many columns, and counts them.
func read(ctx context.Context, s *store.Store, columns int, statement string, args ...any) (int, error) {
	rows, err := store.Collect(ctx, s, func(row store.Scanner) (struct{}, error) {
		targets := make([]any, columns)
		for i := range targets {
			targets[i] = new(any)
		}
		return struct{}{}, row.Scan(targets...)
	}, statement, args...)
	return len(rows), err
}
