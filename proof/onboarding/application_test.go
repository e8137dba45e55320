package onboarding_test

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

// world is a tenant on which the area works.
type world struct {
	*apptest.World
	t   *testing.T
	ctx context.Context
}

func onEach(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{})
		f(t, &world{w, t, w.Context(t, apptest.Acme)})
	})
}

func (w *world) create(f onboarding.Form) *onboarding.Application {
	w.t.Helper()
	a, err := w.Onboarding.Create(w.ctx, f)
	if err != nil {
		w.t.Fatalf("create: %v", err)
	}
	return a
}

// form is what is stored of an application.
func (w *world) form(uid string) onboarding.Form {
	w.t.Helper()
	a, err := w.Onboarding.Application(w.ctx, uid)
	if err != nil || a == nil {
		w.t.Fatalf("application %s: %v, %v", uid, a, err)
	}
	f, err := w.Onboarding.Form(w.ctx, a)
	if err != nil {
		w.t.Fatal(err)
	}
	return *f
}

// count counts the rows of a query of the tenant, whose id is $1.
func (w *world) count(query string) (n int) {
	w.t.Helper()
	if err := w.Audit.Link(w.ctx); err != nil {
		w.t.Fatal(err)
	}
	if _, err := store.One(w.ctx, w.Store, []any{&n}, query, w.Tenants[apptest.Acme].ID); err != nil {
		w.t.Fatal(err)
	}
	return n
}

func (w *world) setStatus(uid string, status onboarding.Status) {
	w.t.Helper()
	err := w.Store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		var held *string
		if status == onboarding.Hold {
			held = new(string)
			*held = string(onboarding.Active)
		}
		_, err := tx.Exec(ctx, "UPDATE onboarding_application SET status = $1, held_status = $2 WHERE tenant_id = $3 AND uid = $4",
			string(status), held, w.Tenants[apptest.Acme].ID, uid)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func of[T any](v T) *T { return &v }

// minimum is "minimum body { recruiterAgentCode, firstName, lastName,
// emailAddress }" (Agent Onboarding).
func minimum(email string) onboarding.Form {
	return onboarding.Form{RecruiterAgentCode: "A1", FirstName: "Rosa", LastName: "Ibarra", EmailAddress: email}
}

// full is a form with everything in it.
func full(email string) onboarding.Form {
	f := minimum(email)
	day := date.Of(2020, 2, 29)
	phone := func() *onboarding.Phone {
		return &onboarding.Phone{CountryCode: of("1"), AreaCode: of("512"), PhoneNumber: of("5550100")}
	}
	address := func() *onboarding.Address {
		return &onboarding.Address{Address1: of("1 Main"), Address2: of("B"), City: of("Austin"), Jurisdiction: of("US-TX"), PostalCode: of("78701")}
	}
	answers := []onboarding.Response{{ContentItemVersionID: "v-1", ResponseValue: of("no")}}
	f.MiddleName, f.CommonName, f.Suffix, f.GovernmentIdentifier, f.BirthDate = of("M"), of("Rosie"), of("Jr."), of("900-44-1234"), &day
	f.Gender, f.MaritalStatus, f.HomeAddress, f.BusinessAddress, f.HomePhone, f.CellPhone = of("FEMALE"), of("MARRIED"), address(), address(), phone(), phone()
	f.Spouse = &onboarding.Spouse{FirstName: of("Leo"), LastName: of("I"), BirthDate: &day, EmailAddress: of("leo@example.com"), Phone: phone(), IsLicensedAgent: of(false), AgentCode: of("A2")}
	f.Licenses = &onboarding.Licenses{NPN: of("1"), IsCurrentlyLicensed: of(true), Items: []onboarding.License{{Type: "LIFE", Jurisdiction: "US-TX", LicenseNumber: of("T1"),
		IsResident: of(true), EffectiveFrom: &day, ExpiresOn: &day, LinesOfAuthority: []string{"Life"}}}}
	f.Employment = &onboarding.Employment{IsCurrentlyEmployed: of(true), HasNonCompete: of(false), Items: []onboarding.Employer{{Employer: "Bank", Position: of("Teller"),
		StartDate: &day, EndDate: &day, City: of("Austin"), Jurisdiction: of("US-TX"), Phone: phone(), ReasonForLeaving: of("Moved"), MayContact: of(true)}}}
	f.W9 = &onboarding.W9{TaxpayerName: of("Rosa"), BusinessName: of("R Co"), Classification: of("OTHER"), LLCClassification: of("S"), OtherClassification: of("x"), ExemptPayee: of("5"),
		Address: of("1 Main"), City: of("Austin"), Jurisdiction: of("US-TX"), PostalCode: of("78701"), AccountNumbers: of("ACC-7788"), SSN: of("900-44-1234"), EIN: of("98-1234567"), Signature: of("Rosa I"), EntryDate: &day}
	f.Background = &onboarding.Background{Notes: of("none"), RequiresApproval: true, Approved: true, Responses: answers}
	f.Contract = &onboarding.Signed{VersionID: "c-1", AgreementDate: day, Signature: "Rosa Ibarra", ClientIPAddress: of("203.0.113.7"), Responses: slices.Clone(answers)}
	f.Dedicated, f.AgentLevelValue, f.SelectedProductID, f.OrderID, f.CartID = of(true), of(10), of("kit"), of("o"), of("c")
	return f
}

// Everything that a recruit fills in is stored, and comes back as it was.
func TestApplicationIsStored(t *testing.T) {
	v := reflect.ValueOf(full("a@example.com"))
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Fatalf("the form of this test has no %s", v.Type().Field(i).Name)
		}
	}
	onEach(t, func(t *testing.T, w *world) {
		a := w.create(full("a@example.com"))
		if got := w.form(a.UID); !reflect.DeepEqual(got, full("a@example.com")) {
			t.Error("the form is not what was filled in")
		}
		if a.Status != onboarding.Active || a.CreatedBy != "test" || a.AgentID != nil || a.SubmittedAt != nil {
			t.Errorf("a new application: %s by %s", a.Status, a.CreatedBy)
		}
		if n := w.count("SELECT count(*) FROM onboarding_application_status_change WHERE tenant_id = $1 AND from_status IS NULL AND to_status = 'ACTIVE'"); n != 1 {
			t.Errorf("%d steps in the status history", n)
		}
	})
}

