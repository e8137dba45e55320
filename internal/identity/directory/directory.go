// Package directory owns the agencies that use the service: it creates them with what
// each begins with, and finds them by the identifier in a path or token.
package directory

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// ErrUnknown is returned for an identifier or id that no tenant has.
var ErrUnknown = errors.New("tenants: no such tenant")

// keep is how long a directory answers from memory, and so how long a change of a
// tenant's settings takes to reach every process.
const keep = 10 * time.Second

// Directory finds tenants. It is safe for concurrent use.
type Directory struct {
	store *store.Store
	clock clock.Clock

	mu           sync.RWMutex
	byIdentifier map[string]found
	byID         map[int64]found
	// forgotten counts the changes: what was read before a change is not kept after it.
	forgotten uint64
}

type found struct {
	tenant *tenant.Tenant
	until  time.Time
}

// New returns a directory of the tenants in a database.
func New(s *store.Store, c clock.Clock) *Directory {
	return &Directory{store: s, clock: c, byIdentifier: map[string]found{}, byID: map[int64]found{}}
}

// Find returns the tenant with an identifier, or ErrUnknown. The tenant is shared and
// must not be changed.
func (d *Directory) Find(ctx context.Context, identifier string) (*tenant.Tenant, error) {
	return lookUp(ctx, d, d.byIdentifier, identifier, "identifier = $1")
}

// ByID returns the tenant with an id, or ErrUnknown.
func (d *Directory) ByID(ctx context.Context, id int64) (*tenant.Tenant, error) {
	return lookUp(ctx, d, d.byID, id, "id = $1")
}

// lookUp answers from memory or from the database. It does not remember unknown tenants,
// so that a new tenant is found at once, and made-up identifiers take no memory.
func lookUp[K comparable](ctx context.Context, d *Directory, known map[K]found, key K, is string) (*tenant.Tenant, error) {
	now := d.clock.Now()
	d.mu.RLock()
	f, ok := known[key]
	forgotten := d.forgotten
	d.mu.RUnlock()
	if ok && now.Before(f.until) {
		return f.tenant, nil
	}
	t, err := read(ctx, d.store, is, key)
	if err != nil {
		return nil, err
	}
	f = found{t, now.Add(keep)}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.forgotten == forgotten {
		d.byIdentifier[t.Identifier], d.byID[t.ID] = f, f
	}
	return t, nil
}

// forget makes the directory read a tenant anew.
func (d *Directory) forget(t *tenant.Tenant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.byIdentifier, t.Identifier)
	delete(d.byID, t.ID)
	d.forgotten++
}

// List reads all tenants, in the order of their identifiers.
func (d *Directory) List(ctx context.Context) ([]*tenant.Tenant, error) {
	all, err := store.Collect(ctx, d.store, scan, selectTenants+" ORDER BY identifier")
	if err != nil {
		return nil, fmt.Errorf("tenants: list: %w", err)
	}
	return all, nil
}

// read reads the tenant for which a condition holds. It returns ErrUnknown if there is none.
func read(ctx context.Context, q store.Querier, is string, key any) (*tenant.Tenant, error) {
	found, err := store.Collect(ctx, q, scan, selectTenants+" WHERE "+is, key)
	if err != nil {
		return nil, fmt.Errorf("tenants: find: %w", err)
	}
	if len(found) == 0 {
		return nil, ErrUnknown
	}
	return found[0], nil
}

const selectTenants = `SELECT id, identifier, name, time_zone, default_page_size, max_page_size, coalesce(master_tenant_id, 0),
	mask_sensitive, default_user_status, min_password_length, password_sign_in, values_kept_years, last_modified FROM tenant`

func scan(row store.Scanner) (*tenant.Tenant, error) {
	var (
		t    tenant.Tenant
		zone string
	)
	err := row.Scan(&t.ID, &t.Identifier, &t.Name, &zone, &t.DefaultPageSize, &t.MaxPageSize, &t.MasterID,
		&t.MaskSensitive, &t.DefaultUserStatus, &t.MinPasswordLength, &t.PasswordSignIn, &t.ValuesKeptYears, &t.LastModified)
	if err != nil {
		return nil, err
	}
	if t.Zone, err = time.LoadLocation(zone); err != nil {
		return nil, fmt.Errorf("%s: %w", t.Identifier, err)
	}
	return &t, nil
}
