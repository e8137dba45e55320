package graph

import (
	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/words/patch"
)

// nestedField is field for an object whose own properties have the three states
// too.
func nestedField[I, T any](o graphql.Omittable[*I], convert func(*I) T) patch.Field[T] {
	if in := o.Value(); in != nil {
		return patch.Set(convert(in))
	}
	return patch.Field[T]{Sent: o.IsSet()}
}

func contactUpdate(in model.AgentContactUpdateInput) agency.ContactUpdate {
	return agency.ContactUpdate{
		Addresses: map[agency.AddressKind]patch.Field[agency.Address]{
			agency.HomeAddress: field(in.HomeAddress), agency.BusinessAddress: field(in.BusinessAddress),
		},
		Phones: map[agency.PhoneKind]patch.Field[agency.Phone]{
			agency.CellPhone: field(in.CellPhone), agency.HomePhone: field(in.HomePhone),
			agency.BusinessPhone: field(in.BusinessPhone), agency.Fax: field(in.Fax),
		},
		Initiator: in.Initiator,
	}
}

func payeeUpdate(in model.AgentPayeeUpdateInput) agency.PayeeUpdate {
	return agency.PayeeUpdate{
		Status: field(in.Status), W9: nestedField(in.W9, w9Update), Initiator: in.Initiator,
		DirectDeposit: nestedField(in.DirectDeposit, func(d *model.DirectDepositInput) agency.DirectDepositInput { return *directDeposit(d) }),
	}
}

func w9Update(in *model.W9UpdateInput) agency.W9Update {
	return agency.W9Update{
		Name: field(in.Name), BusinessName: field(in.BusinessName), TaxClassification: statusField(in.TaxClassification),
		ExemptPayee: field(in.ExemptPayee), Address: nestedField(in.Address, w9AddressUpdate), AccountNumber: field(in.AccountNumber),
		TaxpayerIdentifier: field(in.TaxpayerIdentifier), Signature: field(in.Signature), SignatureDate: field(in.SignatureDate),
	}
}

func w9AddressUpdate(in *model.W9AddressInput) agency.W9AddressUpdate {
	return agency.W9AddressUpdate{StreetAddress: field(in.StreetAddress), City: field(in.City), State: field(in.State), ZipCode: field(in.ZipCode)}
}

func w9(in *model.W9Input) *agency.W9Input {
	if in == nil {
		return nil
	}
	classification := string(in.TaxClassification)
	w := &agency.W9Input{
		Name: &in.Name, BusinessName: value(in.BusinessName), TaxClassification: &classification, ExemptPayee: value(in.ExemptPayee),
		AccountNumber: value(in.AccountNumber), TaxpayerIdentifier: value(in.TaxpayerIdentifier),
		Signature: value(in.Signature), SignatureDate: value(in.SignatureDate),
	}
	if a := value(in.Address); a != nil {
		w.StreetAddress, w.City, w.State, w.ZipCode = value(a.StreetAddress), value(a.City), value(a.State), value(a.ZipCode)
	}
	return w
}

func directDeposit(in *model.DirectDepositInput) *agency.DirectDepositInput {
	if in == nil {
		return nil
	}
	return &agency.DirectDepositInput{
		Country: string(in.Country), AccountHolderName: in.AccountHolderName, BankName: value(in.BankName), AccountType: string(in.AccountType),
		RoutingNumber: value(in.RoutingNumber), InstitutionNumber: value(in.InstitutionNumber),
		TransitNumber: value(in.TransitNumber), AccountNumber: &in.AccountNumber,
	}
}

func w9PeriodFilter(f *model.W9PeriodFilter) agency.PeriodFilter {
	if f == nil {
		return agency.PeriodFilter{}
	}
	return agency.PeriodFilter{AgentCode: value(f.AgentCode), From: value(f.From), Through: value(f.Through), ModifiedSince: value(f.ModifiedSince)}
}

func w9View(agentCode string) func(*agency.W9) *model.W9 {
	return func(v *agency.W9) *model.W9 { return &model.W9{W9: v, AgentCode: agentCode} }
}

func directDepositView(agentCode string) func(*agency.DirectDeposit) *model.DirectDeposit {
	return func(d *agency.DirectDeposit) *model.DirectDeposit {
		return &model.DirectDeposit{DirectDeposit: d, AgentCode: agentCode}
	}
}

func w9PeriodView(at history.AsOf) func(*agency.W9Period) *model.W9Period {
	return func(p *agency.W9Period) *model.W9Period { return &model.W9Period{W9Period: p, At: at} }
}
