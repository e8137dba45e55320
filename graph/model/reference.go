package model

import (
	"github.com/uplinehq/upline/internal/agency/reference"
)

// CertificationType is a kind of certification.
type CertificationType struct{ *reference.CertificationType }

// IsNode and IsAudited name the interfaces of the GraphQL type.
func (CertificationType) IsNode()    {}
func (CertificationType) IsAudited() {}

// GlobalID is the field id.
func (t *CertificationType) GlobalID() string { return RowID(CertificationTypeNode, t.ID) }

// Jurisdiction is a state, province or territory.
type Jurisdiction struct{ *reference.Jurisdiction }

// IsNode and IsAudited name the interfaces of the GraphQL type.
func (Jurisdiction) IsNode()    {}
func (Jurisdiction) IsAudited() {}

// GlobalID is the field id.
func (j *Jurisdiction) GlobalID() string { return RowID(JurisdictionNode, j.ID) }

// PayStatus is a pay status the agency defined.
type PayStatus struct{ *reference.PayStatus }

// IsNode and IsAudited name the interfaces of the GraphQL type.
func (PayStatus) IsNode()    {}
func (PayStatus) IsAudited() {}

// GlobalID is the field id.
func (s *PayStatus) GlobalID() string { return RowID(PayStatusNode, s.ID) }

// AgentLevel is a rank in a team.
type AgentLevel struct {
	*reference.AgentLevel
	Team string
}

// IsNode and IsAudited name the interfaces of the GraphQL type.
func (AgentLevel) IsNode()    {}
func (AgentLevel) IsAudited() {}

// GlobalID is the field id.
func (l *AgentLevel) GlobalID() string { return RowID(AgentLevelNode, l.ID) }

// ProviderCompany is a carrier.
type ProviderCompany struct{ *reference.ProviderCompany }

// IsNode and IsAudited name the interfaces of the GraphQL type.
func (ProviderCompany) IsNode()    {}
func (ProviderCompany) IsAudited() {}

// GlobalID is the field id.
func (p *ProviderCompany) GlobalID() string { return RowID(ProviderCompanyNode, p.ID) }
