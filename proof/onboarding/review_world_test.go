package onboarding_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"

	"github.com/uplinehq/upline/internal/platform/events"
)

// reviewWorld is an agency with one agent, R1, and a configuration that collects
// nothing.
type reviewWorld struct {
	*onboarding.Service
	t   testing.TB
	app *apptest.World
	ctx context.Context
}

func onEachReview(t *testing.T, f func(t *testing.T, w *reviewWorld)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) { f(t, newReviewWorld(t, s)) })
}

func newReviewWorld(t testing.TB, s *store.Store) *reviewWorld {
	t.Helper()
	a := apptest.New(t, s, apptest.Options{})
	w := &reviewWorld{Service: a.Onboarding, t: t, app: a, ctx: a.Context(t, apptest.Acme)}
	_, err := a.Agency.Register(w.ctx, agency.Registration{AgentCode: new("R1"), Details: agency.Details{FirstName: patch.Set("Rita"), LastName: patch.Set("Ruiz")}, Status: "Active",
		Teams: []agency.TeamAssignment{{Team: record.DefaultTeam}}, Initiator: "hr-import"}, false)
	w.must(err)
	w.publish(func(*onboarding.ConfigurationInput) {})
	return w
}

func (w *reviewWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// publish publishes a configuration that collects nothing but what set turns on.
func (w *reviewWorld) publish(set func(*onboarding.ConfigurationInput)) {
	w.t.Helper()
	off := patch.Set(false)
	in := onboarding.ConfigurationInput{CollectTaxID: off, CollectBirthDate: off, CollectMaritalInfo: off, CollectHomeAddress: off,
		CollectCorrespondenceAddress: off, CollectPrimaryPhone: off, CollectCellPhone: off, CollectLicenseInfo: off, CollectEmploymentInfo: off,
		CollectTaxInfo: off, CollectContract: off, CollectPersonalHistory: off, RequiresPayment: off, DefaultPayStatus: patch.Set("Active")}
	set(&in)
	_, _, err := w.PublishConfiguration(w.ctx, in)
	w.must(err)
}

// apply creates an application of R1's.
func (w *reviewWorld) apply(email string, set ...func(*onboarding.Form)) string {
	w.t.Helper()
	f := bare()
	f.RecruiterAgentCode, f.EmailAddress = "R1", email
	for _, s := range set {
		s(f)
	}
	a, err := w.Create(w.ctx, *f)
	w.must(err)
	return a.UID
}

func (w *reviewWorld) application(uid string) *onboarding.Application {
	w.t.Helper()
	a, err := w.Application(w.ctx, uid)
	w.must(err)
	return a
}

func (w *reviewWorld) process(uid string) error {
	return w.Process(w.ctx, uid, onboarding.Processing{Initiator: "reviewer"})
}

// agents counts the agents of the agency.
func (w *reviewWorld) agents() (n int) {
	w.t.Helper()
	_, err := store.One(w.ctx, w.app.Store, []any{&n}, "SELECT count(*) FROM agency_agent WHERE tenant_id = $1", w.app.Tenants[apptest.Acme].ID)
	w.must(err)
	return n
}

// raised are the short names of the events from a place in the feed on.
func (w *reviewWorld) raised(after *string) (names []string, cursor *string) {
	w.t.Helper()
	p, err := w.app.Events.Page(w.ctx, events.Filter{Areas: []events.Area{events.AgencyManagement, events.AgentOnboarding}}, page.Args{First: new(100), After: after})
	w.must(err)
	for _, e := range p.Items {
		names = append(names, e.Type[strings.LastIndexByte(e.Type, '.')+1:])
	}
	return names, after
}

// told returns a function that compares what was raised since it was called last.
func (w *reviewWorld) told() func(step string, want ...string) {
	w.t.Helper()
	before, _ := w.raised(nil)
	return func(step string, want ...string) {
		w.t.Helper()
		all, _ := w.raised(nil)
		if got := all[len(before):]; !slices.Equal(got, want) {
			w.t.Errorf("%s: %v were raised, want %v", step, got, want)
		}
		before = all
	}
}

func refusals(err error) []string {
	var all []string
	for _, p := range problem.From(err) {
		all = append(all, strings.TrimSpace(string(p.Code)+" "+strings.Join(p.Field, ".")))
	}
	return all
}

func (w *reviewWorld) refused(what string, err error, want ...string) {
	w.t.Helper()
	if got := refusals(err); err == nil || !slices.Equal(got, want) {
		w.t.Errorf("%s: %v (%v), want %v", what, got, err, want)
	}
}
