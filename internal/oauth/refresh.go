package oauth

import (
	"context"
	"errors"
)

// ErrForeignToken is returned by RefreshTokens for the token of another client.
var ErrForeignToken = errors.New("oauth: the token was issued to another client")

// RefreshTokens knows the refresh tokens that were issued. They are opaque texts
// without dots, unlike access tokens, and do not begin as an API key does.
type RefreshTokens interface {
	// Revoke revokes a refresh token of a client, and what was issued with it as
	// far as that is known (RFC 7009 §2.1). A token that does not exist, or counts
	// no more, is no error; that of another client is ErrForeignToken.
	Revoke(ctx context.Context, token, clientID string) error
	// Introspect returns what a refresh token says; false for one that does not
	// count.
	Introspect(ctx context.Context, token string) (Claims, bool, error)
}
