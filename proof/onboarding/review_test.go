package onboarding_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// "Transitions: not shown" (Application statuses): those of the table, with their
// conditions; anything else is a 409 that names both statuses and changes nothing.
func TestTransitions(t *testing.T) {
	onEachReview(t, func(t *testing.T, w *reviewWorld) {
		told := w.told()
		uid := w.apply("ana@example.com")
		told("start", "ApplicationCreated")
		stands := func(want onboarding.Status) {
			t.Helper()
			if got := w.application(uid).Status; got != want {
				t.Fatalf("the application is %s, want %s", got, want)
			}
		}
		err := w.MarkPaid(w.ctx, uid, nil)
		w.refused("pay before it is submitted", err, "INVALID_TRANSITION")
		if p := problem.From(err)[0]; p.Category != problem.Conflict || p.Details["from"] != "ACTIVE" || p.Details["to"] != "PAID" {
			t.Errorf("it does not name from and to: %+v", p)
		}
		w.refused("process an active one", w.process(uid), "INVALID_TRANSITION")
		w.refused("hold without reason", w.Hold(w.ctx, uid, " "), "REQUIRED reason")
		w.must(w.Hold(w.ctx, uid, "on leave"))
		stands(onboarding.Hold)
		told("hold", "ApplicationStatusChanged") // and nothing for what was refused
		w.refused("submit from hold", w.Submit(w.ctx, uid), "INVALID_TRANSITION")
		w.must(w.Resume(w.ctx, uid))
		stands(onboarding.Active)
		told("resume", "ApplicationStatusChanged")

		w.publish(func(in *onboarding.ConfigurationInput) {
			in.CollectBirthDate, in.RequiresPayment = patch.Set(true), patch.Set(true)
		})
		w.refused("submit without birth date", w.Submit(w.ctx, uid), "REQUIRED birthDate")
		stands(onboarding.Active)
		w.publish(func(in *onboarding.ConfigurationInput) { in.RequiresPayment = patch.Set(true) })
		told("two versions", "ConfigurationPublished", "ConfigurationPublished")
		w.must(w.Submit(w.ctx, uid))
		stands(onboarding.Complete)
		told("submit", "ApplicationSubmitted", "ApplicationStatusChanged")
		if a := w.application(uid); a.SubmittedAt == nil || !a.SubmittedAt.Equal(a.LastModified) {
			t.Errorf("submitted at %v, last modified at %v", a.SubmittedAt, a.LastModified)
		}
		w.refused("process before the fee is paid", w.process(uid), "INVALID_TRANSITION")
		w.must(w.Hold(w.ctx, uid, "a question"))
		w.must(w.Resume(w.ctx, uid))
		stands(onboarding.Complete)
		told("hold and resume", "ApplicationStatusChanged", "ApplicationStatusChanged")
		w.refused("an order longer than an application takes", w.MarkPaid(w.ctx, uid, new(strings.Repeat("O", 101))), "TOO_LONG orderId")
		w.must(w.MarkPaid(w.ctx, uid, new("ORDER-7")))
		stands(onboarding.Paid)
		told("pay", "ApplicationStatusChanged")
		_, err = w.ApproveBackground(w.ctx, uid, true, nil)
		w.must(err)
		told("approve", "ApplicationUpdated")
		w.must(w.process(uid))
		stands(onboarding.Processed)
		told("process", "AgentCreated", "HierarchyBuildCompleted", "ApplicationProcessed", "ApplicationStatusChanged")
		w.refused("reject a processed one", w.Reject(w.ctx, uid, "late"), "INVALID_TRANSITION")
		_, err = w.ApproveBackground(w.ctx, uid, true, nil)
		w.refused("approve a processed one", err, "INVALID_TRANSITION")
		w.refused("process it again", w.process(uid), "INVALID_TRANSITION")
		w.refused("unknown", w.Submit(w.ctx, "0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e70"), "NOT_FOUND id")

		steps, err := w.StatusHistory(w.ctx, []int64{w.application(uid).ID})
		w.must(err)
		var passed []string
		for _, c := range steps[w.application(uid).ID] {
			passed = append(passed, string(c.To))
		}
		if want := "ACTIVE HOLD ACTIVE COMPLETE HOLD COMPLETE PAID PROCESSED"; strings.Join(passed, " ") != want {
			t.Errorf("history: %v, want %s", passed, want)
		}
		other := w.apply("eva@example.com")
		told("what was refused, and another", "ApplicationCreated")
		w.refused("a reason with a bell in it", w.Reject(w.ctx, other, "a\x07"), "INVALID_FORMAT reason")
		w.must(w.Reject(w.ctx, other, "no reply"))
		told("reject", "ApplicationRejected", "ApplicationStatusChanged")
		w.refused("rejected is final", w.Resume(w.ctx, other), "INVALID_TRANSITION")
	})
}

