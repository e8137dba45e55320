package oauth

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// IssueToUser signs an access token for a user of a tenant who acts through a client. The
// token ends with the grant grantID; 0 for none. The claims uid and sub are the user's;
// what the user may do is checked each time the token is used.
func (i *Issuer) IssueToUser(ctx context.Context, client Client, username string, userID, grantID int64, scopes []string) (string, error) {
	return i.issue(ctx, client, scopes, func(c *bearer.AccessClaims) { c.Subject, c.UserID, c.GrantID = username, userID, grantID })
}
