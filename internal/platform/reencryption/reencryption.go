// Package reencryption encrypts stored values again after the keys of a tenant
// were rotated. Which columns there are, their areas say.
package reencryption

import (
	"cmp"
	"context"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// Column is a column of encrypted values, each bound to the id of its row
// (vault.Field).
type Column struct {
	Table, Name string
	// From is the column that the values were encrypted for and are moved from.
	// Empty when it is the column itself.
	From string
}

// batchSize is how many rows are read, and written in one transaction.
const batchSize = 500

// Run encrypts the values of the context's tenant in columns again that were
// encrypted with an older key than the newest (vault.Rotate), and returns how
// many. Requests go on meanwhile: a value that is written in between stays as it
// was written. What is done is committed batch by batch, so a run that stopped
// is simply run again. It tells how many values it has looked at.
func Run(ctx context.Context, s *store.Store, v *vault.Vault, columns []Column, told func(done, total int)) (n int, err error) {
	r := run{s, v}
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	total, err := Total(ctx, s, columns)
	if err != nil {
		return 0, err
	}
	looked := 0
	for _, c := range columns {
		if err := c.batches(ctx, s, tenantID, func(batch []sealedValue) error {
			done, err := r.reencrypt(ctx, tenantID, c, batch)
			n, looked = n+done, looked+len(batch)
			told(looked, total)
			return err
		}); err != nil {
			return n, err
		}
	}
	return n, nil
}

// Total returns how many values the context's tenant has in columns.
func Total(ctx context.Context, q store.Querier, columns []Column) (total int, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	for _, c := range columns {
		var n int
		if _, err := store.One(ctx, q, []any{&n}, "SELECT count("+c.Name+") FROM "+c.Table+" WHERE tenant_id = $1", tenantID); err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// Counts are how many values a column of a tenant has: those that no key of the tenant
// opens, and those that are what is shown of a value and not the value.
type Counts struct{ Values, Unreadable, Masks int }

// Count looks at every value of a column of the context's tenant, and tells how many it has
// looked at. An error says that they could not be read.
func Count(ctx context.Context, s *store.Store, v *vault.Vault, c Column, told func(done int)) (n Counts, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return Counts{}, err
	}
	err = c.batches(ctx, s, tenantID, func(batch []sealedValue) error {
		n.Values += len(batch)
		for _, one := range batch {
			switch plain, err := v.Decrypt(ctx, c.field(tenantID, one.id), one.stored); {
			case err != nil:
				n.Unreadable++
			case check.IsMask(plain):
				n.Masks++
			}
		}
		told(n.Values)
		return ctx.Err()
	})
	return n, err
}

// batches calls f with the values of a column, in the order of their rows.
func (c Column) batches(ctx context.Context, q store.Querier, tenantID int64, f func(batch []sealedValue) error) error {
	for after := int64(0); ; {
		batch, err := c.read(ctx, q, tenantID, after)
		if err != nil || len(batch) == 0 {
			return err
		}
		if err := f(batch); err != nil {
			return err
		}
		after = batch[len(batch)-1].id
	}
}

// field is what the value of a row is bound to.
func (c Column) field(tenantID, row int64) vault.Field {
	return vault.Field{TenantID: tenantID, Table: c.Table, Column: cmp.Or(c.From, c.Name), RowID: row}
}

type run struct {
	store *store.Store
	vault *vault.Vault
}

// sealedValue is an encrypted value, and its replacement.
type sealedValue struct {
	id            int64
	stored, fresh []byte
}

func (c Column) read(ctx context.Context, q store.Querier, tenantID, after int64) ([]sealedValue, error) {
	return store.Collect(ctx, q, func(r store.Scanner) (v sealedValue, err error) { return v, r.Scan(&v.id, &v.stored) },
		"SELECT id, "+c.Name+" FROM "+c.Table+" WHERE tenant_id = $1 AND id > $2 AND "+c.Name+" IS NOT NULL ORDER BY id LIMIT $3",
		tenantID, after, batchSize)
}

// reencrypt replaces the values of a batch that need it, each only if it is
// still the one that was read.
func (r run) reencrypt(ctx context.Context, tenantID int64, c Column, batch []sealedValue) (n int, err error) {
	var old []sealedValue
	for _, v := range batch {
		needed, err := r.vault.NeedsReencryption(ctx, tenantID, v.stored)
		if err != nil {
			return 0, err
		}
		if !needed {
			continue
		}
		if v.fresh, err = r.sealAgain(ctx, c.field(tenantID, v.id), v.stored); err != nil {
			return 0, err
		}
		old = append(old, v)
	}
	if len(old) == 0 {
		return 0, nil
	}
	err = r.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		n = 0
		for _, v := range old {
			changed, err := tx.Exec(ctx, "UPDATE "+c.Table+" SET "+c.Name+" = $1 WHERE tenant_id = $2 AND id = $3 AND "+c.Name+" = $4",
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

func (r run) sealAgain(ctx context.Context, f vault.Field, stored []byte) ([]byte, error) {
	plain, err := r.vault.Decrypt(ctx, f, stored)
	if err != nil {
		return nil, err
	}
	return r.vault.Encrypt(ctx, f, plain)
}
