package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/text"
)

// DisplayName returns the name under which a person is shown: the common name, or else
// the first name, and then the last name.
func DisplayName(first string, common *string, last string) string {
	if common != nil {
		first = *common
	}
	return first + " " + last
}

// SearchKey returns a name in the form in which it is searched and sorted: in lower case,
// and the same on every database.
func SearchKey(s *string) string {
	if s == nil {
		return ""
	}
	return text.SearchKey(*s)
}

// AgentCodes returns the codes of agents by id. It leaves out ids of no agent.
func (s *Service) AgentCodes(ctx context.Context, ids []int64) (map[int64]string, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	return agentCodes(ctx, s.store, tenantID, ids)
}

// AgentIDs returns the ids of agents by code. It leaves out codes of no agent.
func (s *Service) AgentIDs(ctx context.Context, codes []string) (map[string]int64, error) {
	return record.AgentIDs(ctx, s.store, codes)
}

func governmentIdentifierField(tenantID, agentID int64) vault.Field {
	return vault.Field{TenantID: tenantID, Table: "agency_agent", Column: "government_identifier", RowID: agentID}
}

// governmentIdentifierIndex returns the blind index of an SSN or SIN, the same however
// the number is punctuated.
func governmentIdentifierIndex(ctx context.Context, v *vault.Vault, tenantID int64, identifier string) ([]byte, error) {
	return v.BlindIndex(ctx, tenantID, "agency_agent", "government_identifier", text.Identifier(identifier))
}

// sealGovernmentIdentifier returns what is stored of an agent's SSN or SIN: the
// encrypted value, bound to the agent's row, and its blind index.
func sealGovernmentIdentifier(ctx context.Context, v *vault.Vault, tenantID, agentID int64, identifier string) (sealed, index []byte, err error) {
	if sealed, err = v.Encrypt(ctx, governmentIdentifierField(tenantID, agentID), identifier); err != nil {
		return nil, nil, err
	}
	index, err = governmentIdentifierIndex(ctx, v, tenantID, identifier)
	return sealed, index, err
}
