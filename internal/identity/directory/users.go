package directory

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// starterRoles are the names of the roles that every tenant begins with (api "User
// record"); their scopes are in internal/identity. The migration that made the table
// added the same roles to existing tenants.
var starterRoles = []string{"Administrator", "Manager", "Recruiter", "Analyst", "Agent", "Integration"}

func addRoles(ctx context.Context, tx *store.Tx, tenantID int64, now time.Time) error {
	columns := []string{"tenant_id", "name", "name_key", "scopes", "is_system", "created_at", "created_by", "last_modified", "last_modified_by"}
	return tx.CopyFrom(ctx, "identity_role", columns, func(yield func([]any) bool) {
		for _, name := range starterRoles {
			if !yield([]any{tenantID, name, strings.ToLower(name), "", true, now, initiator, now, initiator}) {
				return
			}
		}
	})
}

// The limits of the minimum length of a password.
const (
	minPasswordLength      = 8
	maxLeastPasswordLength = 64
)

// checkUsers checks the settings about users.
func checkUsers(status string, length int) (refused problem.List) {
	if _, err := tenant.UserStatuses.Parse(status); err != nil {
		refused.Add(problem.Invalid(problem.UnknownStatus, "Must be one of "+strings.Join(tenant.UserStatuses.Texts(), ", "), "defaultUserStatus"))
	}
	if length < minPasswordLength || length > maxLeastPasswordLength {
		refused.Add(problem.Invalid(problem.OutOfRange,
			"Must be from "+strconv.Itoa(minPasswordLength)+" to "+strconv.Itoa(maxLeastPasswordLength), "minPasswordLength"))
	}
	return refused
}

// endPasswords ends what began with a password, when passwords count no longer. It refuses
// if nobody could sign in then.
func endPasswords(ctx context.Context, tx *store.Tx, tenantID int64) error {
	ctx = tenant.With(ctx, &tenant.Tenant{ID: tenantID})
	var one int
	found, err := store.One(ctx, tx, []any{&one}, "SELECT 1 FROM identity_provider WHERE tenant_id = $1 AND is_disabled = $2 LIMIT 1", tenantID, false)
	if err == nil && !found {
		err = problem.Invalid(problem.NotApplicable, "Without passwords nobody could sign in: there is no sign-in provider that is enabled", "passwordSignIn")
	}
	for _, table := range []string{"identity_session", "identity_grant"} {
		if err == nil {
			_, err = tx.Exec(ctx, "DELETE FROM "+table+" WHERE tenant_id = $1 AND provider_id IS NULL", tenantID)
		}
	}
	return err
}
