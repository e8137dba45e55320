package main

import (
	"context"
	"errors"
	"flag"
	"iter"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

var curatedAgents = flag.String("curated-agents", "2000,10000", "agents of BenchmarkCurated, one agency after the other")

// BenchmarkCurated runs every curated query on agencies of different sizes, on both
// databases, before and after these know how their rows are distributed: for a caller
// who sees everybody, for the downline of the highest agent, and for a caller limited
// to that. "All sixteen queries: ≤ 0.1 s + 0.1 ms per agent." of-goal is how much of
// that the CPU time takes: that of this process, and of PostgreSQL's.
func BenchmarkCurated(b *testing.B) {
	for _, size := range strings.Split(*curatedAgents, ",") {
		agents, err := strconv.Atoi(size)
		if err != nil {
			b.Fatal(err)
		}
		for _, database := range []string{"sqlite", "postgres"} {
			b.Run(database+"/"+size, func(b *testing.B) {
				a := newTrial(b, database, agents)
				for _, statistics := range []string{"unanalysed", "analysed"} {
					if statistics == "analysed" {
						a.exec(b, "ANALYZE")
					}
					for _, who := range a.askers() {
						for _, q := range insights.Queries() {
							b.Run(statistics+"/"+who.name+"/"+q.Slug, func(b *testing.B) { a.curated(b, who, q) })
						}
					}
				}
			})
		}
	}
}

// trial is a made-up agency with something in every table that insights read.
type trial struct {
	*apptest.World
	ctx    context.Context
	agents int
	// top has the largest downline, bottom the most uplines.
	top, bottom one
}

// one is an agent.
type one struct {
	id   int64
	code string
}

func newTrial(b *testing.B, database string, agents int) *trial {
	b.Helper()
	open := map[string]func(testing.TB) *store.Store{"sqlite": dbtest.SQLite, "postgres": dbtest.PostgresOwner}[database]
	a := &trial{World: apptest.New(b, open(b), apptest.Options{Now: clock.System{}.Now(), Limits: admission.Limits{ClientCost: minuteOfBudget}}), agents: agents}
	a.ctx = a.Context(b, apptest.Acme)
	if a.Store.Postgres() { // or it would analyse in the middle
		a.exec(b, `DO $$ DECLARE t text; BEGIN FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
			EXECUTE format('ALTER TABLE %I SET (autovacuum_enabled = off)', t); END LOOP; END $$`)
	}
	a.LoadDemo(b, apptest.Acme, agents)
	codes, err := store.Collect(a.ctx, a.Store, store.ScanOne[string], "SELECT code FROM agency_agent WHERE tenant_id = $1 ORDER BY id", a.id())
	must(b, err)
	must(b, a.Store.InTx(a.ctx, func(ctx context.Context, tx *store.Tx) error {
		return errors.Join(a.addApplications(ctx, tx, codes), a.addDeliveries(ctx, tx))
	}))
	if a.Store.Postgres() { // the demo analyses what it loads
		a.exec(b, "DELETE FROM pg_statistic")
		a.exec(b, "UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE relnamespace = current_schema()::regnamespace")
	}
	a.top, a.bottom = a.first(b, "downline_count"), a.first(b, "depth")
	return a
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (a *trial) id() int64 { return a.Tenants[apptest.Acme].ID }

// exec runs a statement that is not about a tenant.
func (a *trial) exec(b *testing.B, statement string) {
	b.Helper()
	must(b, a.Store.InTx(a.ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, statement)
		return err
	}))
}

// analyze has PostgreSQL gather statistics. SQLite has none in operation either.
func (a *trial) analyze(b *testing.B) {
	b.Helper()
	if a.Store.Postgres() {
		a.exec(b, "ANALYZE")
	}
}

// first is the agent with the most of something in the hierarchy.
func (a *trial) first(b *testing.B, most string) (found one) {
	b.Helper()
	_, err := store.One(a.ctx, a.Store, []any{&found.id, &found.code}, "SELECT a.id, a.code FROM hierarchy_node n JOIN agency_agent a ON a.tenant_id = n.tenant_id AND a.id = n.agent_id WHERE n.tenant_id = $1 ORDER BY n."+
		most+" DESC LIMIT 1", a.id())
	must(b, err)
	return found
}

// addApplications gives each agent one that it recruited, and that took three steps.
func (a *trial) addApplications(ctx context.Context, tx *store.Tx, codes []string) error {
	created := func(i int) time.Time { return a.Clock.Now().Add(-time.Duration(i%1000) * 24 * time.Hour) }
	columns := strings.Fields("id tenant_id uid status recruiter_agent_code first_name last_name email_address first_name_key last_name_key email_key created_at created_by last_modified last_modified_by")
	err := tx.CopyFrom(ctx, "onboarding_application", columns, rows(len(codes), func(i int) []any {
		return []any{int64(i + 1), a.id(), uuid.New(), "PAID", codes[i], "F", "L", "E", "f", "l", "e", created(i), "x", created(i), "x"}
	}))
	if err != nil {
		return err
	}
	return tx.CopyFrom(ctx, "onboarding_application_status_change", strings.Fields("tenant_id application_id to_status changed_at changed_by"), rows(3*len(codes), func(i int) []any {
		return []any{a.id(), int64(i/3 + 1), []string{"ACTIVE", "COMPLETE", "PAID"}[i%3], created(i / 3).Add(time.Duration(i%3) * 24 * time.Hour), "x"}
	}))
}

