package record

import (
	"context"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// Secrets are the sensitive values of a row as they are stored, by the names of their
// lines.
type Secrets map[string]*vault.Sealed

// SealedTable is a table of fields, some of them sensitive, with its place in the
// database. Each row belongs to an agent, and is a field of that agent.
type SealedTable[T any] struct {
	Name, Field       string
	all, Open, Sealed fields.Table[T]
}

// NewSealedTable returns the table with a name, whose rows are a field of their agents.
func NewSealedTable[T any](name, field string, all fields.Table[T]) SealedTable[T] {
	return SealedTable[T]{Name: name, Field: field, all: all, Open: all.Open(), Sealed: all.Sealed()}
}

// Columns returns the columns beside the fields, followed by those of all fields.
func (t SealedTable[T]) Columns(alias string, beside ...string) string {
	return Prefixed(alias, slices.Concat(beside, t.Open.Columns(), t.Sealed.Columns()))
}

// Dest returns where Columns are scanned to. The first column beside the fields is the id
// of the row.
func (t SealedTable[T]) Dest(open *T, secrets *Secrets, id *int64, beside ...any) []any {
	dest := slices.Concat([]any{id}, beside, t.Open.Dest(open))
	*secrets = make(Secrets, len(t.Sealed))
	for _, l := range t.Sealed {
		s := new(vault.Sealed)
		(*secrets)[l.Name] = s
		dest = append(dest, s.From(t.Name, l.Column, id))
	}
	return dest
}

// Plain returns the open values of a row together with its sensitive ones, decrypted.
func (t SealedTable[T]) Plain(ctx context.Context, v *vault.Vault, tenantID int64, open T, secrets Secrets) (T, error) {
	for _, l := range t.Sealed {
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

// Differences returns the fields of an agent in which a record differs from the one
// before.
func (t SealedTable[T]) Differences(before, after T) (all []Difference) {
	for _, l := range t.all.Differ(&before, &after) {
		d := Difference{Field: t.Field + "." + l.Path(), sensitive: l.Sealed != ""}
		if d.sensitive {
			d.value = TextOf(l, &after)
		}
		all = append(all, d)
	}
	return all
}

// Row is a row of a sealed table that is added.
type Row[T any] struct {
	AgentID int64
	Record  *T
	// Beside are the values of the columns beside the fields.
	Beside []any
}

// Insert adds rows, and returns their ids; columns are those beside the fields.
// Ciphertexts are bound to the ids, so these are taken first.
func (t SealedTable[T]) Insert(ctx context.Context, v *vault.Vault, w *Writing, columns []string, rows []Row[T]) (ids []int64, err error) {
	if ids, err = w.NewIDs(ctx, t.Name, len(rows)); err != nil || len(rows) == 0 {
		return nil, err
	}
	written := make([][]any, len(rows))
	for i, r := range rows {
		sealed, err := t.ciphertexts(ctx, v, w.Tenant.ID, ids[i], r.Record)
		if err != nil {
			return nil, err
		}
		written[i] = append(t.Open.Append(append([]any{w.Tenant.ID, ids[i], r.AgentID}, r.Beside...), r.Record), sealed...)
	}
	columns = slices.Concat([]string{"tenant_id", "id", "agent_id"}, columns, t.Open.Columns(), t.Sealed.Columns())
	return ids, w.CopyLater(ctx, t.Name, columns, slices.Values(written))
}

// ciphertexts returns what is stored of the sensitive values of a record, in the order of
// Sealed: NULL for a value that it lacks. They are bound to the row with the id.
func (t SealedTable[T]) ciphertexts(ctx context.Context, v *vault.Vault, tenantID, id int64, in *T) ([]any, error) {
	stored := make([]any, len(t.Sealed))
	for i, l := range t.Sealed {
		plain := TextOf(l, in)
		if plain == nil {
			continue
		}
		ciphertext, err := v.Encrypt(ctx, vault.Field{TenantID: tenantID, Table: t.Name, Column: l.Column, RowID: id}, *plain)
		if err != nil {
			return nil, err
		}
		stored[i] = ciphertext
	}
	return stored, nil
}

// Encrypted returns the columns of the table that are encrypted.
func (t SealedTable[T]) Encrypted() (columns []reencryption.Column) {
	for _, l := range t.Sealed {
		columns = append(columns, reencryption.Column{Table: t.Name, Name: l.Column})
	}
	return columns
}

// TakeMasks takes the masks of sensitive values out of a record, and returns them by the
// names of their fields.
func (t SealedTable[T]) TakeMasks(r *T) map[string]string {
	masks := map[string]string{}
	for _, l := range t.Sealed {
		if value := TextOf(l, r); value != nil && check.IsMask(*value) {
			masks[l.Name] = *value
			l.Of(r).(*patch.Field[string]).Value = nil
		}
	}
	return masks
}

// Unmask puts the values of another record in the place of their masks. It refuses the
// mask of any other value.
func (t SealedTable[T]) Unmask(r *T, masks map[string]string, stored *T) error {
	var refused problem.List
	for _, l := range t.Sealed {
		mask, isMasked := masks[l.Name]
		value := TextOf(l, stored)
		switch {
		case !isMasked:
		case value == nil || !strings.HasSuffix(text.Identifier(*value), text.Identifier(mask)):
			refused.Add(problem.Invalid(problem.InvalidFormat, "is the mask of a value, and not of the one that is in force", t.Field, l.Name))
		default:
			l.Of(r).(*patch.Field[string]).Value = value
		}
	}
	return refused.Err()
}
