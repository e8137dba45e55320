package agency_test

import (
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// TestCertificationUpdateStatus: "PATCH /certifications/{id} with status, status
// differs: takes effect today, open-ended; the current period ends".
func TestCertificationUpdateStatus(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		in := full()
		in.EffectiveThrough = day(time.December, 31)
		id := w.upsert(in).ID
		update := func(status string, dryRun bool) certification.Result {
			t.Helper()
			w.clock.Move(time.Minute)
			r, err := w.UpdateCertification(w.ctx, id, certification.Update{Status: patch.Set(status), Initiator: "desk"}, dryRun)
			w.must(r, err)
			return r
		}
		before := w.agentModified("A1")
		r := update("ACTIVE", false)
		equal(t, "the same status", []any{r.Changed, r.Change.Changed, len(r.Change.Before), len(r.Change.After)}, []any{false, false, 1, 1})
		equal(t, "the same status: stamps", w.agentModified("A1").Equal(before) && w.read(id, licenceToday).LastModified.Equal(before), true)

		r = update("SUSPENDED", true)
		equal(t, "dry run: planned", []any{r.Changed, len(r.Change.After)}, []any{true, 2})
		equal(t, "dry run: history", w.history(id), []string{"ACTIVE 01-01..12-31"})

		r = update("SUSPENDED", false)
		equal(t, "history", w.history(id), []string{"ACTIVE 01-01..06-14", "SUSPENDED 06-15..open"})
		equal(t, "operations", kinds(r.Change), []history.Kind{history.Shortened, history.Added})
		c := w.read(id, licenceToday)
		equal(t, "stamps", []any{c.LastModifiedBy, c.LastModified.Equal(w.clock.Now()), w.agentModified("A1").Equal(w.clock.Now())}, []any{"desk", true, true})
		equal(t, "flags stay", []any{c.IsVerified.OrZero(), c.IsResidentCertification.OrZero()}, []any{true, false})
	})
}

// A certification whose status lies in the past has none today, so any differs.
func TestCertificationUpdateWithoutCurrentStatus(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		in := full()
		in.EffectiveThrough = day(time.March, 31)
		id := w.upsert(in).ID
		r, err := w.UpdateCertification(w.ctx, id, certification.Update{Status: patch.Set("ACTIVE"), Initiator: "desk"}, false)
		w.must(r, err)
		equal(t, "history", w.history(id), []string{"ACTIVE 01-01..03-31", "ACTIVE 06-15..open"})
		equal(t, "warnings", warned(r.Change), []history.WarningCode{history.GapBeforePeriod})
	})
}

// TestCertificationUpdateFields: "Property omitted: value unchanged; set to a
// value: replaced; set to null: cleared, where the field allows it" (Partial
// updates).
func TestCertificationUpdateFields(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		in := full()
		in.Note = patch.Set("kept")
		id := w.upsert(in).ID
		update := func(in certification.Update) certification.Result {
			t.Helper()
			in.Initiator = "desk"
			r, err := w.UpdateCertification(w.ctx, id, in, false)
			w.must(r, err)
			return r
		}
		equal(t, "omitted", update(certification.Update{}).Changed, false)
		equal(t, "as it was", update(certification.Update{Details: certification.Details{IsVerified: patch.Set(true), Note: patch.Set("kept")}}).Changed, false)
		equal(t, "note of nobody", w.read(id, licenceToday).LastModifiedBy, "import")

		equal(t, "set", update(certification.Update{Details: flags(true, false)}).Changed, true)
		c := w.read(id, licenceToday)
		equal(t, "after set", []any{c.IsVerified.OrZero(), c.IsResidentCertification.OrZero(), c.Note.OrZero(), c.LastModifiedBy}, []any{false, true, "kept", "desk"})
		update(certification.Update{Details: certification.Details{Note: patch.Set("other")}})
		equal(t, "note set", w.read(id, licenceToday).Note.OrZero(), "other")
		update(certification.Update{Details: certification.Details{Note: patch.Null[string]()}})
		equal(t, "note cleared", w.read(id, licenceToday).Note.Value == nil, true)
		equal(t, "history stays", w.history(id), []string{"ACTIVE 01-01..open"})
	})
}

func TestCertificationChangesRefuse(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		id := w.upsert(full()).ID
		update := func(in certification.Update) []string {
			_, err := w.UpdateCertification(w.ctx, id, in, false)
			return problems(err)
		}
		equal(t, "null on a required field", update(certification.Update{Initiator: "x", Details: certification.Details{IsVerified: patch.Null[bool](),
			IsResidentCertification: patch.Null[bool]()}, Status: patch.Null[string]()}),
			[]string{"NULL_NOT_ALLOWED isResidentCertification", "NULL_NOT_ALLOWED isVerified", "NULL_NOT_ALLOWED status"})
		equal(t, "no initiator, unknown status", update(certification.Update{Status: patch.Set("GONE")}),
			[]string{"REQUIRED initiator", "UNKNOWN_STATUS status"})
		_, err := w.ApplyCertificationPeriod(w.ctx, id, certification.PeriodInput{Status: "", EffectiveFrom: licenceToday, EffectiveThrough: day(time.June, 14)}, false)
		equal(t, "period", problems(err), []string{"REQUIRED initiator", "UNKNOWN_STATUS status", "PERIOD_ENDS_BEFORE_START effectiveThrough"})
		equal(t, "deletion without initiator", problems(w.DeleteCertification(w.ctx, id, " ")), []string{"REQUIRED initiator"})
		equal(t, "nothing changed", w.history(id), []string{"ACTIVE 01-01..open"})
	})
}

