package identity

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Access is what a user may do now, whatever was true when a token was issued.
type Access struct {
	// IsApproved is false for a user who is not Approved, or no longer exists.
	IsApproved bool
	// Username is the user's name now.
	Username string
	// Scopes are the scopes of the user's roles; they must not be changed.
	Scopes []string
	// Within is the agent to whose downline the user is limited: tenant.Nobody for a
	// limited user without an agent, nil without a limit.
	Within *int64
}

// Access returns what a user of the context's tenant may do. It is read anew every ten
// seconds, and at once after a change by this process.
func (s *remembered) Access(ctx context.Context, userID int64) (Access, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return Access{}, err
	}
	return s.access.get(accessKey{tenantID, userID}, func() (Access, error) { return s.readAccess(ctx, tenantID, userID) })
}

// granted is a role of a user, together with the user's own columns, which are the same
// in every row.
type granted struct {
	username, status string
	agent            *int64
	role             Role
}

func (s *remembered) readAccess(ctx context.Context, tenantID, userID int64) (a Access, err error) {
	rows, err := store.Collect(ctx, s.store, func(row store.Scanner) (g granted, err error) {
		var scopes string
		err = row.Scan(&g.username, &g.status, &g.agent, &g.role.Name, &scopes, &g.role.IsSystem, &g.role.LimitedToDownline)
		g.role.holds(scopes)
		return g, err
	}, `SELECT u.username, u.status, l.agent_id, coalesce(r.name, ''), coalesce(r.scopes, ''), coalesce(r.is_system, $3), coalesce(r.limited_to_downline, $3)
		FROM identity_user u
		LEFT JOIN identity_user_agent l ON l.tenant_id = u.tenant_id AND l.user_id = u.id
		LEFT JOIN identity_user_role x ON x.tenant_id = u.tenant_id AND x.user_id = u.id
		LEFT JOIN identity_role r ON r.tenant_id = x.tenant_id AND r.id = x.role_id
		WHERE u.tenant_id = $1 AND u.id = $2`, tenantID, userID, false)
	if err != nil || len(rows) == 0 || rows[0].status != Approved {
		return Access{}, err
	}
	return accessOf(rows), nil
}

// accessOf combines roles. A user is limited if a limited role gives a scope that no
// other role gives. So users can do to the whole agency only what a role without the
// limit allows, and a user with all scopes by such roles is not limited.
func accessOf(rows []granted) Access {
	var whole, limited []string
	for _, g := range rows {
		if g.role.LimitedToDownline {
			limited = append(limited, g.role.Scopes...)
		} else {
			whole = append(whole, g.role.Scopes...)
		}
	}
	a := Access{IsApproved: true, Username: rows[0].username, Scopes: append(whole, limited...)}
	if slices.ContainsFunc(limited, func(scope string) bool { return !slices.Contains(whole, scope) }) {
		within := tenant.Nobody
		if rows[0].agent != nil {
			within = *rows[0].agent
		}
		a.Within = &within
	}
	slices.Sort(a.Scopes)
	a.Scopes = slices.Compact(a.Scopes)
	return a
}
