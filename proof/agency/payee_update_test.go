package agency_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
)

func fullW9(name string) payee.W9Details {
	return payee.W9Details{Name: patch.Set(name), TaxClassification: patch.Set("INDIVIDUAL"), BusinessName: patch.Set("Diaz LLC"), ExemptPayee: patch.Set("5"),
		Address:       payee.W9Address{StreetAddress: patch.Set("1 Main"), City: patch.Set("Austin"), State: patch.Set("TX"), ZipCode: patch.Set("78701")},
		AccountNumber: patch.Set("AC-1180"), TaxpayerIdentifier: patch.Set("900-12-3456"), Signature: patch.Set("Ana Diaz"), SignatureDate: patch.Set(date.Of(2026, 2, 27))}
}

// someW9 says no more than a W9 has to.
func someW9(name string) payee.W9Details {
	return payee.W9Details{Name: patch.Set(name), TaxClassification: patch.Set("INDIVIDUAL")}
}

func usAccount() payee.BankDetails {
	return payee.BankDetails{Country: patch.Set("US"), AccountHolderName: patch.Set("Ana Diaz"), BankName: patch.Set("Lone Star"), AccountType: patch.Set("CHECKING"),
		RoutingNumber: patch.Set("011000015"), AccountNumber: patch.Set("0099887766")}
}

func caAccount() payee.BankDetails {
	return payee.BankDetails{Country: patch.Set("CA"), AccountHolderName: patch.Set("Ana Diaz"), AccountType: patch.Set("SAVINGS"),
		InstitutionNumber: patch.Set("003"), TransitNumber: patch.Set("00012"), AccountNumber: patch.Set("7654321")}
}

func (w *agentWorld) updatePayee(code string, in payee.Update) payee.Change {
	w.t.Helper()
	in.Initiator = "payroll"
	change, err := w.UpdatePayee(w.ctx, code, in, false)
	w.must(change, err)
	return change
}

// plain decrypts a value, "-" for none.
func (w *agentWorld) plain(v *vault.Sealed) string {
	w.t.Helper()
	return w.plainOr("-", v)
}

// plainOr decrypts a value; it returns none if there is no value.
func (w *agentWorld) plainOr(none string, v *vault.Sealed) string {
	w.t.Helper()
	secret, err := w.app.Vault.Unseal(w.ctx, w.tenantID(), v)
	w.must(secret, err)
	if secret == nil {
		return none
	}
	return secret.Reveal()
}

// recordText writes all that a record of a table says.
func recordText[T any](w *agentWorld, table fields.Table[T], open *T, secrets record.Secrets) string {
	parts := make([]string, len(table))
	for i, l := range table {
		if parts[i] = fmt.Sprint(l.Of(open).Any()); l.Sealed != "" {
			parts[i] = w.plain(secrets[l.Name])
		}
	}
	return strings.ReplaceAll(strings.Join(parts, "|"), "<nil>", orCleared(nil))
}

// w9On writes the W9 of an agent on a day.
func (w *agentWorld) w9On(code string, on date.Date) string {
	w.t.Helper()
	return storedText(w, payee.W9s, payee.W9Fields, "agency_w9 v JOIN agency_w9_period p ON p.tenant_id = v.tenant_id AND p.w9_id = v.id", "p.agent_id = $2 AND "+history.Covers("p", "$3"), w.agent(code).ID, on)
}

// deposit writes the bank details of an agent.
func (w *agentWorld) deposit(code string) string {
	w.t.Helper()
	return storedText(w, payee.Deposits, payee.BankFields, "agency_direct_deposit v", "v.agent_id = $2", w.agent(code).ID)
}

// storedText writes the record v that meets a condition, or none.
func storedText[T any](w *agentWorld, table record.SealedTable[T], all fields.Table[T], from, where string, args ...any) string {
	w.t.Helper()
	var (
		id      int64
		open    T
		secrets record.Secrets
	)
	found, err := store.One(w.ctx, w.store, table.Dest(&open, &secrets, &id),
		"SELECT "+table.Columns("v", "id")+" FROM "+from+" WHERE v.tenant_id = $1 AND "+where, append([]any{w.tenantID()}, args...)...)
	w.must(found, err)
	if !found {
		return "none"
	}
	return recordText(w, all, &open, secrets)
}