// "Content published or configuration changed between two validations changes the
// answer, and says why", and validation changes nothing.
func TestValidationIsAgainstWhatIsPublishedAtThatMoment(t *testing.T) {
	onEachReview(t, func(t *testing.T, w *reviewWorld) {
		uid := w.apply("ana@example.com")
		validate := func() *onboarding.Validation {
			t.Helper()
			a := w.application(uid)
			all, err := w.Validate(w.ctx, map[int64]*onboarding.Application{a.ID: a})
			w.must(err)
			return all[a.ID]
		}
		before := w.application(uid).LastModified
		if v := validate(); len(v.Problems) > 0 {
			t.Fatalf("complete at first: %v", v.Problems)
		}
		w.publish(func(in *onboarding.ConfigurationInput) { in.CollectCellPhone = patch.Set(true) })
		v := validate()
		if !slices.Equal(fields(v.Problems), []string{"cellPhone"}) || !strings.Contains(v.Problems[0].Message, "collectCellPhone") ||
			v.Problems[0].Details["configurationVersion"] != v.ConfigurationVersion {
			t.Errorf("after the configuration changed: %+v", v.Problems)
		}
		if !w.application(uid).LastModified.Equal(before) {
			t.Error("validation changed the application")
		}
	})
}

// A recruit who signed is complete until another version of the contract is
// published; then the answer says which one is current.
func TestANewContractOutdatesASignature(t *testing.T) {
	onEachReview(t, func(t *testing.T, w *reviewWorld) {
		published, err := w.Published(w.ctx)
		w.must(err)
		signed := &onboarding.Signed{VersionID: published.Contract.UID, AgreementDate: date.Of(2026, time.June, 15), Signature: "Ana Diaz"}
		for _, c := range published.Contract.Covenants {
			signed.Responses = append(signed.Responses, answer(c.UID, "yes"))
		}
		uid := w.apply("ana@example.com", func(f *onboarding.Form) { f.Contract = signed })
		w.publish(func(in *onboarding.ConfigurationInput) { in.CollectContract = patch.Set(true) })
		w.must(w.Submit(w.ctx, uid))
		next, _, err := w.PublishContract(w.ctx, onboarding.ContractInput{Title: "Agreement", Body: "Be fair.", BodyFormat: "text",
			Covenants: []onboarding.CovenantInput{{Sequence: 1, Text: "All of it is true."}}})
		w.must(err)
		err = w.process(uid)
		w.refused("signed before", err, "CONTRACT_OUTDATED contract.versionId", "REQUIRED contract.responses."+next.Covenants[0].UID)
		if got := problem.From(err)[0].Details["currentVersionId"]; got != next.UID {
			t.Errorf("the current version is said to be %v, not %s", got, next.UID)
		}
	})
}

