package agency_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

// expiryWorld is a licenceWorld where the days pass.
type expiryWorld struct{ *licenceWorld }

func onEachExpiry(t *testing.T, f func(t *testing.T, w expiryWorld)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) { f(t, expiryWorld{newLicenceWorld(t, s)}) })
}

// ending gives A1 a certification with a status that holds from January on and
// ends so many days from today.
func (w expiryWorld) ending(identifier, status string, days int) int64 {
	w.t.Helper()
	return w.upsert(certification.Upsert{AgentCode: "A1", Type: "AML", Identifier: &identifier, Status: &status,
		EffectiveFrom: day(time.January, 1), EffectiveThrough: licenceToday.AddDays(days).Ptr(), Initiator: "import"}).ID
}

// on makes it a day so many days from today, and tells.
func (w expiryWorld) on(days int) {
	w.t.Helper()
	at := time.Date(2026, time.June, 16, 3, 0, 0, 0, time.UTC).AddDate(0, 0, days)
	w.clock.Move(at.Sub(w.clock.Now()))
	w.must(nil, w.TellExpiring(w.ctx))
}

// told returns what the events of a tenant told, a line each, in their order.
func (w expiryWorld) told(ctx context.Context) []string {
	w.t.Helper()
	all, err := store.Collect(ctx, w.store, store.ScanOne[string], `SELECT data FROM outbox_event
		WHERE tenant_id = $1 AND type = 'Platform.AgencyManagement.Events.CertificationExpiring' ORDER BY written`, tenant.From(ctx).ID)
	w.must(all, err)
	lines := []string{}
	for _, data := range all {
		var e struct {
			AgentCode, CertificationType string
			CertificationID              int64
			EffectiveThrough             date.Date
			DaysRemaining                int
		}
		w.must(nil, json.Unmarshal([]byte(data), &e))
		lines = append(lines, fmt.Sprintf("%s %s %d %s %d", e.AgentCode, e.CertificationType, e.CertificationID, e.EffectiveThrough, e.DaysRemaining))
	}
	return lines
}

// line is a line of told for a certification of A1.
func line(id int64, end, remaining int) string {
	return fmt.Sprintf("A1 AML %d %s %d", id, licenceToday.AddDays(end), remaining)
}

// "90/60/30/7 days": told on each of these days, and once on each.
func TestExpiringIsToldOnItsDays(t *testing.T) {
	onEachExpiry(t, func(t *testing.T, w expiryWorld) {
		id := w.ending("X", "ACTIVE", 91)
		want := map[int]int{1: 90, 31: 60, 61: 30, 84: 7}
		all := []string{}
		for d := range 100 {
			if w.on(d); want[d] > 0 {
				all = append(all, line(id, 91, want[d]))
			}
			w.on(d)
			if got := w.told(w.ctx); len(got) != len(all) {
				t.Fatalf("day %d: told %v, want %v", d, got, all)
			}
		}
		equal(t, "told", w.told(w.ctx), all)
	})
}

// A certification that is first looked at on the first or last day of a band is told of once.
func TestExpiringIsToldOnce(t *testing.T) {
	onEachExpiry(t, func(t *testing.T, w expiryWorld) {
		var want []string
		for _, left := range []int{0, 7, 8, 30, 31, 60, 61, 90, 91} {
			if id := w.ending(strconv.Itoa(left), "ACTIVE", left); left < 91 {
				want = append(want, line(id, left, left))
			}
		}
		w.on(0)
		got := w.told(w.ctx)
		slices.Sort(got)
		slices.Sort(want)
		equal(t, "told", got, want)
	})
}

// A day on which nothing ran is made up for; of several only the last is told.
func TestExpiringIsToldAfterDowntime(t *testing.T) {
	onEachExpiry(t, func(t *testing.T, w expiryWorld) {
		id := w.ending("X", "ACTIVE", 95)
		w.on(0)
		w.on(8)  // 87 remain: 90 was missed
		w.on(70) // 25 remain: 60 and 30 were missed
		w.on(71)
		w.on(95) // the last day: 7 was missed
		w.on(96)
		equal(t, "told", w.told(w.ctx), []string{line(id, 95, 87), line(id, 95, 25), line(id, 95, 0)})
	})
}

// The day is the tenant's: in UTC it is June 16 already.
func TestExpiringCountsDaysOfTheTenant(t *testing.T) {
	onEachExpiry(t, func(t *testing.T, w expiryWorld) {
		last, next := w.ending("X", "ACTIVE", 0), w.ending("Y", "ACTIVE", 91)
		w.on(0)
		equal(t, "told in the evening of June 15", w.told(w.ctx), []string{line(last, 0, 0)})
		w.clock.Move(6 * time.Hour)
		w.must(nil, w.TellExpiring(w.ctx))
		equal(t, "told on June 16", w.told(w.ctx), []string{line(last, 0, 0), line(next, 91, 90)})
	})
}

// Only an active certification with an end can expire, and only its period in
// force: "Active (in good standing)" (Certification statuses).
func TestExpiringIsOfActivePeriodsInForce(t *testing.T) {
	onEachExpiry(t, func(t *testing.T, w expiryWorld) {
		for _, status := range []string{"PENDING", "HELD", "SUSPENDED", "EXPIRED"} {
			w.ending(status, status, 30)
		}
		in := full()
		w.upsert(in) // open
		in.Identifier, in.EffectiveFrom, in.EffectiveThrough = new("future"), licenceToday.AddDays(1).Ptr(), licenceToday.AddDays(30).Ptr()
		w.upsert(in)
		w.on(0)
		equal(t, "told", w.told(w.ctx), []string{})
	})
}

