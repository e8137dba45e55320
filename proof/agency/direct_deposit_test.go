package agency_test

import (
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/patch"
)

// The numbers of bank details by country: which there are, their lengths, and
// the check digit of a routing number.
func TestDirectDepositNumbers(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		us, ca := usAccount, caAccount
		for _, c := range []struct {
			name string
			base func() payee.BankDetails
			edit func(d *payee.BankDetails)
			want string
		}{
			{"US", us, func(d *payee.BankDetails) {}, ""},
			{"US, another bank", us, func(d *payee.BankDetails) { d.RoutingNumber = patch.Set("122105155") }, ""},
			{"US, shortest account", us, func(d *payee.BankDetails) { d.AccountNumber = patch.Set("1234") }, ""},
			{"US, longest account", us, func(d *payee.BankDetails) { d.AccountNumber = patch.Set(strings.Repeat("9", 17)) }, ""},
			{"US, too short", us, func(d *payee.BankDetails) { d.AccountNumber = patch.Set("123") }, "INVALID_FORMAT directDeposit.accountNumber"},
			{"US, too long", us, func(d *payee.BankDetails) { d.AccountNumber = patch.Set(strings.Repeat("9", 18)) }, "INVALID_FORMAT directDeposit.accountNumber"},
			{"US, two digits swapped", us, func(d *payee.BankDetails) { d.RoutingNumber = patch.Set("101000015") }, "INVALID_FORMAT directDeposit.routingNumber"},
			{"US, eight digits", us, func(d *payee.BankDetails) { d.RoutingNumber = patch.Set("01100001") }, "INVALID_FORMAT directDeposit.routingNumber"},
			{"US, dashes", us, func(d *payee.BankDetails) { d.RoutingNumber = patch.Set("0110-0001-5") }, "INVALID_FORMAT directDeposit.routingNumber"},
			{"US, other digits", us, func(d *payee.BankDetails) { d.AccountNumber = patch.Set("١٢٣٤٥") }, "INVALID_FORMAT directDeposit.accountNumber"},
			{"US, none", us, func(d *payee.BankDetails) { d.RoutingNumber = patch.Null[string]() }, "REQUIRED directDeposit.routingNumber"},
			{"US, blank", us, func(d *payee.BankDetails) { d.RoutingNumber = patch.Set(" ") }, "REQUIRED directDeposit.routingNumber"},
			{"US, an institution", us, func(d *payee.BankDetails) { d.InstitutionNumber = patch.Set("003") }, "NOT_APPLICABLE directDeposit.institutionNumber"},
			{"US, a transit number", us, func(d *payee.BankDetails) { d.TransitNumber = patch.Set("00012") }, "NOT_APPLICABLE directDeposit.transitNumber"},
			{"CA", ca, func(d *payee.BankDetails) {}, ""},
			{"CA, longest account", ca, func(d *payee.BankDetails) { d.AccountNumber = patch.Set(strings.Repeat("9", 12)) }, ""},
			{"CA, account of four", ca, func(d *payee.BankDetails) { d.AccountNumber = patch.Set("1234") }, "INVALID_FORMAT directDeposit.accountNumber"},
			{"CA, account of thirteen", ca, func(d *payee.BankDetails) { d.AccountNumber = patch.Set(strings.Repeat("9", 13)) }, "INVALID_FORMAT directDeposit.accountNumber"},
			{"CA, institution of four", ca, func(d *payee.BankDetails) { d.InstitutionNumber = patch.Set("0003") }, "INVALID_FORMAT directDeposit.institutionNumber"},
			{"CA, transit of four", ca, func(d *payee.BankDetails) { d.TransitNumber = patch.Set("0012") }, "INVALID_FORMAT directDeposit.transitNumber"},
			{"CA, no institution", ca, func(d *payee.BankDetails) { d.InstitutionNumber = patch.Null[string]() }, "REQUIRED directDeposit.institutionNumber"},
			{"CA, no transit number", ca, func(d *payee.BankDetails) { d.TransitNumber = patch.Null[string]() }, "REQUIRED directDeposit.transitNumber"},
			{"CA, a routing number", ca, func(d *payee.BankDetails) { d.RoutingNumber = patch.Set("011000015") }, "NOT_APPLICABLE directDeposit.routingNumber"},
		} {
			d := c.base()
			c.edit(&d)
			_, err := w.UpdatePayee(w.ctx, "A1", payee.Update{DirectDeposit: patch.Set(d), Initiator: "x"}, false)
			want := []string{}
			if c.want != "" {
				want = []string{c.want}
			}
			equal(t, c.name, problems(err), want)
		}
	})
}
