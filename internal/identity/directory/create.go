package directory

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// DefaultTeam is the team that every tenant has ("only team: default",
// specification, Agent).
const DefaultTeam = "default"

// NewTenant is a tenant to create.
type NewTenant struct {
	// Identifier stands in paths and tokens, and never changes: lower-case letters,
	// digits and hyphens, at most 63, the first not a hyphen.
	Identifier string
	Name       string
	TimeZone   string // IANA name, such as America/Chicago
	// DefaultPageSize and MaxPageSize are in rows, from 1 to 100.
	DefaultPageSize, MaxPageSize int
	// MaskSensitive masks sensitive values over REST too, for tokens without
	// read:agents:sensitive.
	MaskSensitive bool
	// DefaultUserStatus is PENDING or APPROVED; empty means PENDING. MinPasswordLength is
	// from 8 to 64; 0 means 8.
	DefaultUserStatus string
	MinPasswordLength int
	// Master is the identifier of the agency whose agent codes are reused; empty
	// for none.
	Master string
}

// initiator is recorded for the data that a tenant begins with.
const initiator = "upline"

// settings are the properties of a new tenant that can change later.
func (in *NewTenant) settings() Settings {
	return Settings{
		Name: patch.Set(in.Name), TimeZone: patch.Set(in.TimeZone), DefaultPageSize: patch.Set(in.DefaultPageSize), MaxPageSize: patch.Set(in.MaxPageSize),
		MaskSensitive: patch.Set(in.MaskSensitive), DefaultUserStatus: patch.Set(cmp.Or(in.DefaultUserStatus, string(tenant.PendingUser))),
		MinPasswordLength: patch.Set(cmp.Or(in.MinPasswordLength, minPasswordLength)), PasswordSignIn: patch.Set(true), ValuesKeptYears: patch.Set(0),
	}
}

// Create creates a tenant with its team, the starter reference data and onboarding
// content, and the keys that encrypt its sensitive values. It returns a problem.List for
// wrong fields, and a problem with the code DUPLICATE_KEY if the identifier is taken.
func Create(ctx context.Context, s *store.Store, v *vault.Vault, c clock.Clock, in NewTenant) (*tenant.Tenant, error) {
	settings := in.settings()
	if err := in.check(&settings); err != nil {
		return nil, err
	}
	// With a wrong key nothing is created. The platform's keys are the first of a database.
	if err := v.Prepare(ctx, tenant.Platform.ID); err != nil {
		return nil, err
	}
	now := c.Now()
	var created *tenant.Tenant
	err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if settings.MasterID, err = in.master(ctx, tx); err != nil {
			return err
		}
		columns := slices.Concat([]string{"identifier", "created_at", "last_modified"}, SettingsFields.Columns())
		id, err := tx.Insert(ctx, "tenant", columns, SettingsFields.Append([]any{in.Identifier, now, now}, &settings)...)
		if dberror.IsUniqueViolation(err, "tenant_identifier_key", "tenant.identifier") {
			return problem.Clash(problem.DuplicateKey, "Another tenant has this identifier", "identifier")
		}
		if err != nil {
			return err
		}
		if created, err = read(ctx, tx, "id = $1", id); err != nil {
			return err
		}
		return furnish(ctx, tx, created, now)
	})
	if err != nil {
		return nil, fmt.Errorf("create tenant: %w", err)
	}
	// The vault stores keys in a transaction of its own, which SQLite could not begin
	// inside another one.
	if err := v.Prepare(ctx, created.ID); err != nil {
		return nil, fmt.Errorf("the tenant is created, but has no keys yet: %w", err)
	}
	return created, nil
}

// master locks the master agency and returns its id; null for none.
func (in *NewTenant) master(ctx context.Context, tx *store.Tx) (patch.Field[int64], error) {
	if in.Master == "" {
		return patch.Null[int64](), nil
	}
	if err := lockWith(ctx, tx, in.Master, nil); err != nil {
		return patch.Field[int64]{}, err
	}
	id, refused, err := findMaster(ctx, tx, in.Master)
	if refused != nil {
		err = problem.List{refused}
	}
	return patch.Set(id), err
}

