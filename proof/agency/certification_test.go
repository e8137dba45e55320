package agency_test

import (
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

func TestCertificationUpsertOutcomes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		in := full()
		in.Note, in.EffectiveThrough = patch.Set("first"), day(time.December, 31)
		w.clock.Move(time.Minute)
		r := w.upsert(in)
		equal(t, "no match: new", r.IsNew && r.Changed, true)
		equal(t, "no match: history has a single period", w.history(r.ID), []string{"ACTIVE 01-01..12-31"})
		equal(t, "id of the period", w.replaced(*r.Change.PeriodID), []bool{false})
		c := w.read(r.ID, licenceToday)
		equal(t, "fields", []any{c.AgentID, c.Type, *c.ProviderCompany, *c.Jurisdiction, *c.Identifier, c.IsResidentCertification.OrZero(), c.IsVerified.OrZero(), c.Note.OrZero()},
			[]any{w.agents["A1"], "APPT", "BLH", "US-TX", "X-1", false, true, "first"})
		equal(t, "stamps", []any{c.CreatedBy, c.LastModifiedBy, c.CreatedAt.Equal(w.clock.Now()), c.LastModified.Equal(w.clock.Now())}, []any{"import", "import", true, true})
		equal(t, "the agent's lastModified", w.agentModified("A1").Equal(w.clock.Now()), true)
		before := w.clock.Now()

		w.clock.Move(time.Minute)
		same := w.upsert(in)
		equal(t, "identical: nothing changes", []any{same.ID, same.IsNew, same.Changed, same.Change.Changed}, []any{r.ID, false, false, false})
		equal(t, "identical: operations", kinds(same.Change), []history.Kind{history.Unchanged})
		equal(t, "identical: lastModified stays", w.read(r.ID, licenceToday).LastModified.Equal(before) && w.agentModified("A1").Equal(before), true)

		in.Details, in.Initiator = flags(true, false), "desk"
		flags := w.upsert(in)
		c = w.read(r.ID, licenceToday)
		equal(t, "identical period, other flags", []any{flags.Changed, flags.Change.Changed, c.IsVerified.OrZero(), c.IsResidentCertification.OrZero(), c.Note.Value == nil, c.LastModifiedBy, c.CreatedBy},
			[]any{true, false, false, true, true, "desk", "import"})
		equal(t, "other flags: lastModified moves", c.LastModified.Equal(w.clock.Now()) && w.agentModified("A1").Equal(w.clock.Now()), true)

		w.clock.Move(time.Minute)
		in.Status, in.EffectiveFrom, in.EffectiveThrough = new("SUSPENDED"), day(time.February, 1), day(time.February, 28)
		dated := w.upsert(in)
		equal(t, "match: history rules", w.history(r.ID), []string{"ACTIVE 01-01..01-31", "SUSPENDED 02-01..02-28", "ACTIVE 03-01..12-31"})
		equal(t, "past: warnings", warned(dated.Change), []history.WarningCode{history.BackdatedBeforeToday, history.AffectsCommissionEligibility})
		equal(t, "match: lastModified moves", w.read(r.ID, licenceToday).LastModified.Equal(w.clock.Now()) && w.agentModified("A1").Equal(w.clock.Now()), true)
	})
}

// TestCertificationUpsertDefaults: "Default status when not supplied on POST
// /certifications: Active"; "when effectiveFrom is omitted on an update it
// defaults to today, which may split the existing status period at today's date
// even though the status is unchanged".
func TestCertificationUpsertDefaults(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		in := full()
		in.EffectiveFrom = nil
		r := w.upsert(in)
		equal(t, "new: active from today in the tenant's zone", w.history(r.ID), []string{"ACTIVE 06-15..open"})
		equal(t, "new: no warning", warned(r.Change), nil)

		w.clock.Move(10 * 24 * time.Hour)
		again := w.upsert(in)
		equal(t, "split at today", w.history(r.ID), []string{"ACTIVE 06-15..06-24", "ACTIVE 06-25..open"})
		equal(t, "split: warning", warned(again.Change), []history.WarningCode{history.SplitSameValue})
		equal(t, "split: matched", again.IsNew, false)
		equal(t, "split: id of the new period", w.count("SELECT count(*) FROM agency_certification_period WHERE id = $1 AND effective_from = $2", *again.Change.PeriodID, date.Of(2026, time.June, 25)), 1)
	})
}

