package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/vault"
)

// sealedColumn is a column of encrypted values, each bound to the id of its row
// (vault.Field).
type sealedColumn struct{ table, column string }

// sealedColumns are all that the area encrypts.
var sealedColumns = []sealedColumn{
	{"agency_agent", "government_identifier"},
	{w9Table, "account_number"}, {w9Table, "taxpayer_identifier"}, {w9Table, "signature"},
	{directDepositTable, "routing_number"}, {directDepositTable, "institution_number"},
	{directDepositTable, "transit_number"}, {directDepositTable, "account_number"},
}

// reencryptBatch is how many rows are read, and written in one transaction.
const reencryptBatch = 500

// Reencrypt encrypts the values of the context's tenant again that were
// encrypted with an older key than the newest (vault.Rotate), and returns how
// many. Requests go on meanwhile: a value that is written in between stays as it
// was written. What is done is committed batch by batch, so a run that stopped
// is simply run again.
func (s *Service) Reencrypt(ctx context.Context) (n int, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	for _, c := range sealedColumns {
		for after := int64(0); ; {
			batch, err := c.read(ctx, s.store, tenantID, after)
			if err != nil {
				return n, err
			}
			if len(batch) == 0 {
				break
			}
			done, err := s.reencrypt(ctx, tenantID, c, batch)
			if n += done; err != nil {
				return n, err
			}
			after = batch[len(batch)-1].id
		}
	}
	return n, nil
}

// sealedValue is an encrypted value, and its replacement.
type sealedValue struct {
	id            int64
	stored, fresh []byte
}

func (c sealedColumn) read(ctx context.Context, q store.Querier, tenantID, after int64) ([]sealedValue, error) {
	return store.Collect(ctx, q, func(r store.Scanner) (v sealedValue, err error) { return v, r.Scan(&v.id, &v.stored) },
		"SELECT id, "+c.column+" FROM "+c.table+" WHERE tenant_id = $1 AND id > $2 AND "+c.column+" IS NOT NULL ORDER BY id LIMIT $3",
		tenantID, after, reencryptBatch)
}

// reencrypt replaces the values of a batch that need it, each only if it is
// still the one that was read.
func (s *Service) reencrypt(ctx context.Context, tenantID int64, c sealedColumn, batch []sealedValue) (n int, err error) {
	var old []sealedValue
	for _, v := range batch {
		needed, err := s.vault.NeedsReencryption(ctx, tenantID, v.stored)
		if err != nil {
			return 0, err
		}
		if !needed {
			continue
		}
		if v.fresh, err = s.sealAgain(ctx, vault.Field{TenantID: tenantID, Table: c.table, Column: c.column, RowID: v.id}, v.stored); err != nil {
			return 0, err
		}
		old = append(old, v)
	}
	if len(old) == 0 {
		return 0, nil
	}
	err = s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n = 0
		for _, v := range old {
			changed, err := tx.Exec(ctx, "UPDATE "+c.table+" SET "+c.column+" = $1 WHERE tenant_id = $2 AND id = $3 AND "+c.column+" = $4",
				v.fresh, tenantID, v.id, v.stored)
			if err != nil {
				return err
			}
			n += int(changed)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

func (s *Service) sealAgain(ctx context.Context, f vault.Field, stored []byte) ([]byte, error) {
	plain, err := s.vault.Decrypt(ctx, f, stored)
	if err != nil {
		return nil, err
	}
	return s.vault.Encrypt(ctx, f, plain)
}
