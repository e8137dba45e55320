// Package oauth issues access tokens to API clients and verifies them.
//
// The embedded issuer knows client credentials (RFC 6749 §4.4) and, for people,
// authorization codes with PKCE (§4.1, RFC 7636) and refresh tokens (§6). It
// answers with a JWT access token (RFC 9068) and, where a client asks who somebody
// is, an ID token (OpenID Connect Core). Who may sign in is asked of People.
// The Verifier checks the tokens of requests (RFC 6750) against the keys of the
// embedded issuer (keyring), or against the published keys of other issuers, and whether
// they were revoked (RFC 7009).
//
// The package authenticates. What a scope allows is decided where the operation
// is described, and the body of a refusal is written by the door that refuses.
package oauth

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
)

// ErrUnknownClient is returned by Clients for an id that no client has.
var ErrUnknownClient = errors.New("oauth: unknown client")

// Client is a program that can ask for tokens.
type Client struct {
	// ID is the client's public name, the client_id of RFC 6749.
	ID string
	// Row is the key of its row, which no later client of the same name gets.
	Row int64
	// Since is when it was created.
	Since time.Time
	// TenantIdentifier names the one tenant the client belongs to. It is empty
	// for a client of the platform.
	TenantIdentifier string
	// SecretHash is HashSecret of the client's secret.
	SecretHash []byte
	// PreviousSecretHash is the hash of the secret before the last rotation. It is valid
	// until PreviousUntil; nil if there is none.
	PreviousSecretHash []byte
	PreviousUntil      *time.Time
	// Expires is when the client expires; nil for never.
	Expires *time.Time
	// LastUsed is when the client last got a token, to some minutes; nil for
	// never.
	LastUsed *time.Time
	// Scopes are all scopes that the client may ask for.
	Scopes []string
	// Public clients have no secret (RFC 6749 §2.1). People sign in through clients with
	// RedirectURIs, and are sent back to one of them.
	Public       bool
	RedirectURIs []string
	// PublicKeys check the assertions of a client that signs them instead of sending a
	// secret (RFC 7523 §2.2), a JSON Web Key Set; empty for none.
	PublicKeys string
	// Disabled clients get no new tokens.
	Disabled bool
}

// Clients finds clients.
type Clients interface {
	// Client returns the client with an id, or ErrUnknownClient. Both should
	// take the same time.
	Client(ctx context.Context, clientID string) (Client, error)
	// ClientUsed notes when a client got a token.
	ClientUsed(ctx context.Context, clientID string, at time.Time) error
}

// Config says who issues tokens, and for whom.
type Config struct {
	// Issuer is the URL of the issuer, the iss of its tokens: https except on a
	// developer's machine, without query, fragment or final slash. The paths of
	// Handler are below it. When it has a path itself, the proxy in front must
	// also serve the metadata where RFC 8414 §3.1 puts it, before that path.
	Issuer string
	// Audience names the service the tokens are for, their aud. RFC 9068 §3: the
	// default resource, as requests cannot name one.
	Audience string
	// Algorithm signs the access tokens: EdDSA, also when it is empty, or RS256 for
	// programs that read them and know no other. The Verifier takes both: RFC 9068
	// §2.1 wants RS256 supported, and leaves the choice to the server. An Ed25519
	// signature takes a twentieth of the time to make, and a quarter of the space
	// in each request; RSA's is somewhat faster to verify, which the memory of
	// verified tokens makes up for.
	Algorithm string
}

func (c Config) algorithm() string { return cmp.Or(c.Algorithm, keyring.EdDSA) }

// check refuses an unusable configuration. It matters for more than typing mistakes: the
// JWT library takes an empty issuer or audience as "do not check".
func (c Config) check() error {
	if c.Audience == "" {
		return errors.New("oauth: the audience is empty")
	}
	if !keyring.CanSign(c.algorithm()) {
		return errors.New("oauth: tokens are signed with EdDSA or RS256")
	}
	// RFC 8414 §2: "a URL that uses the "https" scheme and has no query or
	// fragment components". TLS usually ends in front of this process, so plain
	// http is not refused here.
	u, err := url.Parse(c.Issuer)
	web := err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
	if !web || strings.ContainsAny(c.Issuer, "?#") || strings.HasSuffix(c.Issuer, "/") {
		return errors.New("oauth: the issuer is not a plain http(s) URL without a final slash")
	}
	return nil
}
