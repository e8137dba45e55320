package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/platform/vault"
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

func checkGovernmentIdentifier(c *record.Check, s *string) *string {
	s = c.Optional(s, check.MaxIdentifier, "governmentIdentifier")
	c.Whole(s, "governmentIdentifier")
	return c.Identifier(s, "governmentIdentifier")
}

// storeGovernmentIdentifier stores an SSN or SIN encrypted; nil clears it. The ciphertext
// is bound to the row, so the row has to exist.
func storeGovernmentIdentifier(ctx context.Context, v *vault.Vault, w *record.Writing, id int64, identifier *string) error {
	w.NoteSecret("governmentIdentifier", identifier)
	const update = "UPDATE agency_agent SET government_identifier = $1, government_identifier_index = $2 WHERE tenant_id = $3 AND id = $4"
	if identifier == nil {
		_, err := w.Exec(ctx, update, nil, nil, w.Tenant.ID, id)
		return err
	}
	sealed, index, err := sealGovernmentIdentifier(ctx, v, w.Tenant.ID, id, *identifier)
	if err != nil {
		return err
	}
	_, err = w.Exec(ctx, update, sealed, index, w.Tenant.ID, id)
	return err
}