func TestCertificationUpsertRefuses(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		for _, test := range []struct {
			name   string
			change func(in *certification.Upsert)
			want   []string
		}{
			{"unknown agentCode", func(in *certification.Upsert) { in.AgentCode = "nobody" }, []string{"UNKNOWN_AGENT agentCode"}},
			{"agent of another tenant", func(in *certification.Upsert) { in.AgentCode = "B1" }, []string{"UNKNOWN_AGENT agentCode"}},
			{"unknown type", func(in *certification.Upsert) { in.Type = "NO" }, []string{"UNKNOWN_CERTIFICATION_TYPE type"}},
			{"type in other letters", func(in *certification.Upsert) { in.Type = "appt" }, []string{"UNKNOWN_CERTIFICATION_TYPE type"}},
			{"disabled type", func(in *certification.Upsert) { in.Type = "OLD" }, []string{"UNKNOWN_CERTIFICATION_TYPE type"}},
			{"unknown providerCompany", func(in *certification.Upsert) { in.ProviderCompany = new("NO") }, []string{"UNKNOWN_PROVIDER_COMPANY providerCompany"}},
			{"disabled providerCompany", func(in *certification.Upsert) { in.ProviderCompany = new("OFF") }, []string{"UNKNOWN_PROVIDER_COMPANY providerCompany"}},
			{"unknown jurisdiction", func(in *certification.Upsert) { in.Jurisdiction = new("US-QQ") }, []string{"UNKNOWN_JURISDICTION jurisdiction"}},
			{"disabled jurisdiction", func(in *certification.Upsert) { in.Jurisdiction = new("ZZ-ZZ") }, []string{"UNKNOWN_JURISDICTION jurisdiction"}},
			{"unknown status", func(in *certification.Upsert) { in.Status = new("Active") }, []string{"UNKNOWN_STATUS status"}},
			{"the type requires both", func(in *certification.Upsert) { in.ProviderCompany, in.Jurisdiction = nil, new(" ") },
				[]string{"REQUIRED jurisdiction", "REQUIRED providerCompany"}},
			{"ends before it starts", func(in *certification.Upsert) { in.EffectiveThrough = day(time.January, 0) }, []string{"PERIOD_ENDS_BEFORE_START effectiveThrough"}},
			{"ends before today, its default start", func(in *certification.Upsert) {
				in.EffectiveFrom, in.EffectiveThrough = nil, day(time.June, 14)
			}, []string{"PERIOD_ENDS_BEFORE_START effectiveThrough"}},
			{"required fields", func(in *certification.Upsert) { in.AgentCode, in.Type, in.Initiator = " ", "", "" },
				[]string{"REQUIRED initiator", "REQUIRED agentCode", "REQUIRED type"}},
			{"everything together, the agent first", func(in *certification.Upsert) {
				in.AgentCode, in.Type, in.ProviderCompany, in.Jurisdiction = "nobody", "NO", new("NO"), new("NO")
				in.Status, in.EffectiveThrough, in.Initiator = new("NO"), day(time.January, 0), ""
			}, []string{"UNKNOWN_AGENT agentCode", "REQUIRED initiator", "UNKNOWN_STATUS status", "PERIOD_ENDS_BEFORE_START effectiveThrough",
				"UNKNOWN_CERTIFICATION_TYPE type", "UNKNOWN_JURISDICTION jurisdiction", "UNKNOWN_PROVIDER_COMPANY providerCompany"}},
		} {
			in := full()
			test.change(&in)
			_, err := w.UpsertCertification(w.ctx, in, false)
			equal(t, test.name, problems(err), test.want)
		}
		equal(t, "certifications written", w.count("SELECT count(*) FROM agency_certification"), 0)
	})
}

// TestCertificationMessages: the exact messages and statuses of the
// specification, Errors.
func TestCertificationMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		in := full()
		in.Type = "NO"
		_, err := w.UpsertCertification(w.ctx, in, false)
		p := problem.From(err)[0]
		equal(t, "unknown type", []any{p.Category, p.Message}, []any{problem.Validation, "The specified certification type is not recognized."})
		in.AgentCode = "nobody"
		_, err = w.UpsertCertification(w.ctx, in, false)
		equal(t, "unknown agent", problem.From(err)[0].Category, problem.NotFound)
	})
}

// A match refers to what exists already: disabling it is no reason to refuse a
// renewal, nor is a requirement that came later.
func TestCertificationMatchOutlivesItsReferences(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		in := full()
		in.Type, in.Jurisdiction = "AML", nil
		r := w.upsert(in)
		_, _, err := w.UpdateCertificationType(w.ctx, "AML", reference.CertificationTypeInput{
			IsEnabled: patch.Set(false), RequiresJurisdiction: patch.Set(true), Initiator: "desk"})
		w.must(nil, err)
		_, _, err = w.UpsertProviderCompany(w.ctx, reference.ProviderCompanyInput{Code: patch.Set("BLH"), IsEnabled: patch.Set(false), Initiator: "desk"})
		w.must(nil, err)
		in.Status = new("EXPIRED")
		equal(t, "matched", w.upsert(in).ID, r.ID)
	})
}

func TestCertificationUpsertDryRun(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		r, err := w.UpsertCertification(w.ctx, full(), true)
		w.must(r, err)
		equal(t, "new", []any{r.IsNew, r.Changed, kinds(r.Change)}, []any{true, true, []history.Kind{history.Added}})
		equal(t, "nothing written", w.count("SELECT count(*) FROM agency_certification"), 0)

		real := w.upsert(full())
		in := full()
		in.Note, in.Status, in.EffectiveFrom = patch.Set("x"), new("EXPIRED"), nil
		w.clock.Move(time.Minute)
		r, err = w.UpsertCertification(w.ctx, in, true)
		w.must(r, err)
		equal(t, "match", []any{r.ID, r.IsNew, r.Changed, len(r.Change.After)}, []any{real.ID, false, true, 2})
		equal(t, "history stays", w.history(real.ID), []string{"ACTIVE 01-01..open"})
		equal(t, "note stays", w.read(real.ID, licenceToday).Note.Value == nil, true)
	})
}
