// Package recipe holds the report recipes of the area insights: definitions of
// tables, which all tenants share, and which each runs over its own data.
//
// A definition is read against the catalogue of datasets (parse), and made one
// statement for a page (question). What a caller limited to a downline sees in a report is
// what the store lets its statements see, as everywhere.
package recipe

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/clock"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Recipe is a report recipe: "a stored definition of a tabular report … not
// tenant-scoped: their URLs carry no tenant identifier and they are shared across
// the platform" (specification, "Report recipe").
type Recipe struct {
	ID int64
	// UID is the id that callers know.
	UID, Name   string
	Description *string
	// Dataset is the name of one of Datasets, or graphql for a saved query.
	Dataset string
	// Definition is a JSON object.
	Definition []byte
	// Version counts the replacements, from 1.
	Version                   int
	CreatedAt, LastModified   time.Time
	CreatedBy, LastModifiedBy string

	nameKey                           string
	createdTenant, lastModifiedTenant *int64
}

// Service holds the report recipes and runs them. It is safe for concurrent use
// once Queries is set.
type Service struct {
	// Queries runs saved queries.
	Queries SavedQueries

	store  *store.Store
	clock  clock.Clock
	vault  *vault.Vault
	writer *change.Writer
}

// New returns the recipes in a database.
func New(s *store.Store, c clock.Clock, v *vault.Vault) *Service {
	return &Service{store: s, clock: c, vault: v, writer: change.New(s, c, v)}
}

// The page sizes of the list, the same for every tenant: recipes belong to none.
const (
	recipePage    = 50
	maxRecipePage = 100
)

const recipeColumns = `r.id, r.uid, r.name, r.name_key, r.description, r.dataset, r.definition, r.version, r.created_at, r.created_by, r.created_tenant,
	r.last_modified, r.last_modified_by, r.last_modified_tenant`

func scanRecipe(row store.Scanner) (*Recipe, error) {
	var (
		r          Recipe
		definition string
	)
	err := row.Scan(&r.ID, &r.UID, &r.Name, &r.nameKey, &r.Description, &r.Dataset, &definition, &r.Version, &r.CreatedAt, &r.CreatedBy, &r.createdTenant,
		&r.LastModified, &r.LastModifiedBy, &r.lastModifiedTenant)
	r.Definition = []byte(definition)
	return &r, err
}

// List is the list of all recipes, by name.
func (r *Service) List(ctx context.Context) listing.List[*Recipe] {
	return listing.List[*Recipe]{
		Store: r.store, Name: "reportRecipes", Columns: recipeColumns, Default: recipePage, Max: maxRecipePage,
		Keys: []page.Key{{Name: "name", SQL: "r.name_key", Kind: page.Text}},
		// Recipes have no tenant: this is the whole table.
		From: func(q *store.SQL) { q.Write("insights_report_recipe r WHERE 1 = 1") },
		Scan: func(row store.Scanner) (*Recipe, error) {
			one, err := scanRecipe(row)
			return one.seenBy(ctx), err
		},
		Place: func(one *Recipe, _ string) any { return one.nameKey },
	}
}

// Get returns the recipe of an id; nil when there is none.
func (r *Service) Get(ctx context.Context, uid string) (*Recipe, error) {
	found, err := readRecipe(ctx, r.store, uid, "")
	if found == nil || err != nil {
		return nil, err
	}
	return found.seenBy(ctx), nil
}

func readRecipe(ctx context.Context, q store.Querier, uid, lock string) (*Recipe, error) {
	if len(uid) != 36 || uuid.Validate(uid) != nil { // the other forms that Validate takes are none of the database
		return nil, nil
	}
	uid = strings.ToLower(uid) // capitals are the same id, which SQLite compares as a text
	found, err := store.Collect(ctx, q, scanRecipe, "SELECT "+recipeColumns+" FROM insights_report_recipe r WHERE r.uid = $1"+lock, uid)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// Whom other tenants see in the place of a name.
const (
	thePlatform = "platform"
	aPartner    = "partner"
)

// seenBy names who wrote a recipe, for a caller of the context's tenant. Every
// tenant sees every recipe, but none the users and clients of another.
func (r *Recipe) seenBy(ctx context.Context) *Recipe {
	t := tenant.From(ctx)
	name := func(who string, in *int64) string {
		switch {
		case t == tenant.Platform, t != nil && in != nil && *in == t.ID:
			return who
		case in == nil:
			return thePlatform
		}
		return aPartner
	}
	r.CreatedBy, r.LastModifiedBy = name(r.CreatedBy, r.createdTenant), name(r.LastModifiedBy, r.lastModifiedTenant)
	return r
}
