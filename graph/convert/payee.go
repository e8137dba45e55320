package convert

import (
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/patch"
)

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
func PayeeUpdate(in model.AgentPayeeUpdateInput) payee.Update {
	return payee.Update{Status: Field(in.Status), W9: Field(in.W9), DirectDeposit: Field(in.DirectDeposit), Initiator: in.Initiator}
}
