package oauth

import (
	"context"
	"errors"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// ErrForeignToken is returned by RefreshTokens for the token of another client.
var ErrForeignToken = errors.New("oauth: the token was issued to another client")

// RefreshTokens knows the refresh tokens that were issued. They are opaque texts
// without dots, unlike access tokens, and do not begin as an API key does.
type RefreshTokens interface {
	// Revoke revokes a refresh token of a client, and the tokens issued with it as far as
	// they are known (RFC 7009 §2.1). For a token that does not exist, or is no longer
	// valid, it returns no error; for another client's token, ErrForeignToken.
	Revoke(ctx context.Context, token, clientID string) error
	// Introspect returns the claims of a refresh token; false for one that is not valid.
	Introspect(ctx context.Context, token string) (bearer.Claims, bool, error)
}

// RefreshTokens returns the refresh tokens of people, nil if nobody can sign in.
func (i *Issuer) RefreshTokens() RefreshTokens {
	if i.people == nil {
		return nil
	}
	return refreshTokens{i}
}

type refreshTokens struct{ *Issuer }

// Revoke implements RefreshTokens. RFC 7009 §2.1: with a refresh token, "the
// authorization server SHOULD also invalidate all access tokens based on the same
// authorization grant".
func (t refreshTokens) Revoke(ctx context.Context, token, clientID string) error {
	hash := HashSecret(token)
	g, _, _, found, err := t.people.Grants.grantOf(ctx, hash, t.clock.Now())
	switch {
	case err != nil:
		return err
	case found && g.clientID != clientID:
		return ErrForeignToken
	}
	return t.people.Grants.endGrantOf(ctx, hash, clientID)
}

// Introspect implements RefreshTokens.
func (t refreshTokens) Introspect(ctx context.Context, token string) (bearer.Claims, bool, error) {
	g, tenantIdentifier, until, ok, err := t.people.Grants.grantOf(ctx, HashSecret(token), t.clock.Now())
	if err != nil || !ok {
		return bearer.Claims{}, false, err
	}
	client, err := t.signInClient(ctx, g.clientID)
	if errors.Is(err, invalidClient) {
		return bearer.Claims{}, false, nil
	}
	if err != nil {
		return bearer.Claims{}, false, err
	}
	person, ok, err := t.people.People.Person(ctx, tenantIdentifier, g.userID)
	if err != nil || !ok {
		return bearer.Claims{}, false, err
	}
	return bearer.Claims{Subject: person.Username, ClientID: g.clientID, Tenant: tenantIdentifier, UserID: g.userID, GrantID: g.id,
		Scopes: heldBy(g.scopes, client.Scopes, person.Scopes), Expires: until}, true, nil
}
