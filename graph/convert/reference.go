package convert

import (
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
)

// CertificationTypeView shows a type of certifications.
func CertificationTypeView(t *agency.CertificationType) *model.CertificationType {
	return &model.CertificationType{CertificationType: t}
}

// JurisdictionView shows a jurisdiction.
func JurisdictionView(j *agency.Jurisdiction) *model.Jurisdiction {
	return &model.Jurisdiction{Jurisdiction: j}
}

// PayStatusView shows a pay status.
func PayStatusView(s *agency.PayStatus) *model.PayStatus { return &model.PayStatus{PayStatus: s} }

// AgentLevelView shows levels of a team.
func AgentLevelView(team string) func(*agency.AgentLevel) *model.AgentLevel {
	return func(l *agency.AgentLevel) *model.AgentLevel { return &model.AgentLevel{AgentLevel: l, Team: team} }
}

// ProviderCompanyView shows a provider company.
func ProviderCompanyView(p *agency.ProviderCompany) *model.ProviderCompany {
	return &model.ProviderCompany{ProviderCompany: p}
}
