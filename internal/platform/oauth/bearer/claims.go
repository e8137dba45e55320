// Package bearer has what a bearer token says and how one is refused: its claims, the
// scopes that there are, and the challenges of RFC 6750. Package oauth issues tokens and
// verifies them.
package bearer

import (
	"errors"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Claims are the claims of a verified access token.
type Claims struct {
	// Subject is the user who acts, or for client credentials the client itself.
	Subject  string
	ClientID string
	// Client is the client's row. A later client of the same name has another one. It is
	// 0 in tokens that a server before version 0.1.0 issued.
	Client int64
	// Since is when the client was created; zero for a token of another issuer.
	Since time.Time
	// UserID is the id of the user who acts, in the tenant; 0 for a client.
	UserID int64
	// Tenant is the identifier of the only tenant the token is for. It is empty
	// for a client of the platform.
	Tenant string
	// Scopes must not be changed: requests with the same token share them.
	Scopes  []string
	Expires time.Time
	// ID is unique for each token.
	ID string
	// Renewable is set for the claims of an API key: after Expires the key can be
	// verified again, as long as it is valid.
	Renewable bool
	// External is true for a token of another issuer.
	External bool
	// GrantID is the grant that the token was made from, and with which it ends; 0 for
	// none.
	GrantID int64
}

// MayActIn reports whether the token may act in the tenant of a path: its own, or, for a
// client of the platform with platform:tenants, any.
func (c Claims) MayActIn(tenantIdentifier string) bool {
	switch {
	case tenantIdentifier == "":
		return false
	case c.Tenant == "":
		return slices.Contains(c.Scopes, PlatformTenants)
	default:
		return c.Tenant == tenantIdentifier
	}
}

// AccessClaims are the claims of an access token as RFC 9068 §2.2 names them.
type AccessClaims struct {
	jwt.RegisteredClaims
	ClientID string `json:"client_id"`
	// Tenant is our own claim; absent for clients of the platform.
	Tenant *string `json:"tenant,omitempty"`
	// Scope is separated by spaces (RFC 8693 §4.2).
	Scope string `json:"scope,omitempty"`
	// UserID and GrantID are our own claims, of tokens of people.
	UserID  int64 `json:"uid,omitempty"`
	GrantID int64 `json:"grant_id,omitempty"`
	// Client binds the token to the client that it was issued to, whose name another
	// client may get.
	Client int64 `json:"client,omitempty"`
}

// Validate implements jwt.ClaimsValidator; the library checks iss, aud and exp.
func (c AccessClaims) Validate() error {
	// RFC 9068 §2.2 requires these of every token.
	if c.Subject == "" || c.ClientID == "" || c.ID == "" || c.IssuedAt == nil {
		return errors.New("a required claim is missing")
	}
	// A user is one of a tenant's.
	if c.UserID < 0 || c.UserID != 0 && c.Tenant == nil {
		return errors.New("the uid claim names no user of a tenant")
	}
	// An empty tenant must not pass for the absent one, which is the platform's.
	if c.Tenant != nil && *c.Tenant == "" {
		return errors.New("the tenant claim is empty")
	}
	return nil
}
