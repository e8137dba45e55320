package graph

import (
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/words/patch"
)

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
	return agency.PayeeUpdate{Status: field(in.Status), W9: field(in.W9), DirectDeposit: field(in.DirectDeposit), Initiator: in.Initiator}
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
