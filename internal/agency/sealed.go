package agency

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/fields"
	"github.com/uplinehq/upline/internal/words/patch"
)

// Secrets are the sensitive values of a row as they are stored, by the names of their
// lines.
type Secrets map[string]*vault.Sealed

// sealedTable is a table of fields, some of which are sensitive, and where the database
// has it. Each of its rows belongs to an agent, of which it is a field.
type sealedTable[T any] struct {
	name, field       string
	all, open, sealed fields.Table[T]
}

func newSealedTable[T any](name, field string, all fields.Table[T]) sealedTable[T] {
	return sealedTable[T]{name: name, field: field, all: all, open: all.Open(), sealed: all.Sealed()}
}

// columns are those beside the fields, and then all fields.
func (t sealedTable[T]) columns(alias string, beside ...string) string {
	return prefixed(alias, slices.Concat(beside, t.open.Columns(), t.sealed.Columns()))
}

// dest is where columns are scanned to; id is that of the row, and the first of what is
// beside the fields.
func (t sealedTable[T]) dest(open *T, secrets *Secrets, id *int64, beside ...any) []any {
	dest := slices.Concat([]any{id}, beside, t.open.Dest(open))
	*secrets = make(Secrets, len(t.sealed))
	for _, l := range t.sealed {
		s := new(vault.Sealed)
		(*secrets)[l.Name] = s
		dest = append(dest, s.From(t.name, l.Column, id))
	}
	return dest
}

// plain adds to what is open in a row its sensitive values.
func (t sealedTable[T]) plain(ctx context.Context, v *vault.Vault, tenantID int64, open T, secrets Secrets) (T, error) {
	for _, l := range t.sealed {
		secret, err := v.Unseal(ctx, tenantID, secrets[l.Name])
		if err != nil {
			return *new(T), err
		}
		if secret != nil {
			*l.Of(&open).(*patch.Field[string]) = patch.Set(secret.Reveal())
		}
	}
	return open, nil
}

// differences are the fields of an agent in which a record differs from the one before.
func (t sealedTable[T]) differences(before, after T) (all []difference) {
	for _, l := range t.all.Differ(&before, &after) {
		d := difference{field: t.field + "." + l.Path(), sensitive: l.Sealed != ""}
		if d.sensitive {
			d.value = textOf(l, &after)
		}
		all = append(all, d)
	}
	return all
}

// insert adds a row of an agent, with what is beside the fields. Ciphertexts are bound to
// the row, so the row comes first.
func (t sealedTable[T]) insert(ctx context.Context, v *vault.Vault, w *writing, agentID int64, in T, columns []string, values ...any) (id int64, err error) {
	columns = slices.Concat([]string{"tenant_id", "agent_id"}, columns, t.open.Columns())
	values = t.open.Append(slices.Concat([]any{w.Tenant.ID, agentID}, values), &in)
	if _, err := store.One(ctx, w, []any{&id}, insertSQL(t.name, columns)+" RETURNING id", values...); err != nil {
		return 0, err
	}
	return id, t.seal(ctx, v, w, id, in)
}

// seal encrypts the sensitive values of a row.
func (t sealedTable[T]) seal(ctx context.Context, v *vault.Vault, w *writing, id int64, in T) error {
	var q store.SQL
	set := "UPDATE " + t.name + " SET "
	for _, l := range t.sealed {
		var stored any
		if plain := textOf(l, &in); plain != nil {
			ciphertext, err := v.Encrypt(ctx, vault.Field{TenantID: w.Tenant.ID, Table: t.name, Column: l.Column, RowID: id}, *plain)
			if err != nil {
				return err
			}
			stored = ciphertext
		}
		q.Write(set+l.Column+" = ?", stored)
		set = ", "
	}
	q.Write(" WHERE tenant_id = ? AND id = ?", w.Tenant.ID, id)
	_, err := w.Exec(ctx, q.Text(), q.Args()...)
	return err
}

// encrypted are the columns of the table that are encrypted.
func (t sealedTable[T]) encrypted() (columns []reencryption.Column) {
	for _, l := range t.sealed {
		columns = append(columns, reencryption.Column{Table: t.name, Name: l.Column})
	}
	return columns
}