func (w *agentWorld) w9History(code string) []string {
	w.t.Helper()
	list, err := w.PeriodList(w.ctx, history.W9s, 0, record.PeriodFilter{AgentCode: &code}, nil)
	w.must(nil, err)
	return lines(w, periodsOf(list, nameOnW9), (*periodRow).text)
}

const fullText = "Ana|Diaz LLC|INDIVIDUAL|5|1 Main|Austin|TX|78701|AC-1180|900-12-3456|Ana Diaz|2026-02-27"

// "PATCH with a status: status differs from the current one: new status
// effective today; with the status the agent already has: no change" (Pay
// status), and the same for a W9. All parts are one change.
func TestPayeeUpdate(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(since(newcomer("A1"), agentToday.AddDays(-10)))
		in := payee.Update{Status: patch.Set("Suspended"), W9: patch.Set(fullW9("Ana")), DirectDeposit: patch.Set(usAccount()), Initiator: "payroll"}
		w.unchanged(func() {
			change, err := w.UpdatePayee(w.ctx, "A1", in, true)
			w.must(change, err)
			equal(t, "previewed: changes", len(change.Histories), 2)
			equal(t, "previewed: status", *change.Histories[0].After[1].Value, "Suspended")
			equal(t, "previewed: the W9 by its number", *change.Histories[1].After[0].Value, "W9 1")
		})
		at := w.later()
		change := w.updatePayee("A1", in)
		equal(t, "changed", change.Changed, true)
		equal(t, "status", w.statusHistory("A1"), []string{"Active 2026-06-05..2026-06-14", "Suspended 2026-06-15.."})
		equal(t, "W9s", w.w9History("A1"), []string{"Ana 2026-06-15.."})
		equal(t, "W9", w.w9On("A1", agentToday), fullText)
		equal(t, "the day before", w.w9On("A1", agentToday.AddDays(-1)), "none")
		equal(t, "direct deposit", w.deposit("A1"), "US|Ana Diaz|Lone Star|CHECKING|011000015|-|-|0099887766")
		equal(t, "the agent is stamped", w.agent("A1").LastModified.Equal(at), true)
		w.unchanged(func() {
			change := w.updatePayee("A1", in)
			equal(t, "again: changed", change.Changed, false)
			equal(t, "again: histories", len(change.Histories), 2)
			equal(t, "omitted parts", w.updatePayee("A1", payee.Update{}).Changed, false)
		})
	})
}

