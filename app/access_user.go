package app

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/tenant"
)

// limitedScopes are all scopes that a caller limited to a downline can hold: those that
// read agents and what belongs to agents, and the one that changes an agent. The others
// concern the whole agency.
var limitedScopes = []string{
	"read:agents", "read:agents:sensitive", "write:agents", "mcp:write",
	"agent-onboarding:app-configuration:read", "agent-onboarding:applications:read",
	"read:roles", "read:users",
	"business-insights:queries:execute", "business-insights:report-recipes:read",
}

// asUser narrows the caller of a user's token to what the user may do now: the
// roles may have changed since the token was issued, and a user who is not
// Approved any more has no valid token.
func asUser(ctx context.Context, people *identity.Service, c clock.Clock, caller tenant.Caller, userID int64) (tenant.Caller, error) {
	access, err := people.Access(ctx, userID)
	if err != nil {
		return caller, err
	}
	if !access.IsApproved {
		return caller, bearer.UserNotApproved()
	}
	caller.Subject = access.Username // a token names the one at its issue
	caller.UserID, caller.Within, caller.Clock = userID, access.Within, c
	scopes := make([]string, 0, len(caller.Scopes))
	for _, scope := range caller.Scopes {
		if slices.Contains(access.Scopes, scope) && (!caller.IsLimited() || slices.Contains(limitedScopes, scope)) {
			scopes = append(scopes, scope)
		}
	}
	caller.Scopes = scopes
	return caller, nil
}
