package agency_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
)

func (w *agentWorld) applyW9(code string, in payee.W9Details, from date.Date, through *date.Date) (record.Change, error) {
	return w.ApplyW9(w.ctx, payee.W9PeriodInput{AgentCode: code, W9: in, EffectiveFrom: from, EffectiveThrough: through, Initiator: "payroll"}, false)
}

// POST /payees/w9s: "period supplied: applied with the history rules" (Pay
// status); "if an identical period exists nothing changes" (Certification
// statuses). The parts of a split period share a W9.
func TestApplyW9(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(since(newcomer("A1"), agentToday.AddDays(-60)))
		january := date.Of(2026, 1, 1)
		w.must(w.applyW9("A1", fullW9("Ana"), january, nil))
		march := date.Of(2026, 3, 1)
		w.unchanged(func() {
			change, err := w.ApplyW9(w.ctx, payee.W9PeriodInput{AgentCode: "A1", W9: fullW9("Bob"), EffectiveFrom: march, EffectiveThrough: march.Ptr(), Initiator: "x"}, true)
			w.must(change, err)
			equal(t, "dry run", planText(change.After), "W9 1 2026-01-01..2026-02-28, W9 2 2026-03-01..2026-03-01, W9 1 2026-03-02..")
		})
		w.must(w.applyW9("A1", fullW9("Bob"), march, march.AddDays(30).Ptr()))
		equal(t, "split", w.w9History("A1"), []string{"Ana 2026-01-01..2026-02-28", "Bob 2026-03-01..2026-03-31", "Ana 2026-04-01.."})
		equal(t, "rows", w.count("SELECT count(*) FROM agency_w9 WHERE tenant_id = $1", w.tenantID()), 2)
		equal(t, "both parts are readable", w.w9On("A1", agentToday), fullText)
		equal(t, "the other part", w.w9On("A1", january), fullText)

		w.unchanged(func() {
			spaced := fullW9(" Bob ")
			change, err := w.applyW9("A1", spaced, march, march.AddDays(30).Ptr())
			w.must(change, err)
			equal(t, "identical: changed", change.Changed, false)
			if change.PeriodID == nil {
				t.Error("the period that is there already has no id")
			}
		})
		change, err := w.applyW9("A1", fullW9("Ana"), march, march.Ptr())
		w.must(change, err)
		equal(t, "a W9 that is there already", w.count("SELECT count(*) FROM agency_w9 WHERE tenant_id = $1", w.tenantID()), 2)
		equal(t, "by its number", *change.After[1].Value, "W9 1")
	})
}

func planText(periods []record.Planned) string {
	var all []string
	for _, p := range periods {
		all = append(all, span(orCleared(p.Value), p.EffectiveFrom, p.EffectiveThrough))
	}
	return strings.Join(all, ", ")
}

// A W9 equal in all but one property is another one, also where that property
// is encrypted.
func TestW9sAreComparedByAllTheySay(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		w.must(w.applyW9("A1", fullW9("Ana"), agentToday, nil))
		rows := 1
		null := patch.Null[string]()
		for name, edit := range map[string]func(in *payee.W9Details){
			"name": func(in *payee.W9Details) { in.Name = patch.Set("B") }, "businessName": func(in *payee.W9Details) { in.BusinessName = null },
			"taxClassification": func(in *payee.W9Details) { in.TaxClassification = patch.Set("OTHER") }, "exemptPayee": func(in *payee.W9Details) { in.ExemptPayee = patch.Set("6") },
			"streetAddress": func(in *payee.W9Details) { in.Address.StreetAddress = null }, "city": func(in *payee.W9Details) { in.Address.City = patch.Set("Tulsa") },
			"state": func(in *payee.W9Details) { in.Address.State = null }, "zipCode": func(in *payee.W9Details) { in.Address.ZipCode = null },
			"accountNumber": func(in *payee.W9Details) { in.AccountNumber = patch.Set("AC-1181") }, "no accountNumber": func(in *payee.W9Details) { in.AccountNumber = null },
			"taxpayerIdentifier": func(in *payee.W9Details) { in.TaxpayerIdentifier = patch.Set("900-12-3457") }, "signature": func(in *payee.W9Details) { in.Signature = patch.Set("ana diaz") },
			"signatureDate": func(in *payee.W9Details) { in.SignatureDate = patch.Null[date.Date]() },
		} {
			in := fullW9("Ana")
			edit(&in)
			w.must(w.applyW9("A1", in, agentToday, nil))
			rows++
			equal(t, name, w.count("SELECT count(*) FROM agency_w9 WHERE tenant_id = $1", w.tenantID()), rows)
		}
	})
}

// A change decrypts what is in force, and W9s that seem to be the same: not all
// that the agent ever had.
func TestW9ChangesDecryptLittle(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(since(newcomer("A1"), agentToday.AddDays(-60)))
		for i := range 8 {
			w.must(w.applyW9("A1", fullW9(fmt.Sprintf("Name %d", i)), agentToday.AddDays(i), nil))
		}
		for i := range 4 {
			in := fullW9("Name 7")
			in.TaxpayerIdentifier = patch.Set(fmt.Sprintf("900-12-000%d", i))
			w.must(w.applyW9("A1", in, agentToday.AddDays(20+i), nil))
		}
		before := w.app.Vault.Decryptions()
		w.must(w.applyW9("A1", fullW9("Another"), agentToday, agentToday.Ptr()))
		equal(t, "the one in force", w.app.Vault.Decryptions()-before, 3)
		before = w.app.Vault.Decryptions()
		w.must(w.applyW9("A1", fullW9("Name 7"), agentToday.AddDays(-1), agentToday.AddDays(-1).Ptr()))
		equal(t, "the one that is the same, on a day without one", w.app.Vault.Decryptions()-before, 3)
		equal(t, "rows", w.count("SELECT count(*) FROM agency_w9 WHERE tenant_id = $1", w.tenantID()), 13)
	})
}

