package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// SealedColumns returns all columns that the area encrypts.
func SealedColumns() []reencryption.Column {
	return append([]reencryption.Column{{Table: "agency_agent", Name: "government_identifier"}}, payee.SealedColumns()...)
}

// HasTaxID reports whether an agent of the context's tenant has one of these tax ids,
// however they are punctuated: as its SSN or SIN, or on any of its W9s. Past W9s count,
// since a person stays the same person.
func (r *registry) HasTaxID(ctx context.Context, tx *store.Tx, identifiers []string) (bool, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return false, err
	}
	for _, id := range identifiers {
		onAgent, err := governmentIdentifierIndex(ctx, r.vault, tenantID, id)
		if err != nil {
			return false, err
		}
		onW9, err := payee.TaxpayerIdentifierIndex(ctx, r.vault, tenantID, id)
		if err != nil {
			return false, err
		}
		var one int
		found, err := store.One(ctx, tx, []any{&one}, `SELECT 1 FROM agency_agent WHERE tenant_id = $1 AND government_identifier_index = $2
			UNION ALL SELECT 1 FROM agency_w9 WHERE tenant_id = $1 AND taxpayer_identifier_index = $3 LIMIT 1`, tenantID, onAgent, onW9)
		if err != nil || found {
			return found, err
		}
	}
	return false, nil
}
