package vault

import (
	"context"
	"sync"
)

// Sealed is an encrypted value of a row that was read. A row lives as long as a
// request, and its values are decrypted at most once in that time.
type Sealed struct {
	table, column string
	rowID         *int64
	ciphertext    []byte

	once  sync.Once
	plain Secret
	err   error
}

// Present reports whether the row has the value.
func (s *Sealed) Present() bool { return s != nil && s.ciphertext != nil }

// From says to which column and row the value belongs, to which its ciphertext is bound,
// and returns where to scan the ciphertext.
func (s *Sealed) From(table, column string, rowID *int64) *[]byte {
	s.table, s.column, s.rowID = table, column, rowID
	return &s.ciphertext
}

// Unseal decrypts a value of a tenant; nil when there is none.
func (v *Vault) Unseal(ctx context.Context, tenantID int64, s *Sealed) (*Secret, error) {
	if !s.Present() {
		return nil, nil
	}
	s.once.Do(func() {
		plain, err := v.Decrypt(ctx, Field{TenantID: tenantID, Table: s.table, Column: s.column, RowID: *s.rowID}, s.ciphertext)
		s.plain, s.err = Secret(plain), err
	})
	if s.err != nil {
		return nil, s.err
	}
	return &s.plain, nil
}