// A registration takes a W9 and direct deposit (Resources, "Agent"), in force
// from the start date; what is wrong in them is named by its path.
func TestRegistrationWithPayee(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		in := since(newcomer("A1"), agentToday.AddDays(-10))
		in.W9, in.DirectDeposit = new(fullW9("Ana")), new(usAccount())
		w.unchanged(func() { w.must(w.Register(w.ctx, in, true)) })
		w.register(in)
		equal(t, "W9s", w.w9History("A1"), []string{"Ana 2026-06-05.."})
		equal(t, "W9", w.w9On("A1", agentToday), fullText)
		equal(t, "direct deposit", w.deposit("A1"), "US|Ana Diaz|Lone Star|CHECKING|011000015|-|-|0099887766")
		w.unchanged(func() {
			for _, dryRun := range []bool{true, false} {
				bad := newcomer("A2")
				bad.W9 = &payee.W9Details{TaxpayerIdentifier: patch.Set("1")}
				bad.DirectDeposit = &payee.BankDetails{Country: patch.Set("CA"), AccountType: patch.Set(""), TransitNumber: patch.Set("1")}
				_, err := w.Register(w.ctx, bad, dryRun)
				equal(t, "problems", problems(err), []string{"INVALID_FORMAT w9.taxpayerIdentifier", "REQUIRED w9.name", "REQUIRED w9.taxClassification",
					"INVALID_FORMAT directDeposit.accountType", "REQUIRED directDeposit.accountHolderName", "REQUIRED directDeposit.institutionNumber", "INVALID_FORMAT directDeposit.transitNumber",
					"REQUIRED directDeposit.accountNumber"})
			}
		})
		w.must(w.DeleteAgent(w.ctx, "A1", nil, "x"))
		for _, table := range []string{"agency_w9", "agency_w9_period", "agency_direct_deposit"} {
			equal(t, "left in "+table, w.count("SELECT count(*) FROM "+table+" WHERE tenant_id = $1", w.tenantID()), 0)
		}
	})
}

// The ciphertexts of W9s and bank details are bound to their rows, and hold
// nothing of the value.
func TestPayeeSecretsAreSealed(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		for _, code := range []string{"A1", "A2"} {
			in := newcomer(code)
			in.W9, in.DirectDeposit = new(fullW9("Ana")), new(usAccount())
			w.register(in)
		}
		for _, c := range []struct{ table, column, value string }{
			{"agency_w9", "account_number", "AC-1180"}, {"agency_w9", "taxpayer_identifier", "900-12-3456"}, {"agency_w9", "signature", "Ana Diaz"},
			{"agency_direct_deposit", "routing_number", "011000015"}, {"agency_direct_deposit", "account_number", "0099887766"},
		} {
			stored, err := store.Collect(w.ctx, w.store, store.ScanOne[[]byte], "SELECT "+c.column+" FROM "+c.table+" WHERE tenant_id = $1", w.tenantID())
			w.must(stored, err)
			equal(t, c.column+": rows", len(stored), 2)
			if string(stored[0]) == string(stored[1]) || strings.Contains(string(stored[0]), c.value) {
				t.Errorf("%s is not sealed row by row", c.column)
			}
		}
		equal(t, "blind indexes of one identifier", w.count("SELECT count(DISTINCT taxpayer_identifier_index) FROM agency_w9 WHERE tenant_id = $1", w.tenantID()), 1)
	})
}

// Whoever corrects a W9 sends the masks back that were shown: they stand for the values in
// force on the first day, and what differs is what was corrected. Any of them may be given
// anew instead.
func TestMasksOfAW9StandForItsValues(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(since(newcomer("A1"), agentToday.AddDays(-60)))
		w.must(w.applyW9("A1", fullW9("Ana"), agentToday, nil))
		rapid.Check(t, func(t *rapid.T) {
			in := fullW9("Ana")
			in.BusinessName = patch.Set(fmt.Sprint("Diaz ", rapid.IntRange(1, 1_000_000).Draw(t, "business")))
			for mask, of := range map[string]*patch.Field[string]{"****1180": &in.AccountNumber, "***-**-3456": &in.TaxpayerIdentifier, "****": &in.Signature} {
				if rapid.Bool().Draw(t, mask) {
					*of = patch.Set(mask)
				}
			}
			change, err := w.applyW9("A1", in, agentToday, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := w.w9On("A1", agentToday), strings.Replace(fullText, "Diaz LLC", *in.BusinessName.Value, 1); got != want {
				t.Fatalf("the W9 is %s; want %s", got, want)
			}
			if entry := w.lastEntry(); change.Changed && !slices.Equal(entry, []string{"w9.businessName"}) {
				t.Fatalf("changed are %q", entry)
			}
		})
	})
}
