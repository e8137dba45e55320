package main

import (
	"context"
	"fmt"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/webhooks"
)

// addDemoWork gives the first tenant work to look at, unless an earlier start did:
// a reorganisation, a subscriber that does not answer, and applications in every state.
func addDemoWork(ctx context.Context, a *app.App) error {
	t, err := a.Tenants.Find(ctx, demoTenants[0].identifier)
	if err != nil {
		return err
	}
	var applications int
	if _, err := store.One(ctx, a.Store, []any{&applications}, `SELECT count(*) FROM onboarding_application WHERE tenant_id = $1`, t.ID); err != nil || applications > 0 {
		return err
	}
	if err := addDemoSubscription(ctx, a, t); err != nil {
		return fmt.Errorf("a subscription: %w", err)
	}
	recruiter, err := leadingAgent(ctx, a)
	if err != nil {
		return err
	}
	if err := reorganiseDemo(ctx, a, t); err != nil {
		return fmt.Errorf("a reorganisation: %w", err)
	}
	if err := publishDemoContent(byOperator(ctx, t, "appConfigurationUpdate", "upline"), a); err != nil {
		return fmt.Errorf("what recruits are asked: %w", err)
	}
	for i, r := range demoRecruits {
		if err := addDemoRecruit(ctx, a, t, recruiter, i, r); err != nil {
			return fmt.Errorf("application of %s %s: %w", r.first, r.last, err)
		}
	}
	return nil
}

// addDemoSubscription adds a subscription whose address nobody listens at, so that its
// deliveries fail. It uses the discard port, which is never in use.
func addDemoSubscription(ctx context.Context, a *app.App, t *tenant.Tenant) error {
	_, _, err := a.Webhooks.Create(byOperator(ctx, t, "webhookSubscriptionCreate", "upline"), webhooks.Input{
		URL: patch.Set("http://127.0.0.1:9/crm"), Description: patch.Set("The CRM, which is down"),
		Events: patch.Set([]string{"Platform.AgentOnboarding.Events.*", "Platform.AgencyManagement.Events.*"})})
	return err
}

// publishDemoContent publishes the content that recruits have to answer.
func publishDemoContent(ctx context.Context, a *app.App) error {
	on, off := patch.Set(true), patch.Set(false)
	_, _, err := a.Onboarding.PublishConfiguration(ctx, onboarding.ConfigurationInput{
		CollectTaxID: on, CollectBirthDate: on, CollectHomeAddress: on, CollectPrimaryPhone: off, CollectCellPhone: on, CollectMaritalInfo: off,
		CollectCorrespondenceAddress: off, CollectLicenseInfo: off, CollectEmploymentInfo: off, CollectTaxInfo: off, CollectContract: off, CollectPersonalHistory: off,
		RequiresPayment: on, DefaultPayStatus: patch.Set("Active"), DefaultAgentLevel: patch.Set(10),
		Products: patch.Set([]onboarding.Product{{ID: "kit", Name: "Starter kit", Price: "49.00", Currency: "USD"}})})
	if err != nil {
		return err
	}
	for i, text := range []string{"Have you ever been convicted of a felony?", "Has a licence of yours ever been suspended or revoked?"} {
		if _, _, err := a.Onboarding.PublishQuestion(ctx, onboarding.QuestionInput{Sequence: i + 1, Text: text, ResponseType: "BOOLEAN", RequiresExplanationWhen: []string{"true"}}); err != nil {
			return err
		}
	}
	return nil
}

// demoRecruit is somebody who applies. Without a birth date the application is not
// complete. The steps are what is done with the application.
type demoRecruit struct {
	first, last string
	complete    bool
	steps       []string
}

var demoRecruits = []demoRecruit{
	{"Nora", "Keller", false, nil},
	{"Marcus", "Bell", false, nil},
	{"Priya", "Raman", true, nil},
	{"Tomas", "Herrera", true, []string{"hold"}},
	{"Hannah", "Osei", true, []string{"submit"}},
	{"Leo", "Fontaine", true, []string{"submit"}},
	{"Grace", "Whitfield", true, []string{"submit", "pay"}},
	{"Omar", "Haddad", true, []string{"submit", "pay"}},
	{"Julia", "Brandt", true, []string{"submit", "pay", "process"}},
	{"Sam", "Delgado", true, []string{"reject"}},
}

func addDemoRecruit(ctx context.Context, a *app.App, t *tenant.Tenant, recruiter string, n int, r demoRecruit) error {
	application, err := a.Onboarding.Create(byOperator(ctx, t, "applicationCreate", "upline"), r.form(recruiter, n))
	if err != nil {
		return err
	}
	for _, step := range r.steps {
		if err := demoStep(ctx, a, t, application.UID, step); err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
	}
	return nil
}

func (r demoRecruit) form(recruiter string, n int) onboarding.Form {
	f := onboarding.Form{RecruiterAgentCode: recruiter, FirstName: r.first, LastName: r.last, EmailAddress: fmt.Sprintf("%s.%s@example.com", r.first, r.last),
		GovernmentIdentifier: new(fmt.Sprintf("912-07-%04d", 5100+n)), SelectedProductID: new("kit"),
		CellPhone:   &onboarding.Phone{AreaCode: new("512"), PhoneNumber: new(fmt.Sprintf("555-01%02d", n))},
		HomeAddress: &onboarding.Address{Address1: new(fmt.Sprintf("%d Cedar Lane", 100+n)), City: new("Austin"), Jurisdiction: new("US-TX"), PostalCode: new("78701")}}
	if r.complete {
		f.BirthDate = new(date.Of(1985+n, time.March, 14))
	}
	return f
}

func demoStep(ctx context.Context, a *app.App, t *tenant.Tenant, uid, step string) error {
	ctx = byOperator(ctx, t, "application", "upline")
	switch step {
	case "submit":
		return a.Onboarding.Submit(ctx, uid)
	case "hold":
		return a.Onboarding.Hold(ctx, uid, "Waits for a copy of the licence")
	case "pay":
		return a.Onboarding.MarkPaid(ctx, uid, new("ORDER-1001"))
	case "process":
		return a.Onboarding.Process(ctx, uid, onboarding.Processing{Initiator: "upline"})
	default:
		return a.Onboarding.Reject(ctx, uid, "Withdrawn by the applicant")
	}
}
