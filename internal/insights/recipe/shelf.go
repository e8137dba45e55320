package recipe

import (
	"context"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Shelf is a place for recipes: Shared or Own.
type Shelf struct {
	table string
	// list is the name of the shelf in cursors.
	list string
	// own reports whether each tenant has a shelf of its own.
	own bool
	// writers are the columns with the tenants that created a recipe and changed it last;
	// NULL for the platform. It is one column where both are the same tenant.
	writers []string
	// constraint and columns are those that keep names unique; see
	// dberror.IsUniqueViolation.
	constraint, columns string
}

// Shared has the recipes of all tenants.
var Shared = &Shelf{
	table: "insights_report_recipe", list: "reportRecipes", writers: []string{"created_tenant", "last_modified_tenant"},
	constraint: "insights_report_recipe_name_key_key", columns: "insights_report_recipe.name_key",
}

// Own has the recipes that the context's tenant wrote for itself. No other tenant sees
// them.
var Own = &Shelf{
	table: "insights_agency_recipe", list: "agencyRecipes", own: true, writers: []string{"tenant_id"},
	constraint: "insights_agency_recipe_name", columns: "insights_agency_recipe.tenant_id, insights_agency_recipe.name_key",
}

func (s *Shelf) insert(ctx context.Context, w *change.Writing, uid string, in Input, definition []byte) error {
	columns := []string{"uid", "name", "name_key", "description", "dataset", "definition", "version", "created_at", "created_by", "last_modified", "last_modified_by"}
	values := []any{uid, in.Name, nameKey(in.Name), in.Description, in.Dataset, string(definition), 1, w.Now, w.Initiator, w.Now, w.Initiator}
	for range s.writers {
		values = append(values, writer(w))
	}
	_, err := w.Insert(ctx, s.table, append(columns, s.writers...), values...)
	return err
}

func (s *Shelf) update(ctx context.Context, w *change.Writing, id int64, in Input, definition []byte) error {
	var q store.SQL
	q.Write("UPDATE "+s.table+` AS r SET name = ?, name_key = ?, description = ?, dataset = ?, definition = ?, version = version + 1, last_modified = ?, last_modified_by = ?`,
		in.Name, nameKey(in.Name), in.Description, in.Dataset, string(definition), w.Now, w.Initiator)
	if !s.own {
		q.Write(", last_modified_tenant = ?", writer(w))
	}
	s.where(&q, w.Tenant.ID)
	q.Write(" AND r.id = ?", id)
	_, err := w.Exec(ctx, q.Text(), q.Args()...)
	return err
}

func (s *Shelf) remove(ctx context.Context, w *change.Writing, id int64) error {
	var q store.SQL
	q.Write("DELETE FROM " + s.table + " AS r")
	s.where(&q, w.Tenant.ID)
	q.Write(" AND r.id = ?", id)
	_, err := w.Exec(ctx, q.Text(), q.Args()...)
	return err
}

// selected are the columns that scan reads.
func (s *Shelf) selected() string {
	return "r.id, r.uid, r.name, r.name_key, r.description, r.dataset, r.definition, r.version, r.created_at, r.created_by, r.last_modified, r.last_modified_by, r." +
		s.writers[0] + ", r." + s.writers[len(s.writers)-1]
}

func (s *Shelf) scan(row store.Scanner) (*Recipe, error) {
	r := Recipe{IsShared: !s.own}
	var definition string
	err := row.Scan(&r.ID, &r.UID, &r.Name, &r.nameKey, &r.Description, &r.Dataset, &definition, &r.Version, &r.CreatedAt, &r.CreatedBy,
		&r.LastModified, &r.LastModifiedBy, &r.createdTenant, &r.lastModifiedTenant)
	r.Definition = []byte(definition)
	return &r, err
}

// from writes the table, and the condition that its rows belong to the tenant.
func (s *Shelf) from(q *store.SQL, tenantID int64) {
	q.Write(s.table + " AS r")
	s.where(q, tenantID)
}

func (s *Shelf) where(q *store.SQL, tenantID int64) {
	if s.own {
		q.Write(" WHERE r.tenant_id = ?", tenantID)
	} else {
		q.Write(" WHERE 1 = 1")
	}
}

// read finds the recipe with an id; nil if it is not on the shelf.
func (s *Shelf) read(ctx context.Context, q store.Querier, uid, lock string) (*Recipe, error) {
	tenantID, err := tenant.ID(ctx)
	key, ok := check.UUID(uid)
	if err != nil || !ok {
		return nil, err
	}
	text := &store.SQL{}
	text.Write("SELECT " + s.selected() + " FROM ")
	s.from(text, tenantID)
	text.Write(" AND r.uid = ?"+lock, key)
	found, err := store.Collect(ctx, q, s.scan, text.Text(), text.Args()...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

func (s *Shelf) nameTaken(err error) error {
	if dberror.IsUniqueViolation(err, s.constraint, s.columns) {
		return problem.Clash(problem.DuplicateKey, "Another recipe has this name", "name")
	}
	return err
}