// "Processed (processed into an agent)": below the recruiter, with level, pay
// status, contact, W9 and certifications of the application, in one transaction.
func TestProcessingMakesTheAgent(t *testing.T) {
	onEachReview(t, func(t *testing.T, w *reviewWorld) {
		uid := w.apply("ana@example.com", func(f *onboarding.Form) {
			f.GovernmentIdentifier, f.Gender, f.HomeAddress, f.AgentLevelValue = new("123-45-6789"), new("NON_BINARY"), address(), new(20)
			f.CellPhone = &onboarding.Phone{AreaCode: new("512"), PhoneNumber: new("5550100")}
			f.W9 = &onboarding.W9{TaxpayerName: new("Diaz LLC"), Classification: new("LLC"), LLCClassification: new("S"), EIN: new("98-7654321")}
			f.Licenses = &onboarding.Licenses{NPN: new("18998877"), Items: []onboarding.License{
				{Type: "LIFE", Jurisdiction: "US-TX", LicenseNumber: new("77"), IsResident: new(true), ExpiresOn: date.Of(2027, time.May, 1).Ptr()},
				{Type: "LIFE", Jurisdiction: "US-CA", LicenseNumber: new("78"), ExpiresOn: date.Of(2025, time.May, 1).Ptr()}}}
		})
		w.must(w.Submit(w.ctx, uid))
		seen, _ := w.raised(nil)
		w.must(w.Process(w.ctx, uid, onboarding.Processing{AgentCode: new("N1"), Initiator: "reviewer"}))
		all, _ := w.raised(nil)
		if got := strings.Join(all[len(seen):], " "); got != "AgentCreated CertificationCreated CertificationCreated HierarchyBuildCompleted ApplicationProcessed ApplicationStatusChanged" {
			t.Errorf("events: %s", got)
		}
		found, err := w.app.Agency.AgentIDs(w.ctx, []string{"N1", "R1"})
		w.must(err)
		id := found["N1"]
		if id == 0 || w.application(uid).AgentID == nil || *w.application(uid).AgentID != id {
			t.Fatalf("agent %d", id)
		}
		w.takenOver(id, found["R1"])
	})
}

// takenOver checks what an agent below an upline has of the application.
func (w *reviewWorld) takenOver(id, upline int64) {
	w.t.Helper()
	for what, of := range map[string]struct{ columns, from, want string }{
		"details":      {"gender, npn", "agency_agent a WHERE a.id = $2", "NonBinary 18998877"},
		"W9":           {"tax_classification, name", "agency_w9 w JOIN agency_w9_period p ON p.w9_id = w.id WHERE p.agent_id = $2 AND " + history.Covers("p", "$3"), "LLC_S Diaz LLC"},
		"upline":       {"upline_agent_id, effective_through", "agency_upline_period p WHERE p.agent_id = $2", fmt.Sprint(upline, " -")},
		"level":        {"level, effective_through", "agency_level_period p WHERE p.agent_id = $2", "20 -"},
		"pay status":   {"status, effective_through", "agency_pay_status_period p WHERE p.agent_id = $2", "Active -"},
		"home address": {"kind, line1", "agency_address d WHERE d.agent_id = $2 AND d.kind = 'HOME'", "HOME 1 Main St"},
		"cell phone":   {"country_code, phone_number", "agency_phone d WHERE d.agent_id = $2 AND d.kind = 'CELL'", "1 5550100"},
		"certification with a status today": {"c.identifier, p.status || ' ' || (CASE WHEN c.is_verified THEN 'verified' ELSE 'unverified' END) || ' ' || (CASE WHEN c.is_resident_certification THEN 'resident' ELSE 'elsewhere' END)",
			"agency_certification c JOIN agency_certification_period p ON p.certification_id = c.id WHERE c.agent_id = $2 AND " + history.Covers("p", "$3"),
			"77 PENDING unverified resident"},
	} {
		first, second, _ := strings.Cut(of.columns, ", ")
		args := []any{tenant.From(w.ctx).ID, id}
		if strings.Contains(of.from, "$3") {
			args = append(args, date.Of(2026, time.June, 15))
		}
		table, where, _ := strings.Cut(of.from, " WHERE ")
		rows, err := store.Collect(w.ctx, w.app.Store, store.ScanOne[string],
			"SELECT CAST("+first+" AS TEXT) || ' ' || coalesce(CAST("+second+" AS TEXT), '-') FROM "+table+" WHERE "+where[:len("p.")]+"tenant_id = $1 AND "+where, args...)
		w.must(err)
		if got := strings.Join(rows, "; "); got != of.want {
			w.t.Errorf("%s: %s; want %s", what, got, of.want)
		}
	}
}

