package graph

import (
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
)

func certificationTypeView(t *agency.CertificationType) *model.CertificationType {
	return &model.CertificationType{CertificationType: t}
}

func jurisdictionView(j *agency.Jurisdiction) *model.Jurisdiction {
	return &model.Jurisdiction{Jurisdiction: j}
}

func payStatusView(s *agency.PayStatus) *model.PayStatus { return &model.PayStatus{PayStatus: s} }

func agentLevelView(team string) func(*agency.AgentLevel) *model.AgentLevel {
	return func(l *agency.AgentLevel) *model.AgentLevel { return &model.AgentLevel{AgentLevel: l, Team: team} }
}

func providerCompanyView(p *agency.ProviderCompany) *model.ProviderCompany {
	return &model.ProviderCompany{ProviderCompany: p}
}

func certificationTypeInput(in model.CertificationTypeInput) agency.CertificationTypeInput {
	return agency.CertificationTypeInput{
		Code: field(in.Code), Name: field(in.Name), Description: field(in.Description), Category: statusField(in.Category),
		RequiresJurisdiction: field(in.RequiresJurisdiction), RequiresProviderCompany: field(in.RequiresProviderCompany),
		IsEnabled: field(in.IsEnabled), Initiator: in.Initiator,
	}
}

func jurisdictionInput(in model.JurisdictionInput) agency.JurisdictionInput {
	return agency.JurisdictionInput{Code: field(in.Code), Name: field(in.Name), Country: field(in.Country), Kind: field(in.Kind),
		IsEnabled: field(in.IsEnabled), Initiator: in.Initiator}
}

func payStatusInput(in model.PayStatusInput) agency.PayStatusInput {
	return agency.PayStatusInput{Name: field(in.Name), Description: field(in.Description), IsActive: field(in.IsActive),
		CanBePaid: field(in.CanBePaid), SortOrder: field(in.SortOrder), Initiator: in.Initiator}
}

func agentLevelInput(in model.AgentLevelInput) agency.AgentLevelInput {
	return agency.AgentLevelInput{Value: field(in.Value), Name: field(in.Name), Description: field(in.Description),
		IsEnabled: field(in.IsEnabled), Initiator: in.Initiator}
}

func providerCompanyInput(in model.ProviderCompanyInput) agency.ProviderCompanyInput {
	return agency.ProviderCompanyInput{Code: in.Code, Name: field(in.Name), NAICCode: field(in.NaicCode),
		IsEnabled: field(in.IsEnabled), Initiator: in.Initiator}
}
