package convert

import (
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/reference"
)

// CertificationTypeView shows a type of certifications.
func CertificationTypeView(t *reference.CertificationType) *model.CertificationType {
	return &model.CertificationType{CertificationType: t}
}

// JurisdictionView shows a jurisdiction.
func JurisdictionView(j *reference.Jurisdiction) *model.Jurisdiction {
	return &model.Jurisdiction{Jurisdiction: j}
}

// PayStatusView shows a pay status.
func PayStatusView(s *reference.PayStatus) *model.PayStatus { return &model.PayStatus{PayStatus: s} }

// AgentLevelView shows levels of a team.
func AgentLevelView(team string) func(*reference.AgentLevel) *model.AgentLevel {
	return func(l *reference.AgentLevel) *model.AgentLevel { return &model.AgentLevel{AgentLevel: l, Team: team} }
}

// ProviderCompanyView shows a provider company.
func ProviderCompanyView(p *reference.ProviderCompany) *model.ProviderCompany {
	return &model.ProviderCompany{ProviderCompany: p}
}
