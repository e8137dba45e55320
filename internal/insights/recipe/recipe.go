// Package recipe has the report recipes of the area insights: definitions of tables,
// which all tenants share or a tenant wrote for itself, and which a tenant runs over its
// own data.
//
// A definition is checked against the catalogue of datasets (parse), and becomes one
// report of package insights. A caller who is limited to a downline sees in a
// report what the store lets its statements see, as everywhere.
package recipe

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// Recipe is a report recipe: "a stored definition of a tabular report … not
// tenant-scoped: their URLs carry no tenant identifier and they are shared across
// the platform" (specification, "Report recipe").
type Recipe struct {
	ID int64
	// UID is the id that callers use.
	UID, Name   string
	Description *string
	// Dataset is the name of one of Datasets, or graphql for a saved query.
	Dataset string
	// Definition is a JSON object.
	Definition []byte
	// Version is 1 at first; each replacement adds 1.
	Version int
	// IsShared is false for a recipe of the tenant's own.
	IsShared                  bool
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

	store   *store.Store
	clock   clock.Clock
	vault   *vault.Vault
	writer  *change.Writer
	reports *insights.Service
}

// New returns the recipes in a database.
func New(s *store.Store, c clock.Clock, v *vault.Vault) *Service {
	return &Service{store: s, clock: c, vault: v, writer: change.New(s, c, v), reports: insights.New(s, c)}
}

// The page sizes of the lists, the same for every tenant, since shared recipes belong to
// none.
const (
	recipePage    = 50
	maxRecipePage = 100
)

// List is the list of the recipes on a shelf, by name.
func (r *Service) List(ctx context.Context, s *Shelf) (listing.List[*Recipe], error) {
	tenantID, err := tenant.ID(ctx)
	return listing.List[*Recipe]{
		Rows: listing.Rows{
			Store: r.store, Name: s.list, Default: recipePage, Max: maxRecipePage,
			Keys: []page.Key{{Name: "name", SQL: "r.name_key", Kind: page.Text}},
			From: func(q *store.SQL) { s.from(q, tenantID) },
		},
		Columns: s.selected(),
		Scan: func(row store.Scanner) (*Recipe, error) {
			one, err := s.scan(row)
			return one.seenBy(ctx), err
		},
		Place: func(one *Recipe, _ string) any { return one.nameKey },
	}, err
}

// Get returns the recipe with an id, shared or the tenant's own; nil if there is none.
func (r *Service) Get(ctx context.Context, uid string) (*Recipe, error) {
	for _, s := range []*Shelf{Own, Shared} {
		found, err := s.read(ctx, r.store, uid, "")
		if err != nil {
			return nil, err
		}
		if found != nil {
			return found.seenBy(ctx), nil
		}
	}
	return nil, nil
}

// The names that other tenants see instead of an author's.
const (
	thePlatform = "platform"
	aPartner    = "partner"
)

// seenBy replaces the author's name for callers of other tenants. Every tenant sees every
// shared recipe, but none sees the users and clients of another.
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