// addDeliveries makes a subscription to which as much was delivered as there are agents.
func (a *trial) addDeliveries(ctx context.Context, tx *store.Tx) error {
	_, err := tx.Exec(ctx, `INSERT INTO webhook_subscription (id, tenant_id, uid, url, events, max_retries, retry_delay_minutes, is_ordered, is_active, secret, created_at, created_by, last_modified, last_modified_by)
		VALUES (1, $1, $2, 'https://example', '[]', 0, 0, false, true, $3, $4, 'x', $4, 'x')`, a.id(), uuid.New(), []byte{0}, a.Clock.Now())
	if err != nil {
		return err
	}
	var event string
	if _, err := store.One(ctx, tx, []any{&event}, "SELECT CAST(id AS text) FROM outbox_event WHERE tenant_id = $1 LIMIT 1", a.id()); err != nil {
		return err
	}
	columns := strings.Fields("tenant_id id subscription_id sequence event_id url attempt_number attempted_at is_successful response_time_ms")
	return tx.CopyFrom(ctx, "webhook_delivery", columns, rows(a.agents, func(i int) []any {
		return []any{a.id(), uuid.New(), int64(1), int64(i), uuid.MustParse(event), "https://example", int64(1), a.Clock.Now().Add(-time.Duration(i%7) * 24 * time.Hour), true, int64(i % 300)}
	}))
}

func rows(n int, row func(i int) []any) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for i := range n {
			if !yield(row(i)) {
				return
			}
		}
	}
}

// asker is one who asks, and for what.
type asker struct {
	name  string
	ctx   context.Context
	given map[string]any
}

func (a *trial) askers() []asker {
	limited := tenant.WithCaller(a.ctx, tenant.Caller{Subject: "bench", Scopes: apptest.Agency, Within: &a.top.id, Clock: a.Clock})
	return []asker{{"everybody", a.ctx, nil}, {"downline", a.ctx, map[string]any{"agentCode": a.top.code}}, {"limited", limited, nil}}
}

// curated measures a query over as much as there is.
func (a *trial) curated(b *testing.B, who asker, q *insights.Report) {
	if !q.Scoped && who.given != nil {
		b.Skip("has no scope")
	}
	today := clock.Today(a.Clock, a.Tenants[apptest.Acme].Zone)
	// What a query does not know is ignored.
	given := map[string]any{"from": today.AddDays(-3 * 365).String(), "through": today.String(), "agentCode": a.bottom.code}
	switch q.Slug {
	case "license-expirations":
		given = map[string]any{"withinDays": 366}
	case "sales-authorizations":
		given = map[string]any{"product": "TERM-LIFE", "jurisdiction": "US-TX"}
	case "eligibility":
	default:
		delete(given, "agentCode")
	}
	maps.Copy(given, who.given)
	m := a.measure(b, func(ctx context.Context) error {
		_, err := a.Insights.Insight(ctx, insights.Request{Slug: q.Slug, Parameters: given})
		return err
	}, who.ctx)
	b.ReportMetric(m.Seconds()/(0.1+0.0001*float64(a.agents)), "of-goal")
}

// longest is how long a request may take, as of a server.
const longest = 10 * time.Second

// measure runs a request again and again and reports its time and its CPU time, that
// of PostgreSQL included; the time itself for one that takes longer than any may.
func (a *trial) measure(b *testing.B, f func(context.Context) error, ctx context.Context) time.Duration {
	var elapsed []float64
	used, n := -a.used(b), 0
	for b.Loop() {
		if n > 0 && elapsed[n-1] >= longest.Seconds()*1000 {
			continue // it does not get better
		}
		bounded, cancel := context.WithTimeout(ctx, longest)
		began := time.Now()
		err := f(bounded)
		cancel()
		if err != nil && !dberror.IsTimeout(err) && bounded.Err() == nil {
			b.Fatal(err)
		}
		elapsed = append(elapsed, time.Since(began).Seconds()*1000)
		n++
	}
	used = (used + a.used(b)) / time.Duration(n)
	if median(elapsed) >= longest.Seconds()*1000 { // with its connection went its backend
		used = longest
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(elapsed), "ms")
	b.ReportMetric(used.Seconds()*1000, "cpu-ms")
	return used
}

// used is the CPU time of this process and of PostgreSQL's that work for it.
func (a *trial) used(b *testing.B) time.Duration {
	total := ownUsage().CPU
	if a.Store.Postgres() {
		pids, err := store.Collect(a.ctx, a.Store, store.ScanOne[int32], "SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
		must(b, err)
		for _, pid := range pids {
			total += processCPU(pid)
		}
	}
	return total
}
