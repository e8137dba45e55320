package change

import (
	"context"

	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/vault"
)

// SealedColumn is a column of encrypted values, each bound to the id of its row
// (vault.Field).
type SealedColumn struct{ Table, Column string }

// reencryptBatch is how many rows are read, and written in one transaction.
const reencryptBatch = 500

// Reencrypt encrypts the values of some columns of the context's tenant again that
// were encrypted with an older key than the newest (vault.Rotate), and returns how
// many. Requests go on meanwhile: a value that is written in between stays as it
// was written. What is done is committed batch by batch, so a run that stopped
// is simply run again.
func (w *Writer) Reencrypt(ctx context.Context, columns ...SealedColumn) (n int, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	for _, c := range columns {
		for after := int64(0); ; {
			batch, err := c.read(ctx, w.store, tenantID, after)
			if err != nil {
				return n, err
			}
			if len(batch) == 0 {
				break
			}
			done, err := w.reencrypt(ctx, tenantID, c, batch)
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

func (c SealedColumn) read(ctx context.Context, q store.Querier, tenantID, after int64) ([]sealedValue, error) {
	return store.Collect(ctx, q, func(r store.Scanner) (v sealedValue, err error) { return v, r.Scan(&v.id, &v.stored) },
		"SELECT id, "+c.Column+" FROM "+c.Table+" WHERE tenant_id = $1 AND id > $2 AND "+c.Column+" IS NOT NULL ORDER BY id LIMIT $3",
		tenantID, after, reencryptBatch)
}

// reencrypt replaces the values of a batch that need it, each only if it is
// still the one that was read.
func (w *Writer) reencrypt(ctx context.Context, tenantID int64, c SealedColumn, batch []sealedValue) (n int, err error) {
	var old []sealedValue
	for _, v := range batch {
		needed, err := w.vault.NeedsReencryption(ctx, tenantID, v.stored)
		if err != nil {
			return 0, err
		}
		if !needed {
			continue
		}
		if v.fresh, err = w.sealAgain(ctx, vault.Field{TenantID: tenantID, Table: c.Table, Column: c.Column, RowID: v.id}, v.stored); err != nil {
			return 0, err
		}
		old = append(old, v)
	}
	if len(old) == 0 {
		return 0, nil
	}
	err = w.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n = 0
		for _, v := range old {
			changed, err := tx.Exec(ctx, "UPDATE "+c.Table+" SET "+c.Column+" = $1 WHERE tenant_id = $2 AND id = $3 AND "+c.Column+" = $4",
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

func (w *Writer) sealAgain(ctx context.Context, f vault.Field, stored []byte) ([]byte, error) {
	plain, err := w.vault.Decrypt(ctx, f, stored)
	if err != nil {
		return nil, err
	}
	return w.vault.Encrypt(ctx, f, plain)
}
