package doors_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// Two whole servers live through a night in virtual time, in which the clocks of Beirut go
// from midnight to one, and the server that leads is stopped shortly before. What is due
// every hour or minute is, and never twice at once; what the new day brings happens once,
// and the hierarchy of the day is there seconds after it began.
func TestNight(t *testing.T) {
	path := dbtest.SQLiteURL(t)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2004, time.March, 27, 21, 45, 0, 0, time.UTC)))
		midnight := time.Date(2004, time.March, 27, 22, 0, 0, 0, time.UTC)
		ran := tracetest.NewSpanRecorder()
		w := apptest.New(t, nightStore(t, path), apptest.Options{Now: time.Now(), TimeZone: "Asia/Beirut"})
		leader, stopLeader := nightServer(t, path, ran)
		c := w.Served(leader).As(apptest.Acme)
		for _, code := range []string{"U1", "E1"} {
			apptest.Register(t, c, code, object{"startDate": "2004-01-01T12:00:00Z"})
		}
		change(t, c, "POST", "/certifications", object{"agentCode": "E1", "type": "AML", "isResidentCertification": true, "isVerified": false, "effectiveThrough": "2004-04-04"})
		change(t, c, "POST", "/teams/default/assigned-uplines", object{"agentCode": "E1", "uplineAgentCode": "U1", "effectiveFrom": "2004-03-28"})
		time.Sleep(time.Second)
		other, stopOther := nightServer(t, path, ran)
		time.Sleep(10 * time.Minute)
		stopLeader()
		time.Sleep(65 * time.Minute)
		stopOther()

		for kind, every := range map[string]time.Duration{"certification_expiry": time.Hour, "events_retention": time.Hour, "idempotency_sweep": time.Hour, "audit_heads": time.Hour,
			"oauth_tokens": time.Hour, "events_number": time.Minute} {
			checkRuns(t, ran.Ended(), kind, every)
		}
		for kind, within := range map[string]time.Duration{events.CertificationExpiring: time.Hour, events.HierarchyBuildCompleted: 5 * time.Second} {
			all, err := store.Collect(t.Context(), other.Store, store.ScanOne[time.Time], "SELECT occurred_at FROM outbox_event WHERE tenant_id = $1 AND type = $2 AND occurred_at >= $3",
				w.Tenants[apptest.Acme].ID, kind, midnight)
			if err != nil || len(all) != 1 || all[0].Sub(midnight) > within {
				t.Errorf("%s after midnight: %v (%v)", kind, all, err)
			}
		}
	})
}

// nightStore opens the database, as a server of its own does.
func nightStore(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// nightServer starts a server on the database.
func nightServer(t *testing.T, path string, ran sdktrace.SpanProcessor) (a *app.App, stop func()) {
	t.Helper()
	a, err := app.New(t.Context(), app.Config{Store: nightStore(t, path), Clock: clock.System{}, Key: bytes.Repeat([]byte{7}, 32), Issuer: apptest.Issuer, Log: slog.New(slog.DiscardHandler),
		Tracer: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(ran))})
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := a.Jobs()
	if err == nil {
		err = jobs.Start(context.WithoutCancel(t.Context()))
	}
	if err != nil {
		t.Fatal(err)
	}
	return a, func() {
		if err := jobs.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}
}

// checkRuns checks that a job ran as often as it had to, and never twice at once.
func checkRuns(t *testing.T, all []sdktrace.ReadOnlySpan, kind string, every time.Duration) {
	t.Helper()
	const slack = 30 * time.Second // until another server leads, and a job is fetched
	var last sdktrace.ReadOnlySpan
	runs := 0
	for _, run := range all { // in the order in which they ended
		if run.Name() != "job "+kind {
			continue
		}
		if last != nil && (run.StartTime().Before(last.EndTime()) || run.StartTime().Sub(last.StartTime()) > every+slack) {
			t.Errorf("%s ran from %v to %v, and from %v", kind, last.StartTime(), last.EndTime(), run.StartTime())
		}
		last = run
		runs++
	}
	if last == nil || time.Since(last.StartTime()) > every+slack {
		t.Errorf("%s did not run lately", kind)
	}
	// Another server that leads begins with a run.
	if most := int(75*time.Minute/every) + 3; runs > most {
		t.Errorf("%s ran %d times", kind, runs)
	}
	t.Logf("%s ran %d times", kind, runs)
}
