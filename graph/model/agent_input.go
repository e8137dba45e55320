package model

import (
	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/date"
)

// AgentRegisterInput is a new agent. It has the area's table of details.
type AgentRegisterInput struct {
	agency.Details
	AgentCode, GovernmentIdentifier          graphql.Omittable[*string]
	Status                                   string
	Teams                                    []*TeamAssignmentInput
	HomeAddress, BusinessAddress             graphql.Omittable[*agency.Address]
	CellPhone, HomePhone, BusinessPhone, Fax graphql.Omittable[*agency.Phone]
	DirectDeposit                            graphql.Omittable[*payee.BankDetails]
	W9                                       graphql.Omittable[*payee.W9Details]
	Initiator                                string
}

// AgentUpdateInput are the changes of an agent.
type AgentUpdateInput struct {
	AgentCode string
	agency.AgentUpdate
}

// AgentLevelInput is a new or changed agent level of a team.
type AgentLevelInput struct {
	Team string
	reference.AgentLevelInput
}

// CertificationUpsertInput is a certification to add, or to update if one matches. It has
// the area's table of details.
type CertificationUpsertInput struct {
	certification.Details
	AgentCode, Type                           string
	ProviderCompany, Jurisdiction, Identifier graphql.Omittable[*string]
	Status                                    graphql.Omittable[*string]
	EffectiveFrom, EffectiveThrough           graphql.Omittable[*date.Date]
	Initiator                                 string
}

// CertificationUpdateInput are the changes of a certification.
type CertificationUpdateInput struct {
	ID string
	certification.Details
	Status    graphql.Omittable[*string]
	Initiator string
}
