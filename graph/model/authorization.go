package model

import (
	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
)

// SalesAuthorization is whether an agent may sell; the agent is as of the day.
type SalesAuthorization struct {
	Agent                            *Object
	AgentCode, Product, Jurisdiction string
	Status                           SalesAuthorizationStatus
	Reasons                          []*SalesAuthorizationReason
	Through                          []string
	ValidThrough                     *date.Date
}

// SalesAuthorizationOf returns the view of an answer as of a day.
func SalesAuthorizationOf(r authorization.Row, at history.AsOf) *SalesAuthorization {
	s := &SalesAuthorization{Agent: Agent(r.AgentID, at), AgentCode: r.AgentCode, Product: r.Product, Jurisdiction: r.Jurisdiction,
		Status: SalesAuthorizationStatus(r.Status), Reasons: make([]*SalesAuthorizationReason, len(r.Reasons)), Through: r.Through, ValidThrough: r.ValidThrough}
	for i, why := range r.Reasons {
		s.Reasons[i] = &SalesAuthorizationReason{Code: SalesAuthorizationReasonCode(why.Code), AgentCode: orNone(why.AgentCode), Depth: why.Depth, Rule: orNone(why.Rule),
			CertificationTypes: append([]string{}, why.CertificationTypes...), ProviderCompany: orNone(why.ProviderCompany), MinimumLevel: why.MinimumLevel,
			Value: orNone(why.Status), Since: why.Since, Mend: why.Mend()}
		if why.CertificationID != 0 {
			s.Reasons[i].CertificationID = &r.Reasons[i].CertificationID
		}
	}
	return s
}

func orNone(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// ProductRule is what a rule of a product requires in a period.
type ProductRule struct{ authorization.Rule }

// Jurisdictions returns the codes of the jurisdictions that the rule covers.
func (r ProductRule) Jurisdictions() []string {
	return authorization.Split(r.Requirement.Jurisdictions)
}

// CertificationTypes returns the codes of the certification types.
func (r ProductRule) CertificationTypes() []string {
	return authorization.Split(r.Requirement.CertificationTypes)
}

// ProviderCompany returns the code of the company whose appointment is required.
func (r ProductRule) ProviderCompany() *string { return orNone(r.Requirement.ProviderCompany) }

// IsResident returns which certifications count; nil for all.
func (r ProductRule) IsResident() *bool {
	if r.Residence == authorization.AnyResidence {
		return nil
	}
	return new(r.Residence == authorization.Resident)
}

// MinimumLevel returns the lowest level; nil for any.
func (r ProductRule) MinimumLevel() *int {
	if !r.HasLevel {
		return nil
	}
	return new(r.Requirement.MinimumLevel)
}
