package agency

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/problem"
)

// added notes a row that was added; the refusal of a second one of the same key
// becomes a problem.
func (t referenceTable) added(w *writing, key any, err error) error {
	if err == nil {
		w.changed(t.entity, fmt.Sprint(key))
		return nil
	}
	constraint, columns := t.table+"_tenant_id", t.table+".tenant_id"
	for _, o := range t.owner {
		constraint, columns = constraint+"_"+o.name, columns+", "+t.table+"."+o.name
	}
	constraint, columns = constraint+"_"+t.key+"_key", columns+", "+t.table+"."+t.key
	if store.IsUniqueViolation(err, constraint, columns) {
		return problem.Clash(problem.DuplicateKey, "Another "+t.noun+" has this key", t.key)
	}
	return err
}

// lockReference locks a row against other changes of it, reads columns of it, and
// returns its id. The row is the record that the request names, whose version is
// checked.
func (w *writing) lockReference(ctx context.Context, t referenceTable, key any, columns []string, dest []any) (id int64, err error) {
	var (
		s            store.SQL
		lastModified time.Time
	)
	columns = append([]string{"id", "last_modified"}, columns...)
	t.row(s.Write("SELECT "+strings.Join(columns, ", ")+" FROM "+t.table+" WHERE "), w.Tenant.ID, t.key, key).Write(w.ForUpdate())
	found, err := store.One(ctx, w, append([]any{&id, &lastModified}, dest...), s.Text(), s.Args()...)
	switch {
	case err != nil:
		return 0, err
	case !found:
		return 0, problem.Missing(problem.NotFoundCode, "No "+t.noun+" has this "+t.key)
	}
	return id, w.Named(ctx, lastModified)
}

// deleteReference deletes a row. "A reference value that is still in use
// generally cannot be deleted" (Reference data).
func (s *Service) deleteReference(ctx context.Context, t referenceTable, key any, initiator string) (id int64, err error) {
	var c inputCheck
	initiator = c.Initiator(initiator)
	if err := c.Err(); err != nil {
		return 0, err
	}
	err = s.writer.Write(ctx, initiator, false, func(ctx context.Context, w *writing) error {
		if id, err = w.lockReference(ctx, t, key, nil, nil); err != nil {
			return err
		}
		usage, err := w.usage(ctx, t, key)
		if err != nil {
			return err
		}
		if len(usage) > 0 {
			return problem.Clash(problem.ReferenceInUse, "The "+t.noun+" is still in use").With("usage", usage)
		}
		w.changed(t.entity, fmt.Sprint(key))
		_, err = w.Exec(ctx, "DELETE FROM "+t.table+" WHERE tenant_id = $1 AND id = $2", w.Tenant.ID, id)
		return err
	})
	return id, err
}

// usage counts what refers to a row, by kind of use; kinds without any are left
// out.
func (w *writing) usage(ctx context.Context, t referenceTable, key any) (map[string]int, error) {
	usage := map[string]int{}
	for _, u := range t.uses {
		var (
			n int
			s store.SQL
		)
		t.row(s.Write("SELECT count(*) FROM "+u.table+" WHERE "), w.Tenant.ID, u.column, key).Write(" AND " + u.condition)
		if _, err := store.One(ctx, w, []any{&n}, s.Text(), s.Args()...); err != nil {
			return nil, err
		}
		if n > 0 {
			usage[u.name] = n
		}
	}
	return usage, nil
}