// Omitted properties of a W9 stay as in the one in force, null clears, those of
// its address too (Partial updates). Each difference opens a period today.
func TestPayeeUpdateMergesTheW9(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		w.updatePayee("A1", payee.Update{W9: patch.Set(fullW9("Ana"))})
		null := patch.Null[string]()
		for _, c := range []struct {
			name   string
			update payee.W9Details
			index  int
			want   string
		}{
			{"name", payee.W9Details{Name: patch.Set(" Ana D. ")}, 0, "Ana D."},
			{"businessName", payee.W9Details{BusinessName: null}, 1, orCleared(nil)},
			{"taxClassification", payee.W9Details{TaxClassification: patch.Set("LLC_C")}, 2, "LLC_C"},
			{"exemptPayee", payee.W9Details{ExemptPayee: null}, 3, orCleared(nil)},
			{"address.city", payee.W9Details{Address: payee.W9Address{City: patch.Set("Tulsa")}}, 5, "Tulsa"},
			{"address.state", payee.W9Details{Address: payee.W9Address{State: null}}, 6, orCleared(nil)},
			{"accountNumber", payee.W9Details{AccountNumber: patch.Set("AC-2")}, 8, "AC-2"},
			{"taxpayerIdentifier, written in another way", payee.W9Details{TaxpayerIdentifier: patch.Set("900123456")}, 9, "900123456"},
			{"taxpayerIdentifier", payee.W9Details{TaxpayerIdentifier: null}, 9, "-"},
			{"signature", payee.W9Details{Signature: patch.Set("A. D.")}, 10, "A. D."},
			{"signatureDate", payee.W9Details{SignatureDate: patch.Set(date.Of(2026, 3, 1))}, 11, "2026-03-01"},
		} {
			want := strings.Split(w.w9On("A1", agentToday), "|")
			change := w.updatePayee("A1", payee.Update{W9: patch.Set(c.update)})
			want[c.index] = c.want
			equal(t, c.name, w.w9On("A1", agentToday), strings.Join(want, "|"))
			equal(t, c.name+": changed", change.Changed, true)
		}
		w.updatePayee("A1", payee.Update{W9: patch.Set(payee.W9Details{Address: *payee.W9AddressFields.Cleared()})})
		d := orCleared(nil)
		equal(t, "address: null", strings.Join(strings.Split(w.w9On("A1", agentToday), "|")[4:8], "|"), strings.Join([]string{d, d, d, d}, "|"))
		equal(t, "one period: all began today", len(w.w9History("A1")), 1)
		w.clock.Move(24 * 3600e9)
		w.updatePayee("A1", payee.Update{W9: patch.Set(payee.W9Details{Name: patch.Set("Next day")})})
		equal(t, "the next day", w.w9History("A1"), []string{"Ana D. 2026-06-15..2026-06-15", "Next day 2026-06-16.."})
	})
}

// w9: null ends the period in force yesterday; one that began today is removed,
// and later ones stay.
func TestPayeeUpdateEndsTheW9(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(since(newcomer("A1"), agentToday.AddDays(-30)))
		none := payee.Update{W9: patch.Null[payee.W9Details]()}
		w.unchanged(func() { equal(t, "without one: changed", w.updatePayee("A1", none).Changed, false) })
		w.must(w.applyW9("A1", fullW9("Past"), agentToday.AddDays(-20), agentToday.AddDays(5).Ptr()))
		w.must(w.applyW9("A1", fullW9("Later"), agentToday.AddDays(10), nil))
		change := w.updatePayee("A1", none)
		equal(t, "ended yesterday", w.w9History("A1"), []string{"Past 2026-05-26..2026-06-14", "Later 2026-06-25.."})
		equal(t, "operation", string(change.Histories[0].Operations[0].Kind), "SHORTENED")
		equal(t, "after", len(change.Histories[0].After), 2)
		w.must(w.applyW9("A1", fullW9("Today"), agentToday, agentToday.Ptr()))
		change = w.updatePayee("A1", none)
		equal(t, "removed", w.w9History("A1"), []string{"Past 2026-05-26..2026-06-14", "Later 2026-06-25.."})
		equal(t, "operation", string(change.Histories[0].Operations[0].Kind), "REMOVED")
		equal(t, "today", w.w9On("A1", agentToday), "none")
	})
}

// Direct deposit: "an update replaces the current details" (Payee); nothing of
// the old ones stays.
func TestPayeeUpdateReplacesDirectDeposit(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		w.updatePayee("A1", payee.Update{DirectDeposit: patch.Set(usAccount())})
		w.updatePayee("A1", payee.Update{DirectDeposit: patch.Set(caAccount())})
		equal(t, "replaced", w.deposit("A1"), "CA|Ana Diaz|"+orCleared(nil)+"|SAVINGS|-|003|00012|7654321")
		w.unchanged(func() {
			same := caAccount()
			same.AccountNumber = patch.Set(" 7654321 ")
			equal(t, "identical: changed", w.updatePayee("A1", payee.Update{DirectDeposit: patch.Set(same)}).Changed, false)
		})
		remove := payee.Update{DirectDeposit: patch.Null[payee.BankDetails]()}
		equal(t, "null: changed", w.updatePayee("A1", remove).Changed, true)
		equal(t, "null", w.deposit("A1"), "none")
		w.unchanged(func() { equal(t, "null again: changed", w.updatePayee("A1", remove).Changed, false) })
	})
}

