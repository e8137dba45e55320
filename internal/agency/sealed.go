package agency

import (
	"context"
	"sync"

	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/vault"
)

// Sealed is an encrypted value of a row that was read. A row lives as long as a
// request, and its values are decrypted at most once in that time.
type Sealed struct {
	table, column string
	rowID         *int64
	ciphertext    []byte

	once  sync.Once
	plain vault.Secret
	err   error
}

// Present reports whether the row has the value.
func (v *Sealed) Present() bool { return v.ciphertext != nil }

// from says of which column and row the value is, which its ciphertext is bound
// to, and returns where to scan that.
func (v *Sealed) from(table, column string, rowID *int64) *[]byte {
	v.table, v.column, v.rowID = table, column, rowID
	return &v.ciphertext
}

// Unseal decrypts a value; nil when there is none.
func (s *Service) Unseal(ctx context.Context, v *Sealed) (*vault.Secret, error) {
	if !v.Present() {
		return nil, nil
	}
	v.once.Do(func() {
		tenantID, err := tenant.ID(ctx)
		if err != nil {
			v.err = err
			return
		}
		plain, err := s.vault.Decrypt(ctx, vault.Field{TenantID: tenantID, Table: v.table, Column: v.column, RowID: *v.rowID}, v.ciphertext)
		v.plain, v.err = vault.Secret(plain), err
	})
	if v.err != nil {
		return nil, v.err
	}
	return &v.plain, nil
}

// unsealed is Unseal for comparing with what a request sent.
func (s *Service) unsealed(ctx context.Context, v *Sealed) (*string, error) {
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
		ciphertext, err := s.ciphertext(ctx, vault.Field{TenantID: w.tenantID, Table: table, Column: c.name, RowID: rowID}, c.value)
		if err != nil {
			return err
		}
		q.Write(set+c.name+" = ?", ciphertext)
		set = ", "
	}
	q.Write(" WHERE tenant_id = ? AND id = ?", w.tenantID, rowID)
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