// "CollectPersonalHistory: … if background.requiresApproval is true, the
// approval" (Agent Onboarding): the agency approves, and then the application is
// complete. Approving twice changes nothing more.
func TestBackgroundIsApproved(t *testing.T) {
	onEachReview(t, func(t *testing.T, w *reviewWorld) {
		uid := w.apply("ana@example.com", func(f *onboarding.Form) {
			f.Background = &onboarding.Background{Notes: new("A fine of 1999."), RequiresApproval: true}
		})
		w.must(w.Submit(w.ctx, uid))
		w.refused("before the approval", w.process(uid), "REQUIRED background.approved")
		approve := func(approved bool, notes *string, want bool) {
			t.Helper()
			changed, err := w.ApproveBackground(w.ctx, uid, approved, notes)
			w.must(err)
			if changed != want {
				t.Errorf("approved %t: changed is %t", approved, changed)
			}
		}
		approve(true, new("Seen the papers."), true)
		f, err := w.Form(w.ctx, w.application(uid))
		w.must(err)
		if !f.Background.Approved || *f.Background.Notes != "A fine of 1999.\nSeen the papers." {
			t.Error("the approval, or the explanation of the recruit, is not there")
		}
		seen, _ := w.raised(nil)
		at := w.application(uid).LastModified
		approve(true, nil, false)
		if all, _ := w.raised(nil); len(all) != len(seen) || !w.application(uid).LastModified.Equal(at) {
			t.Errorf("approving twice: events %v", all[len(seen):])
		}
		approve(false, nil, true)
		approve(true, nil, true)
		w.must(w.process(uid))
		_, err = w.ApproveBackground(w.ctx, uid, false, nil)
		w.refused("of a processed one", err, "INVALID_TRANSITION")
	})
}

// A refusal of the agency's side names the field of the application, and leaves
// neither half.
func TestProcessingIsRefusedAsAWhole(t *testing.T) {
	onEachReview(t, func(t *testing.T, w *reviewWorld) {
		agents := w.agents()
		for email, c := range map[string]struct {
			set  func(*onboarding.Form)
			want string
		}{
			"a@example.com": {func(f *onboarding.Form) { f.RecruiterAgentCode = "NOBODY" }, "UNKNOWN_UPLINE recruiterAgentCode"},
			"b@example.com": {func(f *onboarding.Form) { f.AgentLevelValue = new(987) }, "UNKNOWN_LEVEL agentLevelValue"},
			"c@example.com": {func(f *onboarding.Form) { f.W9 = &onboarding.W9{TaxpayerName: new("Ana")} }, "REQUIRED w9.classification"},
			"d@example.com": {func(f *onboarding.Form) {
				f.Licenses = &onboarding.Licenses{Items: []onboarding.License{{Type: "NONE", Jurisdiction: "US-TX"}}}
			}, "UNKNOWN_CERTIFICATION_TYPE licenses.items.0.type"},
			"e@example.com": {func(f *onboarding.Form) { f.Background = &onboarding.Background{RequiresApproval: true} }, "REQUIRED background.approved"},
		} {
			uid := w.apply(email, c.set)
			w.must(w.Submit(w.ctx, uid))
			w.refused(email, w.process(uid), c.want)
			if a := w.application(uid); a.Status != onboarding.Complete || a.AgentID != nil {
				t.Errorf("%s: %s after the refusal", email, a.Status)
			}
		}
		uid := w.apply("f@example.com", func(f *onboarding.Form) { f.GovernmentIdentifier = new("123-45-6789") })
		w.must(w.Submit(w.ctx, uid))
		_, err := w.app.Agency.Register(w.ctx, agency.Registration{Details: agency.Details{FirstName: patch.Set("Ana"), LastName: patch.Set("Diaz")}, Status: "Active", GovernmentIdentifier: new("123456789"),
			Teams: []agency.TeamAssignment{{Team: record.DefaultTeam}}, Initiator: "hr-import"}, false)
		w.must(err)
		w.refused("the tax id of an agent", w.process(uid), "AGENT_EXISTS_FOR_TAX_ID")
		w.refused("no initiator", w.Process(w.ctx, uid, onboarding.Processing{}), "REQUIRED initiator")
		w.publish(func(in *onboarding.ConfigurationInput) { in.DefaultPayStatus = patch.Null[string]() })
		w.refused("no pay status", w.process(uid), "REQUIRED payStatus")
		if got := w.agents(); got != agents+1 {
			t.Errorf("%d agents, want %d", got, agents+1)
		}
	})
}