// Blanks around texts, blank texts and sections that say nothing are not kept.
func TestApplicationIsTidied(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		f := minimum(" a@example.com ")
		f.MiddleName, f.HomeAddress, f.W9, f.Spouse = of("  "), &onboarding.Address{City: of(" ")}, &onboarding.W9{}, &onboarding.Spouse{Phone: &onboarding.Phone{}}
		f.Licenses, f.Background = &onboarding.Licenses{Items: []onboarding.License{}}, &onboarding.Background{}
		if got := w.form(w.create(f).UID); !reflect.DeepEqual(got, minimum("a@example.com")) {
			t.Error("more is kept than was said")
		}
	})
}

// "PUT /applications/{id} is a full replacement; an omitted section such as w9
// or employment is cleared" (Partial updates, 3).
func TestReplaceClearsWhatIsOmitted(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		a := w.create(full("a@example.com"))
		after, changed, err := w.Onboarding.Replace(w.ctx, a.UID, minimum("a@example.com"))
		if err != nil || !changed || !after.LastModified.After(a.LastModified) {
			t.Fatalf("replace: %t %v", changed, err)
		}
		if got := w.form(a.UID); !reflect.DeepEqual(got, minimum("a@example.com")) {
			t.Error("something was not cleared")
		}
		if n := w.count("SELECT count(*) FROM onboarding_application WHERE tenant_id = $1 AND government_identifier_index IS NOT NULL"); n != 0 {
			t.Error("the index of the identifier was not cleared")
		}
	})
}

// A replacement by the same changes nothing: no event, no audit entry, no new
// version.
func TestReplaceByTheSame(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		a := w.create(full("a@example.com"))
		events, entries := "SELECT count(*) FROM outbox_event WHERE tenant_id = $1", "SELECT count(*) FROM audit_entry WHERE tenant_id = $1"
		before := []int{w.count(events), w.count(entries)}
		after, changed, err := w.Onboarding.Replace(w.ctx, a.UID, full("a@example.com"))
		if err != nil || changed || !after.LastModified.Equal(a.LastModified) {
			t.Errorf("%t, %v", changed, err)
		}
		if now := []int{w.count(events), w.count(entries)}; !slices.Equal(now, before) || before[0] != 1 || before[1] != 1 {
			t.Errorf("events and entries were %v and are %v", before, now)
		}
	})
}

