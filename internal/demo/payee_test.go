package demo_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// checkPayee: there are W9s from the start on, in the name and under the
// taxpayer identifier of the agent, and bank details only for who can be paid.
func checkPayee(t failer, a *demo.Agent, today date.Date) {
	t.Helper()
	status := on(a.PayStatusPeriods, today)
	if (status == "Pending") != (len(a.W9Periods) == 0) {
		t.Errorf("%s: %d W9s of an agent who is %s", a.Code, len(a.W9Periods), status)
		return
	}
	if status != "Pending" {
		checkContiguous(t, a, a.W9Periods)
	}
	for _, p := range a.W9Periods {
		w := p.Value
		if w.TaxpayerIdentifier != a.GovernmentIdentifier || w.Name != a.FirstName+" "+a.LastName || w.Signature != w.Name ||
			w.SignatureDate != p.From || p.From >= today || (w.BusinessName != "") != (w.TaxClassification == "SOLE_PROPRIETOR") {
			t.Errorf("%s: W9 %+v from %s", a.Code, w, p.From)
		}
	}
	if d := a.DirectDeposit; d != nil {
		if !slices.Contains([]string{"Active", "Vested", "Retired"}, status) {
			t.Errorf("%s: is %s and has an account", a.Code, status)
		}
		checkBank(t, a, d)
	}
}

var (
	routingForm     = regexp.MustCompile(`^9\d{8}$`)
	institutionForm = regexp.MustCompile(`^9\d\d$`)
	transitForm     = regexp.MustCompile(`^\d{5}$`)
	accountForm     = regexp.MustCompile(`^\d{8,14}$`)
	accountCAForm   = regexp.MustCompile(`^\d{7,12}$`)
	none            = regexp.MustCompile(`^$`)
)

// checkBank: an account is in the agent's country, and at a bank that does not
// exist.
func checkBank(t failer, a *demo.Agent, d *demo.DirectDeposit) {
	t.Helper()
	if d.Country != a.HomeAddress.Country || d.BankName == "" || d.AccountHolderName == "" || d.AccountType != "CHECKING" && d.AccountType != "SAVINGS" {
		t.Errorf("%s: %+v", a.Code, d)
	}
	routing, institution, transit, account := routingForm, none, none, accountForm
	if d.Country == "CA" {
		routing, institution, transit, account = none, institutionForm, transitForm, accountCAForm
	}
	if !routing.MatchString(d.RoutingNumber) || !institution.MatchString(d.InstitutionNumber) || !transit.MatchString(d.TransitNumber) || !account.MatchString(d.AccountNumber) {
		t.Errorf("%s: numbers of %+v", a.Code, d)
	}
	if d.RoutingNumber != "" && !validRouting(d.RoutingNumber) {
		t.Errorf("%s: wrong check digit in %s", a.Code, d.RoutingNumber)
	}
}

// validRouting reports whether 3(d1+d4+d7) + 7(d2+d5+d8) + (d3+d6+d9) is a
// multiple of ten.
func validRouting(s string) bool {
	d := func(i int) int { return int(s[i-1] - '0') }
	return (3*(d(1)+d(4)+d(7))+7*(d(2)+d(5)+d(8))+d(3)+d(6)+d(9))%10 == 0
}

// The rules of the area accept what was made up, also of agents in Canada: it
// could have been entered.
func TestTheAreaAcceptsPayeesAndLabels(t *testing.T) {
	w := newWorld(t, dbtest.SQLite(t))
	ctx, service := tenant.With(t.Context(), w.create(t, "a")), agency.New(w.store, w.clock, w.vault)
	accounts := map[string]int{}
	for _, g := range generate(150).Agents {
		in := agency.Registration{AgentCode: &g.Code, Details: agency.Details{FirstName: patch.Set(g.FirstName), LastName: patch.Set(g.LastName)}, Status: "Active", Initiator: "test",
			Teams: []agency.TeamAssignment{{Team: directory.DefaultTeam}}}
		if len(g.W9Periods) > 0 {
			in.W9 = entered(g.W9Periods[0].Value)
		}
		if d := g.DirectDeposit; d != nil {
			accounts[d.Country]++
			in.DirectDeposit = &payee.BankDetails{Country: patch.Set(d.Country), AccountHolderName: patch.Set(d.AccountHolderName), BankName: patch.Set(d.BankName), AccountType: patch.Set(d.AccountType),
				RoutingNumber: text(d.RoutingNumber), InstitutionNumber: text(d.InstitutionNumber), TransitNumber: text(d.TransitNumber), AccountNumber: patch.Set(d.AccountNumber)}
		}
		if _, err := service.Register(ctx, in, false); err != nil {
			t.Errorf("%s: %v", g.Code, err)
		}
		for _, alias := range g.Aliases {
			_, err := service.CreateAlias(ctx, g.Code, label.AliasInput{Identifier: alias.Identifier, ProviderCompany: &alias.ProviderCompany, Initiator: "test"})
			must(t, err)
		}
	}
	if accounts["US"] == 0 || accounts["CA"] == 0 {
		t.Errorf("accounts: %v", accounts)
	}
}

