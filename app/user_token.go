package app

import "context"

// TokenOf issues an access token to a user of a tenant who acts through a client, with at
// most these scopes: what sign-in does once the user is known.
func (a *App) TokenOf(ctx context.Context, clientID, username string, userID int64, scopes []string) (string, error) {
	client, err := a.entities.Client(ctx, clientID)
	if err != nil {
		return "", err
	}
	return a.issuer.IssueToUser(ctx, client, username, userID, 0, scopes)
}
