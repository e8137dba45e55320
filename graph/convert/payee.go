package convert

import (
	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/words/patch"
)

// nestedField is Field for an object whose own properties have the three states
// too.
func nestedField[I, T any](o graphql.Omittable[*I], convert func(*I) T) patch.Field[T] {
	if in := o.Value(); in != nil {
		return patch.Set(convert(in))
	}
	return patch.Field[T]{Sent: o.IsSet()}
}

// ContactUpdate is the input of a change of addresses and telephone numbers, as the area takes it.
func ContactUpdate(in model.AgentContactUpdateInput) agency.ContactUpdate {
	return agency.ContactUpdate{
		Addresses: map[agency.AddressKind]patch.Field[agency.Address]{
			agency.HomeAddress: Field(in.HomeAddress), agency.BusinessAddress: Field(in.BusinessAddress),
		},
		Phones: map[agency.PhoneKind]patch.Field[agency.Phone]{
			agency.CellPhone: Field(in.CellPhone), agency.HomePhone: Field(in.HomePhone),
			agency.BusinessPhone: Field(in.BusinessPhone), agency.Fax: Field(in.Fax),
		},
		Initiator: in.Initiator,
	}
}

// PayeeUpdate is the input of a change of W9 and bank details, as the area takes it.
func PayeeUpdate(in model.AgentPayeeUpdateInput) agency.PayeeUpdate {
	return agency.PayeeUpdate{
		Status: Field(in.Status), W9: nestedField(in.W9, w9Update), Initiator: in.Initiator,
		DirectDeposit: nestedField(in.DirectDeposit, func(d *model.DirectDepositInput) agency.DirectDepositInput { return *directDeposit(d) }),
	}
}

func w9Update(in *model.W9UpdateInput) agency.W9Update {
	return agency.W9Update{
		Name: Field(in.Name), BusinessName: Field(in.BusinessName), TaxClassification: StatusField(in.TaxClassification),
		ExemptPayee: Field(in.ExemptPayee), Address: nestedField(in.Address, w9AddressUpdate), AccountNumber: Field(in.AccountNumber),
		TaxpayerIdentifier: Field(in.TaxpayerIdentifier), Signature: Field(in.Signature), SignatureDate: Field(in.SignatureDate),
	}
}

func w9AddressUpdate(in *model.W9AddressInput) agency.W9AddressUpdate {
	return agency.W9AddressUpdate{StreetAddress: Field(in.StreetAddress), City: Field(in.City), State: Field(in.State), ZipCode: Field(in.ZipCode)}
}

// W9 is the input of a W9, as the area takes it; nil for none.
func W9(in *model.W9Input) *agency.W9Input {
	if in == nil {
		return nil
	}
	classification := string(in.TaxClassification)
	w := &agency.W9Input{
		Name: &in.Name, BusinessName: Value(in.BusinessName), TaxClassification: &classification, ExemptPayee: Value(in.ExemptPayee),
		AccountNumber: Value(in.AccountNumber), TaxpayerIdentifier: Value(in.TaxpayerIdentifier),
		Signature: Value(in.Signature), SignatureDate: Value(in.SignatureDate),
	}
	if a := Value(in.Address); a != nil {
		w.StreetAddress, w.City, w.State, w.ZipCode = Value(a.StreetAddress), Value(a.City), Value(a.State), Value(a.ZipCode)
	}
	return w
}

func directDeposit(in *model.DirectDepositInput) *agency.DirectDepositInput {
	if in == nil {
		return nil
	}
	return &agency.DirectDepositInput{
		Country: string(in.Country), AccountHolderName: in.AccountHolderName, BankName: Value(in.BankName), AccountType: string(in.AccountType),
		RoutingNumber: Value(in.RoutingNumber), InstitutionNumber: Value(in.InstitutionNumber),
		TransitNumber: Value(in.TransitNumber), AccountNumber: &in.AccountNumber,
	}
}

// W9PeriodFilter is a filter of W9s by their periods, as the area takes it.
func W9PeriodFilter(f *model.W9PeriodFilter) agency.PeriodFilter {
	if f == nil {
		return agency.PeriodFilter{}
	}
	return agency.PeriodFilter{AgentCode: Value(f.AgentCode), From: Value(f.From), Through: Value(f.Through), ModifiedSince: Value(f.ModifiedSince)}
}

// W9View shows the W9 of an agent.
func W9View(agentCode string) func(*agency.W9) *model.W9 {
	return func(v *agency.W9) *model.W9 { return &model.W9{W9: v, AgentCode: agentCode} }
}

// DirectDepositView shows the bank details of an agent.
func DirectDepositView(agentCode string) func(*agency.DirectDeposit) *model.DirectDeposit {
	return func(d *agency.DirectDeposit) *model.DirectDeposit {
		return &model.DirectDeposit{DirectDeposit: d, AgentCode: agentCode}
	}
}

// W9PeriodView shows periods of W9s as of a day.
func W9PeriodView(at history.AsOf) func(*agency.W9Period) *model.W9Period {
	return func(p *agency.W9Period) *model.W9Period { return &model.W9Period{W9Period: p, At: at} }
}
