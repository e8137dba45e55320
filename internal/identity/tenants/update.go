package tenants

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/ent/db"
	enttenant "github.com/uplinehq/upline/ent/db/tenant"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
	"github.com/uplinehq/upline/internal/words/text"
)

// Settings are what can change of a tenant; what is nil stays.
type Settings struct {
	Name, TimeZone               *string
	DefaultPageSize, MaxPageSize *int
	// Master is the identifier of the master agency, empty for none.
	Master        *string
	MaskSensitive *bool
	// DefaultUserStatus and MinPasswordLength are as in NewTenant.
	DefaultUserStatus *string
	MinPasswordLength *int
}

// Update changes the settings of a tenant. It returns ErrUnknown for an
// identifier that no tenant has, and a problem.List for wrong fields; then
// nothing is changed. A Directory shows the change within ten seconds.
//
// When settings change, record is called in the same transaction with their
// names.
func Update(ctx context.Context, s *store.Store, identifier string, in Settings, record ...store.Record) (*tenant.Tenant, error) {
	var row *db.Tenant
	err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		var changed []string
		if row, changed, err = update(ctx, tx, identifier, in); err != nil || len(changed) == 0 {
			return err
		}
		return store.RecordAll(ctx, tx, record, changed...)
	})
	if err != nil {
		return nil, fmt.Errorf("update tenant: %w", err)
	}
	return fromRow(row)
}

func update(ctx context.Context, tx *store.Tx, identifier string, in Settings) (row *db.Tenant, changed []string, err error) {
	if err := lockWith(ctx, tx, identifier, in.Master); err != nil {
		return nil, nil, err
	}
	row, err = tx.Tenant.Query().Where(enttenant.Identifier(identifier)).Only(ctx)
	if db.IsNotFound(err) {
		return nil, nil, ErrUnknown
	}
	if err != nil {
		return nil, nil, err
	}
	before := *row
	var refused problem.List
	merge(row, in)
	refused.Add(checkSettings(row.Name, row.TimeZone, row.DefaultPageSize, row.MaxPageSize)...)
	refused.Add(checkUsers(row.DefaultUserStatus, row.MinPasswordLength)...)
	if in.Master != nil {
		p, err := setMaster(ctx, tx, row, *in.Master)
		if err != nil {
			return nil, nil, err
		}
		refused.Add(p)
	}
	if err := refused.Err(); err != nil {
		return nil, nil, err
	}
	change := tx.Tenant.Update().Where(enttenant.ID(row.ID)).SetName(row.Name).SetTimeZone(row.TimeZone).
		SetDefaultPageSize(row.DefaultPageSize).SetMaxPageSize(row.MaxPageSize).SetMaskSensitive(row.MaskSensitive).
		SetDefaultUserStatus(row.DefaultUserStatus).SetMinPasswordLength(row.MinPasswordLength)
	if row.MasterTenantID == nil {
		change.ClearMasterTenantID()
	} else {
		change.SetMasterTenantID(*row.MasterTenantID)
	}
	_, err = change.Save(ctx)
	return row, differences(before, *row), err
}

// differences names the settings in which two rows differ.
func differences(a, b db.Tenant) (names []string) {
	for _, f := range []struct {
		name string
		same bool
	}{
		{"name", a.Name == b.Name}, {"timeZone", a.TimeZone == b.TimeZone},
		{"defaultPageSize", a.DefaultPageSize == b.DefaultPageSize}, {"maxPageSize", a.MaxPageSize == b.MaxPageSize},
		{"master", zero(a.MasterTenantID) == zero(b.MasterTenantID)}, {"maskSensitive", a.MaskSensitive == b.MaskSensitive},
		{"defaultUserStatus", a.DefaultUserStatus == b.DefaultUserStatus}, {"minPasswordLength", a.MinPasswordLength == b.MinPasswordLength},
	} {
		if !f.same {
			names = append(names, f.name)
		}
	}
	return names
}

// zero is an id, 0 for none.
func zero(id *int64) int64 {
	if id == nil {
		return 0
	}
	return *id
}

// lockWith locks a tenant and the one that is to be its master, so that two
// changes at once make no master of one that has a master.
func lockWith(ctx context.Context, tx *store.Tx, identifier string, master *string) error {
	identifiers := []string{identifier}
	if master != nil {
		identifiers = append(identifiers, *master)
	}
	_, err := store.Collect(ctx, tx, store.ScanOne[int64],
		"SELECT id FROM tenant WHERE "+tx.InTexts("identifier", "$1")+" ORDER BY id"+tx.ForUpdate(), tx.Texts(identifiers))
	return err
}

// merge puts the settings that were given into the row.
func merge(row *db.Tenant, in Settings) {
	set(&row.Name, in.Name)
	row.Name = text.Trim(row.Name)
	set(&row.TimeZone, in.TimeZone)
	set(&row.DefaultPageSize, in.DefaultPageSize)
	set(&row.MaxPageSize, in.MaxPageSize)
	set(&row.MaskSensitive, in.MaskSensitive)
	set(&row.DefaultUserStatus, in.DefaultUserStatus)
	set(&row.MinPasswordLength, in.MinPasswordLength)
}

func set[T any](to, given *T) {
	if given != nil {
		*to = *given
	}
}

// setMaster finds the master agency of a tenant. Codes are looked up one step
// up and no further, so a master has no master itself.
func setMaster(ctx context.Context, tx *store.Tx, row *db.Tenant, identifier string) (*problem.Error, error) {
	if identifier == "" {
		row.MasterTenantID = nil
		return nil, nil
	}
	master, refused, err := findMaster(ctx, tx, identifier)
	if err != nil || refused != nil {
		return refused, err
	}
	isMaster, err := tx.Tenant.Query().Where(enttenant.MasterTenantID(row.ID)).Exist(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case master == row.ID:
		return problem.Invalid(problem.NotApplicable, "A tenant is not its own master", "master"), nil
	case isMaster:
		return problem.Invalid(problem.NotApplicable, "The tenant is the master of others, and a master has no master", "master"), nil
	}
	row.MasterTenantID = &master
	return nil, nil
}

// findMaster returns the id of a tenant that can be a master.
func findMaster(ctx context.Context, tx *store.Tx, identifier string) (int64, *problem.Error, error) {
	row, err := tx.Tenant.Query().Where(enttenant.Identifier(identifier)).Only(ctx)
	switch {
	case db.IsNotFound(err):
		return 0, problem.Invalid(problem.NotFoundCode, "No tenant has this identifier", "master"), nil
	case err != nil:
		return 0, nil, err
	case row.MasterTenantID != nil:
		return 0, problem.Invalid(problem.NotApplicable, "This tenant has a master itself, and a master has none", "master"), nil
	}
	return row.ID, nil, nil
}