// A renewed certification is not told of until its new end is near.
func TestExpiringFollowsTheEndInForce(t *testing.T) {
	onEachExpiry(t, func(t *testing.T, w expiryWorld) {
		w.ending("X", "ACTIVE", 60)
		id := w.ending("X", "ACTIVE", 200) // supersedes the earlier end
		w.on(0)
		equal(t, "told of the superseded end", w.told(w.ctx), []string{})
		w.on(110)
		equal(t, "told of the new end", w.told(w.ctx), []string{line(id, 200, 90)})
		w.upsert(certification.Upsert{AgentCode: "A1", Type: "AML", Identifier: new("X"), Status: new("EXPIRED"),
			EffectiveFrom: licenceToday.AddDays(191).Ptr(), Initiator: "import"}) // shortens: 80 remain
		w.on(110)
		equal(t, "told of another end", w.told(w.ctx), []string{line(id, 200, 90), line(id, 190, 80)})
	})
}

// "Adjacent periods with the same status are not merged" (Effective-dated
// history rules): nothing runs out where the next one begins.
func TestExpiringSkipsAnEndThatIsRenewedTheNextDay(t *testing.T) {
	onEachExpiry(t, func(t *testing.T, w expiryWorld) {
		follow := func(identifier, status string, from int) int64 {
			w.ending(identifier, "ACTIVE", 30)
			return w.upsert(certification.Upsert{AgentCode: "A1", Type: "AML", Identifier: &identifier, Status: &status,
				EffectiveFrom: licenceToday.AddDays(from).Ptr(), EffectiveThrough: licenceToday.AddDays(100).Ptr(), Initiator: "import"}).ID
		}
		renewed := follow("renewed", "ACTIVE", 31)
		gap, expired := follow("gap", "ACTIVE", 32), follow("expired", "EXPIRED", 31)
		w.on(0)
		equal(t, "told", w.told(w.ctx), []string{line(gap, 30, 30), line(expired, 30, 30)})
		w.on(31)
		equal(t, "told of the period after the renewal", w.told(w.ctx)[2:], []string{line(renewed, 100, 69)})
	})
}

// A tenant's run tells of its own certifications.
func TestExpiringLeavesOtherTenants(t *testing.T) {
	onEachExpiry(t, func(t *testing.T, w expiryWorld) {
		in := certification.Upsert{AgentCode: "B1", Type: "AML", EffectiveFrom: day(time.January, 1),
			EffectiveThrough: licenceToday.AddDays(7).Ptr(), Initiator: "import"}
		w.must(w.UpsertCertification(w.other, in, false))
		w.on(0)
		equal(t, "told to acme", w.told(w.ctx), []string{})
		equal(t, "told to umbra by the run of acme", w.told(w.other), []string{})
		w.must(nil, w.TellExpiring(w.other))
		if got := w.told(w.other); len(got) != 1 {
			t.Errorf("told to umbra by its own run: %v, want one", got)
		}
		equal(t, "told to acme by the run of umbra", w.told(w.ctx), []string{})
		if err := w.TellExpiring(context.Background()); err == nil {
			t.Error("a run without a tenant has no error")
		}
	})
}

// Replicas that run at once tell once, also when it takes several transactions.
func TestExpiringIsToldOnceByConcurrentRuns(t *testing.T) {
	onEachExpiry(t, func(t *testing.T, w expiryWorld) {
		const held = 1100
		w.exec(`INSERT INTO agency_certification (tenant_id, agent_id, type, identifier, is_resident_certification, is_verified, created_at, created_by, last_modified, last_modified_by)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
			SELECT 1, $2, 'AML', 'N' || CAST(i AS text), false, false, $3, 'setup', $3, 'setup' FROM n`, held, w.agents["A1"], w.clock.Now())
		w.exec(`INSERT INTO agency_certification_period (tenant_id, certification_id, status, effective_from, effective_through, recorded_at, recorded_by)
			SELECT 1, id, 'ACTIVE', $1, $2, $3, 'setup' FROM agency_certification WHERE tenant_id = 1`, licenceToday, licenceToday.AddDays(45), w.clock.Now())
		var runs sync.WaitGroup
		for range 4 {
			runs.Go(func() {
				if err := w.TellExpiring(w.ctx); err != nil {
					t.Errorf("run: %v", err)
				}
			})
		}
		runs.Wait()
		times := map[string]int{}
		for _, l := range w.told(w.ctx) {
			times[l]++
		}
		if len(times) != held {
			t.Errorf("told of %d certifications, want %d", len(times), held)
		}
		for l, n := range times {
			if n != 1 {
				t.Errorf("told %d times: %s", n, l)
			}
		}
	})
}

// What was told of goes with its certification.
func TestExpiringIsForgottenWithTheCertification(t *testing.T) {
	onEachExpiry(t, func(t *testing.T, w expiryWorld) {
		id := w.ending("X", "ACTIVE", 7)
		w.on(0)
		equal(t, "told", w.count("SELECT count(*) FROM agency_certification_expiry WHERE tenant_id = 1 AND days = 7"), 1)
		w.exec("DELETE FROM agency_certification WHERE tenant_id = 1 AND id = $1", id)
		equal(t, "kept", w.count("SELECT count(*) FROM agency_certification_expiry WHERE tenant_id = 1"), 0)
	})
}
