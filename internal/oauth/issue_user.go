package oauth

import "context"

// IssueToUser signs an access token for a user of a tenant who acts through a
// client of it. The claims uid and sub are the user's; what the user may do is
// asked anew when the token is used.
func (i *Issuer) IssueToUser(ctx context.Context, client Client, username string, userID int64, scopes []string) (string, error) {
	return i.issue(ctx, client, scopes, func(c *accessClaims) { c.Subject, c.UserID = username, userID })
}
