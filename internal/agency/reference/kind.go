package reference

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// referenceKind is a kind of reference data: its table in the database, and the table of
// fields of its input, which every operation on a record goes through.
type referenceKind[In any] struct {
	record.ReferenceTable
	fields fields.Table[In]
	// by returns where an input has its initiator.
	by func(in *In) *string
	// complete sets the defaults of a new record that depend on its other values.
	complete func(in *In)
}

// Reference describes how a kind of reference data is stored.
type Reference struct {
	Table, Key string
	Fields     []fields.Line
}

// References are the kinds of reference data, by the names of their types.
var References = map[string]Reference{
	record.AgentLevelEntity: levelsOf(0).described(), record.CertificationTypeEntity: certificationTypes.described(), record.JurisdictionEntity: jurisdictions.described(),
	record.PayStatusEntity: payStatuses.described(), record.ProviderCompanyEntity: providerCompanies.described(), record.TagEntity: tags.described(),
	record.ProductEntity: products.described(),
}

func (k referenceKind[In]) described() Reference {
	return Reference{Table: k.Table, Key: k.Key, Fields: k.fields}
}

// check checks an input and tidies its texts. The key of an existing record is fixed; nil
// lets the input give it.
func (k referenceKind[In]) check(in *In, isNew bool, fixed any) error {
	var c record.Check
	by := k.by(in)
	*by = c.Initiator(*by)
	for _, l := range k.fields {
		p := l.Of(in)
		switch isKey := l.Column == k.Key; {
		case isKey && fixed != nil: // keys are in URLs and in every record that refers to this one
			c.NotNull(p, l.Name)
			if v := p.Any(); v != nil && v != fixed {
				c.Refuse(problem.InvalidFormat, "cannot change", l.Name)
			}
		case isNew || isKey:
			c.Needed(l, p)
			fallthrough
		default:
			c.Property(l, p)
		}
	}
	return c.Err()
}

// add defines a record, and returns its id.
func (k referenceKind[In]) add(ctx context.Context, s *Service, in In) (id int64, err error) {
	if err := k.check(&in, true, nil); err != nil {
		return 0, err
	}
	err = s.writer.Write(ctx, *k.by(&in), false, func(ctx context.Context, w *record.Writing) error {
		id, err = k.insert(ctx, w, in)
		return err
	})
	return id, err
}

// insert adds a row for an input that was checked, and notes it.
func (k referenceKind[In]) insert(ctx context.Context, w *record.Writing, in In) (id int64, err error) {
	if k.complete != nil {
		k.complete(&in)
	}
	k.fields.Complete(&in)
	return k.write(ctx, w, in, row{at: w.Now, by: w.Initiator})
}

// row is what a row has beside its fields: who made it, and when. Its id is 0 for a new one.
type row struct {
	id int64
	at time.Time
	by string
}

// write adds a row, and notes it.
func (k referenceKind[In]) write(ctx context.Context, w *record.Writing, in In, made row) (id int64, err error) {
	columns, values := slices.Concat([]string{"tenant_id"}, k.fields.Columns()), k.fields.Append([]any{w.Tenant.ID}, &in)
	for _, o := range k.Owner {
		columns, values = append(columns, o.Name), append(values, o.Value)
	}
	if made.id != 0 {
		columns, values = append(columns, "id"), append(values, made.id)
	}
	columns = append(columns, "created_at", "created_by", "last_modified", "last_modified_by")
	id, err = w.Insert(ctx, k.Table, columns, append(values, made.at, made.by, w.Now, w.Initiator)...)
	return id, noteAdded(k.ReferenceTable, w, k.keyOf(&in), err)
}

// keyOf returns the key in an input; nil if it has none.
func (k referenceKind[In]) keyOf(in *In) any {
	i := slices.IndexFunc(k.fields, func(l fields.Line) bool { return l.Column == k.Key })
	return k.fields[i].Of(in).Any()
}

// change changes the record with a key, and returns its id. changed is false, and nothing
// is written, if everything sent was already so.
func (k referenceKind[In]) change(ctx context.Context, s *Service, key any, in In) (id int64, changed bool, err error) {
	if err := k.check(&in, false, key); err != nil {
		return 0, false, err
	}
	err = s.writer.Write(ctx, *k.by(&in), false, func(ctx context.Context, w *record.Writing) error {
		id, changed, err = k.update(ctx, w, key, in)
		return err
	})
	return id, changed, err
}

// update writes what differs from the row with a key.
func (k referenceKind[In]) update(ctx context.Context, w *record.Writing, key any, in In) (id int64, changed bool, err error) {
	var stored In
	if id, err = lockReference(ctx, w, k.ReferenceTable, key, k.fields.Columns(), k.fields.Dest(&stored)); err != nil {
		return 0, false, err
	}
	differ := k.fields.Become(&stored, &in)
	if len(differ) == 0 {
		return id, false, nil
	}
	w.Note(k.Entity, fmt.Sprint(key), differ...)
	_, err = w.Exec(ctx, record.UpdateSQL(k.Table, k.fields.Columns()), append(k.fields.Append(nil, &stored), w.Now, w.Initiator, w.Tenant.ID, id)...)
	return id, true, err
}

// put changes the record with the key in an input, or defines it.
func (k referenceKind[In]) put(ctx context.Context, w *record.Writing, in In) (id int64, outcome bulk.Outcome, err error) {
	key := k.keyOf(&in)
	if key != nil {
		id, changed, err := k.update(ctx, w, key, in)
		switch {
		case changed:
			return id, bulk.Updated, err
		case !problem.Has(err, problem.NotFoundCode):
			return id, bulk.Unchanged, err
		}
	}
	if err := k.check(&in, true, nil); err != nil {
		return 0, "", err
	}
	id, err = k.insert(ctx, w, in)
	if problem.Has(err, problem.DuplicateKey) { // somebody was faster
		err = store.Again(err)
	}
	return id, bulk.Created, err
}

// imported returns the import of a kind by its key. of returns the kind if that depends
// on the agency; otherwise of is nil.
func imported[In any](s *Service, k referenceKind[In], of func(context.Context, *record.Writing) (referenceKind[In], error)) *Import {
	return &Import{s: s, key: k.Key, columns: bulk.NewColumns(imports.ColumnsOf(k.fields)),
		put: func(ctx context.Context, w *record.Writing, r *imports.Row) (bulk.Outcome, error) {
			k := k
			if of != nil {
				var err error
				if k, err = of(ctx, w); err != nil {
					return "", err
				}
			}
			var in In
			r.Record(k.fields, &in, nil)
			*k.by(&in) = w.Initiator
			if err := k.check(&in, false, k.keyOf(&in)); err != nil || len(r.List) > 0 {
				return "", err
			}
			_, outcome, err := k.put(ctx, w, in)
			return outcome, err
		}}
}
