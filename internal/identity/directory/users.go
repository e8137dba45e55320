package directory

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// starterRoles are the names of the roles that every tenant begins with (api "User
// record"); their scopes are in internal/identity. The migration that made the table
// added the same roles to existing tenants.
var starterRoles = []string{"Administrator", "Manager", "Recruiter", "Analyst", "Agent", "Integration"}

func addRoles(ctx context.Context, tx *store.Tx, now time.Time) error {
	roles := make([]*db.IdentityRoleCreate, len(starterRoles))
	for i, name := range starterRoles {
		roles[i] = tx.IdentityRole.Create().SetName(name).SetNameKey(strings.ToLower(name)).SetScopes("").SetIsSystem(true).
			SetCreatedAt(now).SetCreatedBy(initiator).SetLastModified(now).SetLastModifiedBy(initiator)
	}
	return tx.IdentityRole.CreateBulk(roles...).Exec(ctx)
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