// furnish adds what every tenant begins with: a team with an empty hierarchy, roles,
// reference data, and what recruits are asked and sign.
func furnish(ctx context.Context, tx *store.Tx, t *tenant.Tenant, now time.Time) error {
	ctx = tenant.With(ctx, t)
	teamID, err := tx.Insert(ctx, "agency_team", []string{"tenant_id", "name"}, t.ID, DefaultTeam)
	if err != nil {
		return err
	}
	if err := hierarchy.Begin(ctx, tx, teamID, date.In(now, t.Zone), now); err != nil {
		return err
	}
	if err := addRoles(ctx, tx, t.ID, now); err != nil {
		return err
	}
	if err := LoadReference(ctx, tx, t.ID, teamID, StarterReference(), now, initiator); err != nil {
		return err
	}
	return LoadOnboarding(ctx, tx, t.ID, StarterOnboarding(), now, initiator)
}

var identifierForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Words that cannot be identifiers. One stands where paths have a tenant:
// /business-insights/report-recipes ("their URLs carry no tenant identifier",
// specification, Report recipe). The other means that a tenant has no master.
const (
	reservedPath = "report-recipes"
	reservedNone = "none"
)

func (in *NewTenant) check(settings *Settings) error {
	var refused problem.List
	if !identifierForm.MatchString(in.Identifier) {
		refused.Add(problem.Invalid(problem.InvalidFormat,
			"Must be 1 to 63 small letters, digits and hyphens, the first not a hyphen", "identifier"))
	}
	if in.Identifier == reservedPath || in.Identifier == reservedNone {
		refused.Add(problem.Invalid(problem.InvalidFormat, "Must not be "+in.Identifier+", which has another meaning in paths and commands", "identifier"))
	}
	refused.Add(settings.check()...)
	return refused.Err()
}

// check checks all settings, and removes the blanks around the name.
func (s *Settings) check() problem.List {
	var c check.Problems
	s.Name = patch.Set(c.RequiredLine(s.Name.OrZero(), maxName, "name"))
	if !isZone(s.TimeZone.OrZero()) {
		c.Refuse(problem.InvalidFormat, "Must be an IANA time zone, as in America/Chicago", "timeZone")
	}
	c.Add(pageSizes(s.DefaultPageSize.OrZero(), s.MaxPageSize.OrZero()))
	c.Add(checkUsers(s.DefaultUserStatus.OrZero(), s.MinPasswordLength.OrZero())...)
	c.Range(s.ValuesKeptYears.OrZero(), 0, maxKeptYears, "valuesKeptYears")
	return c.List
}

// maxKeptYears is the longest time that values are kept, where it is not for ever.
const maxKeptYears = 100

// maxName is the maximum length of a tenant's name, in characters.
const maxName = 255

// isZone refuses names that time.LoadLocation takes as UTC or as the zone of the machine,
// and files that only some machines have beside the zones.
func isZone(name string) bool {
	_, err := time.LoadLocation(name)
	own := name == "" || name == "Local" || name == "localtime" || name == "posixrules" || name == "Factory" ||
		strings.HasPrefix(name, "posix/") || strings.HasPrefix(name, "right/")
	return err == nil && !own && path.Clean(name) == name
}

// maxPageSize: "default and maximum set per tenant; typically 50, never more
// than 100" (specification, Limits).
const maxPageSize = 100

func pageSizes(standard, most int) *problem.Error {
	switch {
	case most < 1 || most > maxPageSize:
		return problem.Invalid(problem.OutOfRange, "Must be from 1 to 100", "maxPageSize")
	case standard < 1 || standard > most:
		return problem.Invalid(problem.OutOfRange, "Must be from 1 to the maximum page size", "defaultPageSize")
	}
	return nil
}
