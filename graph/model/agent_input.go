package model

import (
	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/internal/agency"
)

// AgentRegisterInput is a new agent. Its details are those of the area.
type AgentRegisterInput struct {
	agency.Details
	AgentCode, GovernmentIdentifier          graphql.Omittable[*string]
	Status                                   string
	Teams                                    []*TeamAssignmentInput
	HomeAddress, BusinessAddress             graphql.Omittable[*agency.Address]
	CellPhone, HomePhone, BusinessPhone, Fax graphql.Omittable[*agency.Phone]
	DirectDeposit                            graphql.Omittable[*DirectDepositInput]
	W9                                       graphql.Omittable[*W9Input]
	Initiator                                string
}
