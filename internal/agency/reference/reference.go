package reference

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/problem"
)

// noteAdded notes an added row. It turns the database's refusal of a duplicate key into a
// problem.
func noteAdded(t record.ReferenceTable, w *record.Writing, key any, err error) error {
	if err == nil {
		w.Note(t.Entity, fmt.Sprint(key))
		return nil
	}
	constraint, columns := t.Table+"_tenant_id", t.Table+".tenant_id"
	for _, o := range t.Owner {
		constraint, columns = constraint+"_"+o.Name, columns+", "+t.Table+"."+o.Name
	}
	constraint, columns = constraint+"_"+t.Key+"_key", columns+", "+t.Table+"."+t.Key
	if dberror.IsUniqueViolation(err, constraint, columns) {
		return problem.Clash(problem.DuplicateKey, "Another "+t.Noun+" has this key", t.Key)
	}
	return err
}

// lockReference locks a row against other changes, reads columns of it, and returns its
// id. The row is the record that the request names, so its version is checked.
func lockReference(ctx context.Context, w *record.Writing, t record.ReferenceTable, key any, columns []string, dest []any) (id int64, err error) {
	var (
		s            store.SQL
		lastModified time.Time
	)
	columns = append([]string{"id", "last_modified"}, columns...)
	t.Row(s.Write("SELECT "+strings.Join(columns, ", ")+" FROM "+t.Table+" WHERE "), w.Tenant.ID, t.Key, key).Write(w.ForUpdate())
	found, err := store.One(ctx, w, append([]any{&id, &lastModified}, dest...), s.Text(), s.Args()...)
	switch {
	case err != nil:
		return 0, err
	case !found:
		return 0, problem.Missing(problem.NotFoundCode, "No "+t.Noun+" has this "+t.Key)
	}
	return id, w.CheckVersion(ctx, lastModified)
}

// deleteReference deletes a row. "A reference value that is still in use generally cannot
// be deleted" (Reference data).
func (s *Service) deleteReference(ctx context.Context, t record.ReferenceTable, key any, initiator string) (id int64, err error) {
	var c record.Check
	initiator = c.Initiator(initiator)
	if err := c.Err(); err != nil {
		return 0, err
	}
	err = s.writer.Write(ctx, initiator, false, func(ctx context.Context, w *record.Writing) error {
		if id, err = lockReference(ctx, w, t, key, nil, nil); err != nil {
			return err
		}
		return remove(ctx, w, t, key, id)
	})
	return id, err
}

// remove deletes a row that is locked, and notes it.
func remove(ctx context.Context, w *record.Writing, t record.ReferenceTable, key any, id int64) error {
	usage, err := usage(ctx, w, t, key)
	if err != nil {
		return err
	}
	if len(usage) > 0 {
		return problem.Clash(problem.ReferenceInUse, "The "+t.Noun+" is still in use").With("usage", usage)
	}
	w.Note(t.Entity, fmt.Sprint(key))
	_, err = w.Exec(ctx, "DELETE FROM "+t.Table+" WHERE tenant_id = $1 AND id = $2", w.Tenant.ID, id)
	return err
}

// usage counts what refers to a row, by kind of use. It leaves out kinds without any.
func usage(ctx context.Context, w *record.Writing, t record.ReferenceTable, key any) (map[string]int, error) {
	usage := map[string]int{}
	for _, u := range t.Uses {
		var (
			n int
			s store.SQL
		)
		u.Count(&s, t, w.Tenant.ID, key)
		if _, err := store.One(ctx, w, []any{&n}, s.Text(), s.Args()...); err != nil {
			return nil, err
		}
		if n > 0 {
			usage[u.Name] = n
		}
	}
	return usage, nil
}