func TestCertificationPeriodApply(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		id := w.upsert(full()).ID
		in := certification.PeriodInput{Status: "HELD", EffectiveFrom: licenceToday.AddDays(-10), EffectiveThrough: licenceToday.AddDays(-1).Ptr(), Initiator: "desk"}
		w.clock.Move(time.Minute)
		planned, err := w.ApplyCertificationPeriod(w.ctx, id, in, true)
		w.must(planned, err)
		equal(t, "dry run", w.history(id), []string{"ACTIVE 01-01..open"})

		done, err := w.ApplyCertificationPeriod(w.ctx, id, in, false)
		w.must(done, err)
		equal(t, "history", w.history(id), []string{"ACTIVE 01-01..06-04", "HELD 06-05..06-14", "ACTIVE 06-15..open"})
		equal(t, "the preview is what happens", planned.After, done.After)
		equal(t, "warnings", warned(done), []history.WarningCode{history.BackdatedBeforeToday, history.AffectsCommissionEligibility})
		equal(t, "the period", w.count("SELECT count(*) FROM agency_certification_period WHERE id = $1 AND status = 'HELD'", *done.PeriodID), 1)
		equal(t, "stamps", w.read(id, licenceToday).LastModified.Equal(w.clock.Now()) && w.agentModified("A1").Equal(w.clock.Now()), true)
		equal(t, "the superseded row is kept", w.count("SELECT count(*) FROM agency_certification_period WHERE superseded_at IS NOT NULL"), 1)

		before := w.clock.Now()
		w.clock.Move(time.Minute)
		again, err := w.ApplyCertificationPeriod(w.ctx, id, in, false)
		w.must(again, err)
		equal(t, "identical period", []any{again.Changed, *again.PeriodID, len(again.Warnings)}, []any{false, *done.PeriodID, 0})
		equal(t, "identical period: stamps", w.read(id, licenceToday).LastModified.Equal(before) && w.agentModified("A1").Equal(before), true)

		in.EffectiveFrom, in.EffectiveThrough = licenceToday, nil
		current, err := w.ApplyCertificationPeriod(w.ctx, id, in, false)
		w.must(current, err)
		equal(t, "from today: no eligibility warning", warned(current), nil)
	})
}

// Changes of one certification wait for each other: none sees a history that
// another is about to replace.
func TestCertificationChangesConcurrent(t *testing.T) {
	const goroutines = 16
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		id := w.upsert(full()).ID
		var (
			all  sync.WaitGroup
			errs [goroutines]error
		)
		for i := range goroutines {
			all.Go(func() {
				_, errs[i] = w.ApplyCertificationPeriod(w.ctx, id, certification.PeriodInput{Status: "HELD", Initiator: "desk",
					EffectiveFrom: licenceToday.AddDays(i), EffectiveThrough: licenceToday.AddDays(i + 5).Ptr()}, false)
			})
		}
		all.Wait()
		for _, err := range errs {
			w.must(nil, err)
		}
		held, err := w.CertificationPeriodCount(w.ctx, certification.PeriodFilter{Status: []string{"HELD"}})
		w.must(held, err)
		if held == 0 || held > goroutines {
			t.Errorf("%d periods", held)
		}
		for i := range goroutines + 5 {
			equal(t, "day", *w.read(id, licenceToday.AddDays(i)).Status, "HELD")
		}
	})
}

// TestCertificationDelete: "permanently deletes the certification and its
// history".
func TestCertificationDelete(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		id := w.upsert(full()).ID
		in := full()
		in.Jurisdiction = new("US-NY")
		kept := w.upsert(in).ID
		_, err := w.UpdateCertification(w.ctx, id, certification.Update{Status: patch.Set("RETIRED"), Initiator: "desk"}, false)
		w.must(nil, err)
		w.clock.Move(time.Minute)
		w.must(nil, w.DeleteCertification(w.ctx, id, "desk"))
		equal(t, "certifications", w.count("SELECT count(*) FROM agency_certification"), 1)
		equal(t, "periods, superseded ones included", w.count("SELECT count(*) FROM agency_certification_period"), 1)
		equal(t, "the other one", w.history(kept), []string{"ACTIVE 01-01..open"})
		equal(t, "the agent's lastModified", w.agentModified("A1").Equal(w.clock.Now()), true)
		equal(t, "a second deletion", problems(w.DeleteCertification(w.ctx, id, "desk")), []string{"NOT_FOUND"})
		equal(t, "added again", w.upsert(full()).IsNew, true)
	})
}

// Another tenant's certification is not found, whatever is asked of it.
func TestCertificationOfAnotherTenant(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		r := w.upsert(full())
		_, err := w.UpdateCertification(w.other, r.ID, certification.Update{Status: patch.Set("HELD"), Initiator: "x"}, false)
		equal(t, "update", problems(err), []string{"NOT_FOUND"})
		_, err = w.ApplyCertificationPeriod(w.other, r.ID, certification.PeriodInput{Status: "HELD", EffectiveFrom: licenceToday, Initiator: "x"}, false)
		equal(t, "apply", problems(err), []string{"NOT_FOUND"})
		equal(t, "delete", problems(w.DeleteCertification(w.other, r.ID, "x")), []string{"NOT_FOUND"})
		lists, err := w.CertificationsOf(w.other, []int64{w.agents["A1"]}, certification.Filter{}, nil, licenceToday, noPaging)
		w.must(lists, err)
		n, err := w.CertificationCount(w.other, certification.Filter{}, licenceToday)
		w.must(n, err)
		m, err := w.CertificationPeriodCount(w.other, certification.PeriodFilter{})
		w.must(m, err)
		equal(t, "reads", []int{len(lists[w.agents["A1"]].Items), n, m}, []int{0, 0, 0})
		equal(t, "untouched", w.history(r.ID), []string{"ACTIVE 01-01..open"})
	})
}
