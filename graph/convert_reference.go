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
