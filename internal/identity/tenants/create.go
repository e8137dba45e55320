package tenants

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/check"
	"github.com/uplinehq/upline/internal/words/clock"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
	"github.com/uplinehq/upline/internal/words/text"
)

// DefaultTeam is the team that every tenant has ("only team: default",
// specification, Agent).
const DefaultTeam = "default"

// NewTenant is a tenant to create.
type NewTenant struct {
	// Identifier stands in paths and tokens, and never changes: small letters,
	// digits and hyphens, at most 63, the first not a hyphen.
	Identifier string
	Name       string
	TimeZone   string // IANA name, as in America/Chicago
	// DefaultPageSize and MaxPageSize are in rows, from 1 to 100.
	DefaultPageSize, MaxPageSize int
	// MaskSensitive masks sensitive values over REST too, for tokens without
	// read:agents:sensitive.
	MaskSensitive bool
	// DefaultUserStatus is PENDING or APPROVED, and PENDING when empty;
	// MinPasswordLength is from 8 to 64, and 8 when 0.
	DefaultUserStatus string
	MinPasswordLength int
	// Master is the identifier of the agency whose agent codes are reused; empty
	// for none.
	Master string
}

// initiator is recorded for what a tenant begins with.
const initiator = "upline"

// Create makes a tenant with its team, the starter reference data and onboarding
// content, and the keys that encrypt its sensitive values. It returns a problem.List for wrong
// fields, and a problem with the code DUPLICATE_KEY when the identifier is
// taken.
func Create(ctx context.Context, s *store.Store, v *vault.Vault, c clock.Clock, in NewTenant) (*tenant.Tenant, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	now := c.Now()
	var row *db.Tenant
	err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		master, err := in.master(ctx, tx)
		if err != nil {
			return err
		}
		row, err = tx.Tenant.Create().SetIdentifier(in.Identifier).SetName(in.Name).SetTimeZone(in.TimeZone).
			SetDefaultPageSize(in.DefaultPageSize).SetMaxPageSize(in.MaxPageSize).SetMaskSensitive(in.MaskSensitive).
			SetDefaultUserStatus(in.DefaultUserStatus).SetMinPasswordLength(in.MinPasswordLength).
			SetNillableMasterTenantID(master).SetCreatedAt(now).Save(ctx)
		if store.IsUniqueViolation(err, "tenant_identifier_key", "tenant.identifier") {
			return problem.Clash(problem.DuplicateKey, "Another tenant has this identifier", "identifier")
		}
		if err != nil {
			return err
		}
		return furnish(ctx, tx, row.ID, now)
	})
	if err != nil {
		return nil, fmt.Errorf("create tenant: %w", err)
	}
	// The vault stores keys in a transaction of its own, which SQLite could not
	// begin inside another.
	if err := v.Prepare(ctx, row.ID); err != nil {
		return nil, fmt.Errorf("the tenant is created, but has no keys yet: %w", err)
	}
	return fromRow(row)
}

// master locks the master agency and returns its id; nil for none.
func (in *NewTenant) master(ctx context.Context, tx *store.Tx) (*int64, error) {
	if in.Master == "" {
		return nil, nil
	}
	if err := lockWith(ctx, tx, in.Master, nil); err != nil {
		return nil, err
	}
	id, refused, err := findMaster(ctx, tx, in.Master)
	if refused != nil {
		err = problem.List{refused}
	}
	return &id, err
}

// furnish adds what every tenant begins with: a team whose hierarchy is empty,
// roles, reference data, and what recruits are asked and sign.
func furnish(ctx context.Context, tx *store.Tx, tenantID int64, now time.Time) error {
	ctx = tenant.With(ctx, &tenant.Tenant{ID: tenantID})
	team, err := tx.Team.Create().SetName(DefaultTeam).Save(ctx)
	if err != nil {
		return err
	}
	if err := hierarchy.ChangedAll(ctx, tx, team.ID, now); err != nil {
		return err
	}
	if err := addRoles(ctx, tx, now); err != nil {
		return err
	}
	if err := LoadReference(ctx, tx, tenantID, team.ID, StarterReference(), now, initiator); err != nil {
		return err
	}
	return LoadOnboarding(ctx, tx, tenantID, StarterOnboarding(), now, initiator)
}

var identifierForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Words that are no identifier. One stands where paths have a tenant:
// /business-insights/report-recipes ("their URLs carry no tenant identifier",
// specification, Report recipe). The other is the master of a tenant that has
// none.
const (
	reservedPath = "report-recipes"
	reservedNone = "none"
)

func (in *NewTenant) check() error {
	var refused problem.List
	in.Name = text.Trim(in.Name)
	if !identifierForm.MatchString(in.Identifier) {
		refused.Add(problem.Invalid(problem.InvalidFormat,
			"Must be 1 to 63 small letters, digits and hyphens, the first not a hyphen", "identifier"))
	}
	if in.Identifier == reservedPath || in.Identifier == reservedNone {
		refused.Add(problem.Invalid(problem.InvalidFormat, "Is a word with another meaning", "identifier"))
	}
	in.DefaultUserStatus = cmp.Or(in.DefaultUserStatus, string(tenant.PendingUser))
	in.MinPasswordLength = cmp.Or(in.MinPasswordLength, minPasswordLength)
	refused.Add(checkSettings(in.Name, in.TimeZone, in.DefaultPageSize, in.MaxPageSize)...)
	refused.Add(checkUsers(in.DefaultUserStatus, in.MinPasswordLength)...)
	return refused.Err()
}

// checkSettings checks what can change of a tenant.
func checkSettings(name, zone string, defaultPageSize, maxPageSize int) (refused problem.List) {
	var c check.Problems
	c.RequiredLine(name, maxName, "name")
	refused.Add(c.List...)
	if !isZone(zone) {
		refused.Add(problem.Invalid(problem.InvalidFormat, "Must be an IANA time zone, as in America/Chicago", "timeZone"))
	}
	refused.Add(pageSizes(defaultPageSize, maxPageSize))
	return refused
}

// maxName is the length of a tenant's name, in characters.
const maxName = 255

// isZone refuses what time.LoadLocation takes for UTC or for the zone of the
// machine, and files that only some machines have beside the zones.
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
