package recipe

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/ent/db/agencyrecipe"
	"github.com/uplinehq/upline/ent/db/reportrecipe"
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
	// writers are the columns of the tenants that created a recipe and changed it last;
	// NULL for the platform.
	writers string
	// constraint and columns are those that keep names unique; see
	// dberror.IsUniqueViolation.
	constraint, columns string

	insert func(ctx context.Context, w *change.Writing, uid string, in Input, definition []byte) error
	update func(ctx context.Context, w *change.Writing, old *Recipe, in Input, definition []byte) error
	remove func(ctx context.Context, w *change.Writing, id int64) error
}

// Shared has the recipes of all tenants.
var Shared = &Shelf{
	table: "insights_report_recipe", list: "reportRecipes", writers: "r.created_tenant, r.last_modified_tenant",
	constraint: "insights_report_recipe_name_key_key", columns: "insights_report_recipe.name_key",
	insert: func(ctx context.Context, w *change.Writing, uid string, in Input, definition []byte) error {
		return w.ReportRecipe.Create().SetUID(uid).SetName(in.Name).SetNameKey(nameKey(in.Name)).SetNillableDescription(in.Description).SetDataset(in.Dataset).
			SetDefinition(string(definition)).SetVersion(1).SetCreatedAt(w.Now).SetCreatedBy(w.Initiator).SetNillableCreatedTenant(writer(w)).
			SetLastModified(w.Now).SetLastModifiedBy(w.Initiator).SetNillableLastModifiedTenant(writer(w)).Exec(ctx)
	},
	update: func(ctx context.Context, w *change.Writing, old *Recipe, in Input, definition []byte) error {
		update := w.ReportRecipe.Update().Where(reportrecipe.ID(old.ID)).SetName(in.Name).SetNameKey(nameKey(in.Name)).SetDataset(in.Dataset).
			SetDefinition(string(definition)).SetVersion(old.Version + 1).SetLastModified(w.Now).SetLastModifiedBy(w.Initiator).
			SetNillableDescription(in.Description).SetNillableLastModifiedTenant(writer(w))
		if in.Description == nil {
			update.ClearDescription()
		}
		if writer(w) == nil {
			update.ClearLastModifiedTenant()
		}
		_, err := update.Save(ctx)
		return err
	},
	remove: func(ctx context.Context, w *change.Writing, id int64) error {
		_, err := w.ReportRecipe.Delete().Where(reportrecipe.ID(id)).Exec(ctx)
		return err
	},
}

// Own has the recipes that the context's tenant wrote for itself. No other tenant sees
// them.
var Own = &Shelf{
	table: "insights_agency_recipe", list: "agencyRecipes", own: true, writers: "r.tenant_id, r.tenant_id",
	constraint: "insights_agency_recipe_name", columns: "insights_agency_recipe.tenant_id, insights_agency_recipe.name_key",
	insert: func(ctx context.Context, w *change.Writing, uid string, in Input, definition []byte) error {
		return w.AgencyRecipe.Create().SetUID(uid).SetName(in.Name).SetNameKey(nameKey(in.Name)).SetNillableDescription(in.Description).SetDataset(in.Dataset).
			SetDefinition(string(definition)).SetVersion(1).SetCreatedAt(w.Now).SetCreatedBy(w.Initiator).
			SetLastModified(w.Now).SetLastModifiedBy(w.Initiator).Exec(ctx)
	},
	update: func(ctx context.Context, w *change.Writing, old *Recipe, in Input, definition []byte) error {
		update := w.AgencyRecipe.Update().Where(agencyrecipe.ID(old.ID)).SetName(in.Name).SetNameKey(nameKey(in.Name)).SetDataset(in.Dataset).
			SetDefinition(string(definition)).SetVersion(old.Version + 1).SetLastModified(w.Now).SetLastModifiedBy(w.Initiator).
			SetNillableDescription(in.Description)
		if in.Description == nil {
			update.ClearDescription()
		}
		_, err := update.Save(ctx)
		return err
	},
	remove: func(ctx context.Context, w *change.Writing, id int64) error {
		_, err := w.AgencyRecipe.Delete().Where(agencyrecipe.ID(id)).Exec(ctx)
		return err
	},
}

// selected are the columns that scan reads.
func (s *Shelf) selected() string {
	return "r.id, r.uid, r.name, r.name_key, r.description, r.dataset, r.definition, r.version, r.created_at, r.created_by, r.last_modified, r.last_modified_by, " + s.writers
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
	if s.own {
		q.Write(s.table+" r WHERE r.tenant_id = ?", tenantID)
	} else {
		q.Write(s.table + " r WHERE 1 = 1")
	}
}

// read finds the recipe with an id; nil if it is not on the shelf.
func (s *Shelf) read(ctx context.Context, q store.Querier, uid, lock string) (*Recipe, error) {
	if len(uid) != 36 || uuid.Validate(uid) != nil { // no database has the other forms that Validate accepts
		return nil, nil
	}
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	text := &store.SQL{}
	text.Write("SELECT " + s.selected() + " FROM ")
	s.from(text, tenantID)
	text.Write(" AND r.uid = ?"+lock, strings.ToLower(uid)) // an id in capitals is the same id, but SQLite compares texts
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
