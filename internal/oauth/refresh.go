package oauth

import "context"

// RefreshTokens is what revocation (RFC 7009) and introspection (RFC 7662) need of
// refresh tokens.
type RefreshTokens interface {
	// Revoke ends what a refresh token of a client belongs to, the tokens made with
	// it among it. It changes nothing for a token that is not one, or another
	// client's.
	Revoke(ctx context.Context, token, clientID string) error
	// Introspect returns what a refresh token says; false for one that does not
	// count.
	Introspect(ctx context.Context, token string) (*Claims, bool, error)
}

// RefreshTokens returns the refresh tokens of people, nil where none can sign in.
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
	return t.people.Grants.endGrantOf(ctx, HashSecret(token), clientID)
}

// Introspect implements RefreshTokens.
func (t refreshTokens) Introspect(ctx context.Context, token string) (*Claims, bool, error) {
	g, tenantIdentifier, until, ok, err := t.people.Grants.grantOf(ctx, HashSecret(token), t.clock.Now())
	if err != nil || !ok {
		return nil, false, err
	}
	person, ok, err := t.people.People.Person(ctx, tenantIdentifier, g.userID)
	if err != nil || !ok {
		return nil, false, err
	}
	return &Claims{Subject: person.Username, ClientID: g.clientID, Tenant: tenantIdentifier, UserID: g.userID, GrantID: g.id,
		Scopes: intersect(g.scopes, person.Scopes), Expires: until}, true, nil
}