// "PUT is allowed in Active and Hold" (api "Application transitions").
func TestReplaceNeedsAnApplicationInProgress(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		a := w.create(minimum("a@example.com"))
		for i, status := range []onboarding.Status{onboarding.Hold, onboarding.Active, onboarding.Complete, onboarding.Paid, onboarding.Rejected} {
			w.setStatus(a.UID, status)
			f := minimum("a@example.com")
			f.Suffix = of(fmt.Sprint(i))
			_, changed, err := w.Onboarding.Replace(w.ctx, a.UID, f)
			open := status == onboarding.Active || status == onboarding.Hold
			if open != (err == nil && changed) || !open && !problem.Has(err, problem.InvalidTransition) {
				t.Errorf("%s: %v", status, err)
			}
		}
		if got := w.form(a.UID).Suffix; got == nil || *got != "1" {
			t.Error("a refused replacement changed something")
		}
		for _, uid := range []string{"7", "0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e70"} {
			if _, _, err := w.Onboarding.Replace(w.ctx, uid, minimum("x@example.com")); !problem.Has(err, problem.NotFoundCode) {
				t.Errorf("%s: %v", uid, err)
			}
		}
	})
}

// A form that was read by somebody who sees masks, and sent back, keeps what is
// stored; a mask of anything else is refused.
func TestMasksStandForWhatIsStored(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		a := w.create(full("a@example.com"))
		masked := func() onboarding.Form {
			f := full("a@example.com")
			f.GovernmentIdentifier, f.W9.SSN, f.W9.EIN, f.W9.AccountNumbers = of("***-**-1234"), of("***-**-1234"), of("***-**-4567"), of("****7788")
			f.W9.Signature, f.Contract.Signature = of("****"), "****"
			return f
		}
		if _, changed, err := w.Onboarding.Replace(w.ctx, a.UID, masked()); err != nil || changed {
			t.Errorf("masks of the same values: %t %v", changed, err)
		}
		other := masked()
		other.W9.SSN, other.Suffix = of("***-**-9999"), of("II")
		if _, _, err := w.Onboarding.Replace(w.ctx, a.UID, other); fieldsOf(err) != "w9.ssn" {
			t.Errorf("the mask of another value: %v", err)
		}
		if _, err := w.Onboarding.Create(w.ctx, masked()); fieldsOf(err) != "governmentIdentifier w9.ssn w9.ein w9.accountNumbers w9.signature contract.signature" {
			t.Errorf("masks of nothing: %v", err)
		}
		if !reflect.DeepEqual(w.form(a.UID), full("a@example.com")) {
			t.Error("a refused replacement changed something")
		}
	})
}

// fieldsOf are the fields that a refusal names.
func fieldsOf(err error) string {
	var fields []string
	for _, p := range problem.From(err) {
		fields = append(fields, strings.Join(p.Field, "."))
	}
	return strings.Join(fields, " ")
}

// A form shows nothing of itself, however it is printed.
func TestFormPrintsNothing(t *testing.T) {
	f := full("a@example.com")
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "form", f, "pointer", &f)
	for _, text := range []string{fmt.Sprint(f), fmt.Sprintf("%+v %#v %s %d %q", f, f, &f, f, &f), log.String()} {
		for _, secret := range []string{"1234", "Ibarra", "Rosa", "ACC"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s shows %s", text, secret)
			}
		}
	}
}

// After a rotation of the tenant's key, documents are encrypted again and open.
func TestReencrypt(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		a := w.create(full("a@example.com"))
		if err := w.Vault.Rotate(w.ctx, w.Tenants[apptest.Acme].ID); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{1, 0} {
			if n, err := reencryption.Run(w.ctx, w.Store, w.Vault, onboarding.SealedColumns(), func(int, int) {}); n != want || err != nil {
				t.Errorf("%d encrypted again, want %d: %v", n, want, err)
			}
		}
		if !reflect.DeepEqual(w.form(a.UID), full("a@example.com")) {
			t.Error("the form is not what it was")
		}
	})
}

func (w *world) submitted(uid string, at time.Time) {
	w.t.Helper()
	err := w.Store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE onboarding_application SET submitted_at = $1 WHERE tenant_id = $2 AND uid = $3", at, w.Tenants[apptest.Acme].ID, uid)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}
