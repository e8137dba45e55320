package agency_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// licenceWorld is an agency with two agents and a little reference data, and
// another agency with one agent. It is the evening of June 15 there, and
// already June 16 in UTC.
type licenceWorld struct {
	*agency.Service
	t          *testing.T
	store      *store.Store
	clock      *clock.Fixed
	ctx, other context.Context
	team       int64
	agents     map[string]int64
}

var licenceToday = date.Of(2026, time.June, 15)

func newLicenceWorld(t *testing.T, s *store.Store) *licenceWorld {
	t.Helper()
	w := &licenceWorld{t: t, store: s, clock: clock.At(time.Date(2026, time.June, 16, 3, 0, 0, 0, time.UTC)), agents: map[string]int64{}}
	keys, err := vault.New(bytes.Repeat([]byte{7}, vault.KeySize), directory.NewKeysets(s))
	w.must(keys, err)
	w.Service = agency.New(s, w.clock, keys)
	zone := time.FixedZone("west", -8*60*60)
	w.ctx = tenant.With(context.Background(), &tenant.Tenant{ID: 1, Identifier: "acme", Zone: zone, DefaultPageSize: 50, MaxPageSize: 100})
	w.other = tenant.With(context.Background(), &tenant.Tenant{ID: 2, Identifier: "umbra", Zone: zone, DefaultPageSize: 50, MaxPageSize: 100})
	for id, name := range map[int]string{1: "acme", 2: "umbra"} {
		w.exec(`INSERT INTO tenant (id, identifier, name, time_zone, default_page_size, max_page_size, created_at) VALUES ($1, $2, $2, 'UTC', 50, 100, $3)`,
			id, name, w.clock.Now())
		w.exec("INSERT INTO agency_team (tenant_id, name) VALUES ($1, 'default')", id)
	}
	w.agents["A1"], w.agents["A2"] = w.agent(1, "A1"), w.agent(1, "A2")
	w.agents["B1"] = w.agent(2, "B1")
	if w.team, err = w.Team(w.ctx, record.DefaultTeam); err != nil {
		t.Fatal(err)
	}
	w.reference(w.ctx)
	w.reference(w.other)
	return w
}

func (w *licenceWorld) exec(query string, args ...any) {
	w.t.Helper()
	err := dbtest.Owner(w.t, w.store).InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, query, args...)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *licenceWorld) agent(tenantID int64, code string) (id int64) {
	w.t.Helper()
	err := dbtest.Owner(w.t, w.store).InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := store.One(ctx, tx, []any{&id}, `INSERT INTO agency_agent (tenant_id, code, first_name, last_name, first_name_key, last_name_key,
			common_name_key, email_key, is_dedicated, start_date, created_at, created_by, last_modified, last_modified_by)
			VALUES ($1, $2, $2, $2, '', '', '', '', false, $3, $3, 'setup', $3, 'setup') RETURNING id`, tenantID, code, w.clock.Now())
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *licenceWorld) reference(ctx context.Context) {
	w.t.Helper()
	for _, in := range []reference.CertificationTypeInput{
		{Code: patch.Set("LIFE"), RequiresJurisdiction: patch.Set(true)},
		{Code: patch.Set("APPT"), RequiresJurisdiction: patch.Set(true), RequiresProviderCompany: patch.Set(true)},
		{Code: patch.Set("AML")},
		{Code: patch.Set("OLD"), IsEnabled: patch.Set(false)},
	} {
		in.Name, in.Initiator = in.Code, "setup"
		w.must(w.CreateCertificationType(ctx, in))
	}
	for _, code := range []string{"US-TX", "US-NY", "CA-ON", "ZZ-ZZ"} {
		w.must(w.CreateJurisdiction(ctx, reference.JurisdictionInput{Code: patch.Set(code), Name: patch.Set(code),
			IsEnabled: patch.Set(code != "ZZ-ZZ"), Initiator: "setup"}))
	}
	for _, code := range []string{"BLH", "QRY", "OFF"} {
		_, _, err := w.UpsertProviderCompany(ctx, reference.ProviderCompanyInput{Code: patch.Set(code), Name: patch.Set(code),
			IsEnabled: patch.Set(code != "OFF"), Initiator: "setup"})
		w.must(nil, err)
	}
}

