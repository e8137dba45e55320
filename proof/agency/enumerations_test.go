package agency_test

import (
	"testing"

	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/patch"
)

// A value of an enumeration is one of its list however it comes: in the spelling of
// REST, in another case or unknown it is refused by the name of its field, and nothing
// is stored. An LLC that does not say how it is taxed has no tax classification.
func TestOnlyKnownValuesAreStored(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		deposit := func(edit func(*payee.BankDetails)) error {
			d := usAccount()
			edit(&d)
			_, err := w.UpdatePayee(w.ctx, "A1", payee.Update{DirectDeposit: patch.Set(d), Initiator: "x"}, false)
			return err
		}
		for _, class := range []string{"LlcC", "LLC", "Individual", "individual", "Sole proprietor"} {
			in := newcomer("A2")
			in.W9 = &payee.W9Details{Name: patch.Set("Ana"), TaxClassification: patch.Set(class)}
			_, err := w.Register(w.ctx, in, false)
			equal(t, "registered with "+class, problems(err), []string{"INVALID_FORMAT w9.taxClassification"})
			_, err = w.UpdatePayee(w.ctx, "A1", payee.Update{W9: patch.Set(payee.W9Details{Name: patch.Set("Ana"), TaxClassification: patch.Set(class)}), Initiator: "x"}, false)
			equal(t, "changed to "+class, problems(err), []string{"INVALID_FORMAT w9.taxClassification"})
			_, err = w.ApplyW9(w.ctx, payee.W9PeriodInput{AgentCode: "A1", W9: *in.W9, EffectiveFrom: agentToday, Initiator: "x"}, false)
			equal(t, "applied with "+class, problems(err), []string{"INVALID_FORMAT w9.taxClassification"})
		}
		equal(t, "country", problems(deposit(func(d *payee.BankDetails) { d.Country = patch.Set("MX") })), []string{"INVALID_FORMAT directDeposit.country"})
		equal(t, "kind of account", problems(deposit(func(d *payee.BankDetails) { d.AccountType = patch.Set("Checking") })), []string{"INVALID_FORMAT directDeposit.accountType"})
		_, err := w.UpsertCertification(w.ctx, certification.Upsert{AgentCode: "A1", Type: "AML", Status: new("Active"), Initiator: "x"}, false)
		equal(t, "certification", problems(err), []string{"UNKNOWN_STATUS status"})
		_, err = w.CreateJurisdiction(w.ctx, reference.JurisdictionInput{Code: patch.Set("MX-A2"), Name: patch.Set("A"), Kind: patch.Set("STATE"), Initiator: "x"})
		equal(t, "jurisdiction", problems(err), []string{"INVALID_FORMAT kind"})
		_, err = w.CreateCertificationType(w.ctx, reference.CertificationTypeInput{Code: patch.Set("NEW"), Name: patch.Set("N"), Category: patch.Set("License"), Initiator: "x"})
		equal(t, "certification type", problems(err), []string{"INVALID_FORMAT category"})
	})
}
