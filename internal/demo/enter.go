package demo

import (
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/patch"
)

// newcomer returns an agent as the area has it, with its histories.
func (l *loader) newcomer(a *Agent, zone *time.Location) agency.Newcomer {
	h, phone := a.HomeAddress, a.CellPhone
	in := agency.Newcomer{
		Registration: agency.Registration{
			AgentCode: &a.Code, GovernmentIdentifier: &a.GovernmentIdentifier, StartDay: &a.StartDate, Initiator: initiator,
			Details: agency.Details{
				FirstName: given(a.FirstName), MiddleName: given(a.MiddleName), LastName: given(a.LastName), CommonName: given(a.CommonName),
				StartDate: patch.Set(a.StartDate.Begin(zone)), BirthDate: patch.Set(a.BirthDate), Gender: given(a.Gender), Email: given(a.Email), NPN: given(a.NPN),
			},
			Status: a.PayStatusPeriods[0].Value,
			Teams:  []agency.TeamAssignment{{Team: record.DefaultTeam, DirectUpline: l.code(a.UplinePeriods[0].Value), Level: &a.LevelPeriods[0].Value}},
			Contact: agency.Contact{
				Addresses: map[agency.AddressKind]*agency.Address{agency.HomeAddress: {
					Line1: given(h.Line1), City: given(h.City), Jurisdiction: given(h.Jurisdiction), PostalCode: given(h.PostalCode), Country: given(h.Country),
				}},
				Phones: map[agency.PhoneKind]*agency.Phone{agency.CellPhone: {AreaCode: given(phone.AreaCode), PhoneNumber: given(phone.PhoneNumber)}},
			},
		},
		Statuses: periods(a.PayStatusPeriods[1:]), Levels: periods(a.LevelPeriods[1:]),
	}
	for _, p := range a.UplinePeriods[1:] {
		in.Uplines = append(in.Uplines, history.Period[string]{From: p.From, Through: p.Through, Value: *l.code(p.Value)})
	}
	return in
}

// code returns the code of an upline; nil for none.
func (l *loader) code(upline int) *string {
	if upline == NoUpline {
		return nil
	}
	code := l.of.code(upline)
	return &code
}

func periods[T comparable](made []Period[T]) (all []history.Period[T]) {
	for _, p := range made {
		all = append(all, history.Period[T]{From: p.From, Through: p.Through, Value: p.Value})
	}
	return all
}

// given returns a text as a property; empty text is no value.
func given(s string) (p patch.Field[string]) {
	if s != "" {
		p = patch.Set(s)
	}
	return p
}

// orNil returns a text; nil for empty text.
func orNil(s string) *string { return given(s).Value }

// belongings is what belongs to agents, as the areas have it.
type belongings struct {
	certifications []certification.Held
	papers         []payee.Papers
	aliases        []label.NewAlias
	tags           []label.Assignment
	production     []facts.ProductionInput
	commissions    []facts.CommissionInput
}

// take adds what belongs to an agent.
func (b *belongings) take(id int64, a *Agent) {
	for _, c := range a.Certifications {
		b.certifications = append(b.certifications, certification.Held{AgentID: id, Statuses: periods(c.Periods), Upsert: certification.Upsert{
			AgentCode: a.Code, Type: c.Type, ProviderCompany: orNil(c.ProviderCompany), Jurisdiction: orNil(c.Jurisdiction), Identifier: orNil(c.Identifier),
			Details: certification.Details{IsResidentCertification: patch.Set(c.IsResident), IsVerified: patch.Set(c.IsVerified), Note: given(c.Note)},
		}})
	}
	for i := range a.W9Periods {
		b.papers = append(b.papers, payee.Papers{AgentID: id, Code: a.Code, From: a.W9Periods[i].From, W9: a.W9Periods[i].Value.details()})
	}
	if a.DirectDeposit != nil {
		b.papers = append(b.papers, payee.Papers{AgentID: id, Code: a.Code, DirectDeposit: a.DirectDeposit.details()})
	}
	for _, x := range a.Aliases {
		b.aliases = append(b.aliases, label.NewAlias{AgentID: id, Identifier: x.Identifier, ProviderCompany: &x.ProviderCompany})
	}
	for _, tag := range a.Tags {
		b.tags = append(b.tags, label.Assignment{AgentID: id, Tag: tag})
	}
	for _, p := range a.Production {
		b.production = append(b.production, facts.ProductionInput{AgentCode: a.Code, ProviderCompany: p.ProviderCompany, PolicyNumber: p.PolicyNumber, ProductLine: &p.ProductLine,
			SubmittedOn: &p.SubmittedOn, IssuedOn: p.IssuedOn, PlacedOn: p.PlacedOn, AnnualPremium: money.Amount(p.AnnualPremium).String()})
	}
	for _, c := range a.Commissions {
		b.commissions = append(b.commissions, facts.CommissionInput{AgentCode: a.Code, PaidOn: c.PaidOn, Amount: money.Amount(c.Amount).String(), Reference: &c.Reference})
	}
}

// details returns the W9 as the area has it.
func (w *W9) details() *payee.W9Details {
	return &payee.W9Details{
		Name: given(w.Name), BusinessName: given(w.BusinessName), TaxClassification: given(w.TaxClassification),
		Address:       payee.W9Address{StreetAddress: given(w.StreetAddress), City: given(w.City), State: given(w.State), ZipCode: given(w.ZipCode)},
		AccountNumber: given(w.AccountNumber), TaxpayerIdentifier: given(w.TaxpayerIdentifier), Signature: given(w.Signature),
		SignatureDate: patch.Set(w.SignatureDate),
	}
}

// details returns the bank details as the area has them.
func (d *DirectDeposit) details() *payee.BankDetails {
	return &payee.BankDetails{
		Country: given(d.Country), AccountHolderName: given(d.AccountHolderName), BankName: given(d.BankName), AccountType: given(d.AccountType),
		RoutingNumber: given(d.RoutingNumber), InstitutionNumber: given(d.InstitutionNumber), TransitNumber: given(d.TransitNumber), AccountNumber: given(d.AccountNumber),
	}
}
