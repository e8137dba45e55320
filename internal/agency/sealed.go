package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Unseal decrypts a value of the tenant of the context; nil when there is none.
func (s *Service) Unseal(ctx context.Context, v *vault.Sealed) (*vault.Secret, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	return s.vault.Unseal(ctx, tenantID, v)
}

// unsealed is Unseal for comparing with what a request sent.
func (s *Service) unsealed(ctx context.Context, v *vault.Sealed) (*string, error) {
	secret, err := s.Unseal(ctx, v)
	if err != nil || secret == nil {
		return nil, err
	}
	plain := secret.Reveal()
	return &plain, nil
}

// secretColumn is a column with a sensitive value; nil for none.
type secretColumn struct {
	name  string
	value *string
}

// seal encrypts the values of a row. Their ciphertexts are bound to the row, so
// the row comes first.
func (s *Service) seal(ctx context.Context, w *writing, table string, rowID int64, columns ...secretColumn) error {
	var q store.SQL
	set := "UPDATE " + table + " SET "
	for _, c := range columns {
		ciphertext, err := s.ciphertext(ctx, vault.Field{TenantID: w.Tenant.ID, Table: table, Column: c.name, RowID: rowID}, c.value)
		if err != nil {
			return err
		}
		q.Write(set+c.name+" = ?", ciphertext)
		set = ", "
	}
	q.Write(" WHERE tenant_id = ? AND id = ?", w.Tenant.ID, rowID)
	_, err := w.Exec(ctx, q.Text(), q.Args()...)
	return err
}

// ciphertext is what is stored of a value: NULL when there is none.
func (s *Service) ciphertext(ctx context.Context, f vault.Field, value *string) (any, error) {
	if value == nil {
		return nil, nil
	}
	return s.vault.Encrypt(ctx, f, *value)
}

// SealedColumns are all that the area encrypts.
func SealedColumns() []reencryption.Column {
	return []reencryption.Column{
		{Table: "agency_agent", Name: "government_identifier"},
		{Table: w9Table, Name: "account_number"}, {Table: w9Table, Name: "taxpayer_identifier"}, {Table: w9Table, Name: "signature"},
		{Table: directDepositTable, Name: "routing_number"}, {Table: directDepositTable, Name: "institution_number"},
		{Table: directDepositTable, Name: "transit_number"}, {Table: directDepositTable, Name: "account_number"},
	}
}
