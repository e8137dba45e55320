package app

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/oauth"
)

// TokenOf issues an access token to a user of a tenant who acts through a client, with at
// most these scopes: what sign-in does once the user is known.
func (a *App) TokenOf(ctx context.Context, client oauth.Client, username string, userID int64, scopes []string) (string, error) {
	return a.issuer.IssueToUser(ctx, client, username, userID, 0, scopes)
}