func entered(v demo.W9) *payee.W9Details {
	return &payee.W9Details{Name: patch.Set(v.Name), BusinessName: text(v.BusinessName), TaxClassification: patch.Set(v.TaxClassification),
		Address:       payee.W9Address{StreetAddress: patch.Set(v.StreetAddress), City: patch.Set(v.City), State: patch.Set(v.State), ZipCode: patch.Set(v.ZipCode)},
		AccountNumber: text(v.AccountNumber), TaxpayerIdentifier: patch.Set(v.TaxpayerIdentifier), Signature: patch.Set(v.Signature), SignatureDate: patch.Set(v.SignatureDate)}
}

// text is null for empty text.
func text(s string) patch.Field[string] {
	if s == "" {
		return patch.Null[string]()
	}
	return patch.Set(s)
}

// The service reads the loaded W9s and bank details, decrypted, as they were
// made up.
func TestServiceReadsLoadedPayees(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		a, made := w.create(t, "a"), generate(200)
		must(t, w.load(t.Context(), a, made, ignore))
		ctx := tenant.With(t.Context(), a)
		open := func(v *vault.Sealed) string {
			t.Helper()
			secret, err := w.vault.Unseal(ctx, a.ID, v)
			must(t, err)
			if secret == nil {
				return ""
			}
			return secret.Reveal()
		}
		for i := range made.Agents {
			g := &made.Agents[i]
			agent := agentRow(t, ctx, s, g.Code).id
			for _, p := range g.W9Periods {
				var (
					id      int64
					v       payee.W9Details
					secrets record.Secrets
				)
				_, err := store.One(ctx, s, payee.W9s.Dest(&v, &secrets, &id), "SELECT "+payee.W9s.Columns("v", "id")+` FROM agency_w9_period p JOIN agency_w9 v
					ON v.tenant_id = p.tenant_id AND v.id = p.w9_id WHERE p.tenant_id = $1 AND p.agent_id = $2 AND `+history.Covers("p", "$3"), a.ID, agent, p.From)
				must(t, err)
				a := v.Address
				got := demo.W9{v.Name.OrZero(), v.BusinessName.OrZero(), v.TaxClassification.OrZero(), a.StreetAddress.OrZero(), a.City.OrZero(), a.State.OrZero(), a.ZipCode.OrZero(),
					open(secrets["accountNumber"]), open(secrets["taxpayerIdentifier"]), open(secrets["signature"]), v.SignatureDate.OrZero()}
				if got != p.Value {
					t.Errorf("%s on %s: another W9", g.Code, p.From)
				}
			}
			var (
				id      int64
				d       payee.BankDetails
				secrets record.Secrets
			)
			found, err := store.One(ctx, s, payee.Deposits.Dest(&d, &secrets, &id),
				"SELECT "+payee.Deposits.Columns("d", "id")+" FROM agency_direct_deposit d WHERE d.tenant_id = $1 AND d.agent_id = $2", a.ID, agent)
			must(t, err)
			if found != (g.DirectDeposit != nil) {
				t.Errorf("%s: bank details %t", g.Code, found)
			} else if found && (demo.DirectDeposit{d.Country.OrZero(), d.AccountHolderName.OrZero(), d.BankName.OrZero(), d.AccountType.OrZero(), open(secrets["routingNumber"]),
				open(secrets["institutionNumber"]), open(secrets["transitNumber"]), open(secrets["accountNumber"])}) != *g.DirectDeposit {
				t.Errorf("%s: other bank details", g.Code)
			}
		}
	})
}