func (w *licenceWorld) must(_ any, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *licenceWorld) upsert(in certification.Upsert) certification.Result {
	w.t.Helper()
	r, err := w.UpsertCertification(w.ctx, in, false)
	w.must(r, err)
	return r
}

// read returns a certification as it is on a day.
func (w *licenceWorld) read(id int64, on date.Date) *licence {
	w.t.Helper()
	found, err := licenceByID(w.ctx, w.store, id, history.AsOf{Day: on})
	w.must(found, err)
	if found == nil {
		w.t.Fatalf("certification %d is missing", id)
	}
	return found
}

// history returns the live periods of a certification, a line each.
func (w *licenceWorld) history(id int64) []string {
	w.t.Helper()
	pages, err := w.CertificationPeriodsOf(w.ctx, []int64{id}, noPaging)
	w.must(pages, err)
	lines := []string{}
	for _, p := range pages[id].Items {
		lines = append(lines, period(*p.Value, &p.EffectiveFrom, p.EffectiveThrough))
	}
	return lines
}

func (w *licenceWorld) agentModified(code string) time.Time {
	w.t.Helper()
	a, err := agentByCode(w.ctx, w.store, code)
	w.must(a, err)
	return a.LastModified
}

func (w *licenceWorld) count(query string, args ...any) (n int) {
	w.t.Helper()
	found, err := store.One(w.ctx, w.store, []any{&n}, query, args...)
	w.must(found, err)
	return n
}

func period(status string, from, through *date.Date) string {
	end := "open"
	if through != nil {
		end = through.String()[5:]
	}
	return fmt.Sprintf("%s %s..%s", status, from.String()[5:], end)
}

// problems writes what an error holds as CODE field, in order.
func problems(err error) []string {
	lines := []string{}
	for _, p := range problem.From(err) {
		lines = append(lines, strings.TrimSpace(string(p.Code)+" "+strings.Join(p.Field, ".")))
	}
	return lines
}

func equal[T any](t rapid.TB, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func day(month time.Month, d int) *date.Date { return date.Of(2026, month, d).Ptr() }

// full is an appointment that names everything a match looks at.
func full() certification.Upsert {
	return certification.Upsert{AgentCode: "A1", Type: "APPT", ProviderCompany: new("BLH"), Jurisdiction: new("US-TX"),
		Identifier: new("X-1"), Details: flags(false, true), EffectiveFrom: day(time.January, 1), Initiator: "import"}
}

// replaced reports for each of several status periods whether another change has replaced
// it; it leaves out those that are gone.
func (w *licenceWorld) replaced(ids ...int64) []bool {
	w.t.Helper()
	all, err := store.Collect(w.ctx, w.store, store.ScanOne[bool], "SELECT superseded_at IS NOT NULL FROM agency_certification_period WHERE tenant_id = $1 AND "+w.store.In("id", "$2")+" ORDER BY id",
		tenant.From(w.ctx).ID, w.store.List(ids))
	w.must(all, err)
	return all
}

func kinds(c record.Change) (all []history.Kind) {
	for _, op := range c.Operations {
		all = append(all, op.Kind)
	}
	return all
}

func warned(c record.Change) (all []history.WarningCode) {
	for _, warning := range c.Warnings {
		all = append(all, warning.Code)
	}
	return all
}

// flags are the details of a certification that has no note.
func flags(isResident, isVerified bool) certification.Details {
	return certification.Details{IsResidentCertification: patch.Set(isResident), IsVerified: patch.Set(isVerified)}
}