// All that is wrong in any part is refused together, and nothing is changed.
func TestPayeeUpdateRefused(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		bad := usAccount()
		bad.RoutingNumber, bad.AccountHolderName = patch.Set("011000016"), patch.Set("")
		null := patch.Null[string]()
		for _, c := range []struct {
			name string
			in   payee.Update
			want []string
		}{
			{"everything", payee.Update{Status: patch.Set("Angry"), DirectDeposit: patch.Set(bad), W9: patch.Set(payee.W9Details{TaxpayerIdentifier: patch.Set("1-2-3")})},
				[]string{"REQUIRED initiator", "REQUIRED directDeposit.accountHolderName", "INVALID_FORMAT directDeposit.routingNumber", "UNKNOWN_STATUS status",
					"INVALID_FORMAT w9.taxpayerIdentifier", "REQUIRED w9.name", "REQUIRED w9.taxClassification"}},
			{"null", payee.Update{Status: null, W9: patch.Set(payee.W9Details{Name: null, TaxClassification: null}), Initiator: "x"},
				[]string{"NULL_NOT_ALLOWED status", "NULL_NOT_ALLOWED w9.name", "NULL_NOT_ALLOWED w9.taxClassification"}},
			{"blank", payee.Update{Status: patch.Set(" "), W9: patch.Set(payee.W9Details{Name: patch.Set(" "), TaxClassification: patch.Set("OTHER")}), Initiator: "x"},
				[]string{"REQUIRED status", "REQUIRED w9.name"}},
		} {
			w.unchanged(func() {
				_, err := w.UpdatePayee(w.ctx, "A1", c.in, false)
				equal(t, c.name, problems(err), c.want)
				if err != nil && (strings.Contains(err.Error(), "1-2-3") || strings.Contains(err.Error(), "011000016")) {
					t.Errorf("%s: the error repeats a refused value", c.name)
				}
			})
		}
		w.updatePayee("A1", payee.Update{W9: patch.Set(fullW9("Ana"))})
		w.unchanged(func() {
			_, err := w.UpdatePayee(w.ctx, "A1", payee.Update{W9: patch.Set(payee.W9Details{Name: null}), Initiator: "x"}, false)
			equal(t, "with a current W9 too", problems(err), []string{"NULL_NOT_ALLOWED w9.name"})
			masks := []string{"INVALID_FORMAT w9.accountNumber", "INVALID_FORMAT w9.taxpayerIdentifier", "INVALID_FORMAT w9.signature"}
			_, err = w.UpdatePayee(w.ctx, "A1", payee.Update{W9: patch.Set(payee.W9Details{AccountNumber: patch.Set("****1180"), TaxpayerIdentifier: patch.Set("***-**-3456"), Signature: patch.Set("****")}), Initiator: "x"}, false)
			equal(t, "masks in an update", problems(err), masks)
			_, err = w.UpdatePayee(w.ctx, "A1", payee.Update{W9: patch.Set(payee.W9Details{Signature: patch.Set(" ****")}), Initiator: "x"}, false)
			equal(t, "a mask behind a blank", problems(err), masks[2:])
			in := fullW9("Ana")
			in.AccountNumber, in.TaxpayerIdentifier, in.Signature = patch.Set("****1181"), patch.Set("***-**-3457"), patch.Set("****")
			_, err = w.applyW9("A1", in, agentToday, nil)
			equal(t, "masks of other values in a W9", problems(err), masks[:2])
			_, err = w.applyW9("A1", in, agentToday.AddDays(-1), nil)
			equal(t, "masks in a W9 of days without one", problems(err), masks)
			_, err = w.UpdatePayee(w.ctx, "NOBODY", payee.Update{Initiator: "x"}, false)
			equal(t, "nobody", problems(err), []string{"UNKNOWN_AGENT"})
		})
	})
}
