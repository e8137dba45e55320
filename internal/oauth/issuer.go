package oauth

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/clock"
)

// The paths of the issuer, below Config.Issuer.
const (
	TokenPath    = "/oauth2/token"
	KeySetPath   = "/.well-known/jwks.json"
	MetadataPath = "/.well-known/oauth-authorization-server"
)

// tokenType is the typ of an access token (RFC 9068 §2.1). It keeps other JWTs of
// the same issuer from being taken for one.
const tokenType = "at+jwt"

// Issuer is the embedded authorization server.
type Issuer struct {
	config  Config
	clients Clients
	keys    *KeyRing
	clock   clock.Clock
	log     *slog.Logger
}

// NewIssuer returns an issuer, or an error for an unusable configuration.
func NewIssuer(config Config, clients Clients, keys *KeyRing, c clock.Clock, log *slog.Logger) (*Issuer, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	return &Issuer{config: config, clients: clients, keys: keys, clock: c, log: log}, nil
}

// Handler serves TokenPath, KeySetPath and MetadataPath.
func (i *Issuer) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+TokenPath, i.token)
	mux.HandleFunc("GET "+KeySetPath, i.keySet)
	mux.HandleFunc("GET "+MetadataPath, i.metadata)
	return mux
}

// issue signs an access token for a client, with Ed25519; what is another for a
// user who acts through it, edits say. RFC 9068 §2.1 wants
// RS256 supported too: the Verifier does, the issuer leaves it out, as its tokens
// are meant for this service, and a signature many times as dear to make, and four
// times as long, would serve nobody.
func (i *Issuer) issue(ctx context.Context, client Client, scopes []string, edits ...func(*accessClaims)) (string, error) {
	key, err := i.keys.signer(ctx)
	if err != nil {
		return "", err
	}
	now := i.clock.Now()
	claims := accessClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: i.config.Issuer,
			// RFC 9068 §2.2: where no resource owner takes part, sub names the client.
			Subject:   client.ID,
			Audience:  jwt.ClaimStrings{i.config.Audience},
			IssuedAt:  jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(now.Add(TokenLifetime)),
			ID:        rand.Text(),
		},
		ClientID: client.ID,
		Scope:    strings.Join(scopes, " "),
	}
	if client.TenantIdentifier != "" {
		claims.Tenant = &client.TenantIdentifier
	}
	for _, edit := range edits {
		edit(&claims)
	}
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims)
	token.Header["typ"] = tokenType
	token.Header["kid"] = key.id
	signed, err := token.SignedString(key.private)
	if err != nil {
		return "", fmt.Errorf("oauth: sign: %w", err)
	}
	return signed, nil
}