// "exactly once even under retries and races": several reviewers at once make one
// agent; the others learn that it is processed.
func TestRacingReviewersMakeOneAgent(t *testing.T) {
	onEachReview(t, func(t *testing.T, w *reviewWorld) {
		uid := w.apply("ana@example.com")
		w.must(w.Submit(w.ctx, uid))
		agents := w.agents()
		var racing sync.WaitGroup
		outcomes := make([]error, 6)
		for i := range outcomes {
			racing.Go(func() { outcomes[i] = w.process(uid) })
		}
		racing.Wait()
		made := 0
		for _, err := range outcomes {
			switch {
			case err == nil:
				made++
			case !problem.Has(err, problem.InvalidTransition):
				t.Errorf("a loser: %v", err)
			}
		}
		if made != 1 || w.agents() != agents+1 || w.application(uid).AgentID == nil {
			t.Errorf("%d succeeded, %d agents were made", made, w.agents()-agents)
		}
	})
}

// documentedSteps reads the table of docs/onboarding.md: which status leads to which. From a
// hold it is the status before it.
func documentedSteps(t *testing.T) map[onboarding.Status]map[onboarding.Status]bool {
	t.Helper()
	text, err := os.ReadFile("../../docs/onboarding.md")
	_, rows, found := strings.Cut(string(text), "| From | To | By | Condition |\n| --- | --- | --- | --- |\n")
	if err != nil || !found {
		t.Fatalf("docs/onboarding.md has no table of transitions: %v", err)
	}
	steps := map[onboarding.Status]map[onboarding.Status]bool{}
	for line := range strings.Lines(rows) {
		cells := strings.Split(line, " | ")
		if len(cells) != 4 {
			break
		}
		to := []string{cells[1]}
		if cells[1] == "the status before the hold" {
			to = []string{"Active", "Complete", "Paid"}
		}
		for _, from := range strings.Split(strings.TrimPrefix(cells[0], "| "), ", ") {
			from := onboarding.Status(strings.ToUpper(from))
			if steps[from] == nil {
				steps[from] = map[onboarding.Status]bool{}
			}
			for _, status := range to {
				steps[from][onboarding.Status(strings.ToUpper(status))] = true
			}
		}
	}
	return steps
}

// Whatever is done in whatever order: no step outside the table, a processed
// application has exactly one agent and no other has one.
func TestNoSequenceLeavesTheTable(t *testing.T) {
	documented := documentedSteps(t)
	onEachReview(t, func(t *testing.T, w *reviewWorld) {
		n := 0
		rapid.Check(t, func(rt *rapid.T) {
			n++
			email := fmt.Sprintf("r%d@example.com", n)
			uid, agents := w.apply(email), w.agents()
			for range rapid.IntRange(1, 12).Draw(rt, "steps") {
				before := w.application(uid).Status
				var err error
				step := rapid.SampledFrom([]string{"submit", "hold", "resume", "pay", "process", "reject", "put", "publish"}).Draw(rt, "step")
				switch step {
				case "submit":
					err = w.Submit(w.ctx, uid)
				case "hold":
					err = w.Hold(w.ctx, uid, "why")
				case "resume":
					err = w.Resume(w.ctx, uid)
				case "pay":
					err = w.MarkPaid(w.ctx, uid, nil)
				case "process":
					err = w.process(uid)
				case "reject":
					err = w.Reject(w.ctx, uid, "why")
				case "put":
					f := bare()
					f.RecruiterAgentCode, f.EmailAddress, f.Suffix = "R1", email, new(rapid.SampledFrom([]string{"Jr", "Sr"}).Draw(rt, "suffix"))
					if rapid.Bool().Draw(rt, "complete") {
						f.BirthDate = date.Of(1990, time.May, 4).Ptr()
					}
					_, _, err = w.Replace(w.ctx, uid, *f)
				case "publish":
					birth, fee := rapid.Bool().Draw(rt, "birth date"), rapid.Bool().Draw(rt, "fee")
					w.publish(func(in *onboarding.ConfigurationInput) {
						in.CollectBirthDate, in.RequiresPayment = patch.Set(birth), patch.Set(fee)
					})
				}
				if err != nil && problem.From(err) == nil {
					rt.Fatalf("%s: %v", step, err)
				}
				a := w.application(uid)
				if a.Status != before && !documented[before][a.Status] {
					rt.Fatalf("%s led from %s to %s", step, before, a.Status)
				}
				made := w.agents() - agents
				if processed := a.Status == onboarding.Processed; processed != (a.AgentID != nil) || processed != (made == 1) || made > 1 {
					rt.Fatalf("%s after %s: %d agents", a.Status, step, made)
				}
			}
		})
	})
}
