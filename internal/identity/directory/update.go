package directory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Settings are the properties of a tenant that can change, as a table
// (internal/fields).
type Settings struct {
	Name              patch.Field[string] `name:"name" column:"name"`
	TimeZone          patch.Field[string] `name:"timeZone" column:"time_zone"`
	DefaultPageSize   patch.Field[int]    `name:"defaultPageSize" column:"default_page_size"`
	MaxPageSize       patch.Field[int]    `name:"maxPageSize" column:"max_page_size"`
	MasterID          patch.Field[int64]  `name:"master" column:"master_tenant_id"`
	MaskSensitive     patch.Field[bool]   `name:"maskSensitive" column:"mask_sensitive"`
	DefaultUserStatus patch.Field[string] `name:"defaultUserStatus" column:"default_user_status"`
	MinPasswordLength patch.Field[int]    `name:"minPasswordLength" column:"min_password_length"`
	PasswordSignIn    patch.Field[bool]   `name:"passwordSignIn" column:"password_sign_in"`
	ValuesKeptYears   patch.Field[int]    `name:"valuesKeptYears" column:"values_kept_years"`

	// Master is the identifier of the master agency, empty for none; MasterID is the id
	// of its row, which no request sends.
	Master patch.Field[string]
}

// SettingsFields is the table of Settings.
var SettingsFields = fields.Of[Settings]()

// Update changes the settings of a tenant. It returns ErrUnknown for an unknown
// identifier, and a problem.List for wrong fields; then nothing is changed. A Directory
// shows the change within ten seconds.
//
// If settings change, record is called in the same transaction with their names.
func Update(ctx context.Context, s *store.Store, c clock.Clock, identifier string, in Settings, record ...store.Record) (*tenant.Tenant, error) {
	var t *tenant.Tenant
	err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		var changed []string
		if t, changed, err = update(ctx, tx, identifier, in, func(lastModified time.Time) (time.Time, error) {
			return version.Next(lastModified, c.Now()), nil
		}); err != nil || len(changed) == 0 {
			return err
		}
		return store.RecordAll(ctx, tx, record, changed...)
	})
	if err != nil {
		return nil, fmt.Errorf("update tenant: %w", err)
	}
	return t, nil
}

// update changes the settings of a tenant. Once the tenant is locked, named is called with
// the time of its last change, and returns that of this one.
func update(ctx context.Context, tx *store.Tx, identifier string, in Settings, named func(lastModified time.Time) (now time.Time, err error)) (t *tenant.Tenant, changed []string, err error) {
	if err := lockWith(ctx, tx, identifier, in.Master.Value); err != nil {
		return nil, nil, err
	}
	var (
		id      int64
		at      time.Time
		stored  Settings
		refused problem.List
	)
	found, err := store.One(ctx, tx, append([]any{&id, &at}, SettingsFields.Dest(&stored)...),
		"SELECT id, last_modified, "+strings.Join(SettingsFields.Columns(), ", ")+" FROM tenant WHERE identifier = $1", identifier)
	if err == nil && !found {
		err = ErrUnknown
	}
	if err == nil {
		at, err = named(at)
	}
	if err != nil {
		return nil, nil, err
	}
	var noMaster *problem.Error
	if in.Master.Value != nil {
		if in.MasterID, noMaster, err = masterOf(ctx, tx, id, *in.Master.Value); err != nil {
			return nil, nil, err
		}
	}
	next := stored
	SettingsFields.Become(&next, &in)
	refused.Add(next.check()...)
	refused.Add(noMaster)
	if err := refused.Err(); err != nil {
		return nil, nil, err
	}
	if changed = SettingsFields.Become(&stored, &next); len(changed) > 0 {
		var q store.SQL
		q.Write("UPDATE tenant SET last_modified = ?", at)
		for _, l := range SettingsFields {
			q.Write(", "+l.Column+" = ?", l.Of(&next).Any())
		}
		q.Write(" WHERE id = ?", id)
		if _, err := tx.Exec(ctx, q.Text(), q.Args()...); err != nil {
			return nil, nil, err
		}
		if slices.Contains(changed, "passwordSignIn") && !*next.PasswordSignIn.Value {
			if err := endPasswords(ctx, tx, id); err != nil {
				return nil, nil, err
			}
		}
	}
	t, err = read(ctx, tx, "id = $1", id)
	return t, changed, err
}

// lockWith locks a tenant and its future master, so that two concurrent changes cannot
// make a master of a tenant that has a master.
func lockWith(ctx context.Context, tx *store.Tx, identifier string, master *string) error {
	identifiers := []string{identifier}
	if master != nil {
		identifiers = append(identifiers, *master)
	}
	_, err := store.Collect(ctx, tx, store.ScanOne[int64],
		"SELECT id FROM tenant WHERE "+tx.InTexts("identifier", "$1")+" ORDER BY id"+tx.ForUpdate(), tx.Texts(identifiers))
	return err
}

// masterOf finds the master agency of a tenant. Codes are looked up one step up only, so
// a master must not have a master.
func masterOf(ctx context.Context, tx *store.Tx, id int64, identifier string) (patch.Field[int64], *problem.Error, error) {
	if identifier == "" {
		return patch.Null[int64](), nil, nil
	}
	master, refused, err := findMaster(ctx, tx, identifier)
	if err != nil || refused != nil {
		return patch.Field[int64]{}, refused, err
	}
	var isMaster bool
	_, err = store.One(ctx, tx, []any{&isMaster}, "SELECT EXISTS (SELECT 1 FROM tenant WHERE master_tenant_id = $1)", id)
	switch {
	case err != nil:
	case master == id:
		refused = problem.Invalid(problem.NotApplicable, "A tenant is not its own master", "master")
	case isMaster:
		refused = problem.Invalid(problem.NotApplicable, "The tenant is the master of others, and a master has no master", "master")
	}
	return patch.Set(master), refused, err
}

// findMaster returns the id of a tenant that can be a master.
func findMaster(ctx context.Context, tx *store.Tx, identifier string) (int64, *problem.Error, error) {
	t, err := read(ctx, tx, "identifier = $1", identifier)
	switch {
	case errors.Is(err, ErrUnknown):
		return 0, problem.Invalid(problem.NotFoundCode, "No tenant has this identifier", "master"), nil
	case err != nil:
		return 0, nil, err
	case t.MasterID != 0:
		return 0, problem.Invalid(problem.NotApplicable, "This tenant has a master itself, and a master has none", "master"), nil
	}
	return t.ID, nil, nil
}
