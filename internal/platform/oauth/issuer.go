package oauth

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
)

// The paths of the issuer, below Config.Issuer.
const (
	TokenPath         = "/oauth2/token"
	RevocationPath    = "/oauth2/revoke"
	IntrospectionPath = "/oauth2/introspect"
	KeySetPath        = "/.well-known/jwks.json"
	MetadataPath      = "/.well-known/oauth-authorization-server"
	// OpenIDPath serves the same document as MetadataPath, where programs that sign
	// people in look for it (OpenID Connect Discovery §4).
	OpenIDPath = "/.well-known/openid-configuration"
)

// tokenType is the typ of an access token (RFC 9068 §2.1). So other JWTs of the same
// issuer cannot pass for access tokens.
const tokenType = "at+jwt"

// Issuer is the embedded authorization server.
type Issuer struct {
	config  Config
	clients Clients
	keys    *keyring.Ring
	clock   clock.Clock
	log     *slog.Logger
	// tokens is nil if tokens are neither revoked nor introspected.
	tokens *TokenServices
	// people is nil if only clients get tokens.
	people *people
	// assertions is nil if clients authenticate with secrets alone.
	assertions Assertions
}

// NewIssuer returns an issuer, or an error for an unusable configuration.
func NewIssuer(config Config, clients Clients, keys *keyring.Ring, c clock.Clock, log *slog.Logger) (*Issuer, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	return &Issuer{config: config, clients: clients, keys: keys, clock: c, log: log}, nil
}

// Handler serves the paths above.
func (i *Issuer) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+TokenPath, i.token)
	if i.tokens != nil {
		mux.HandleFunc("POST "+RevocationPath, i.revoke)
		mux.HandleFunc("POST "+IntrospectionPath, i.introspect)
	}
	mux.HandleFunc("GET "+KeySetPath, i.keySet)
	mux.HandleFunc("GET "+MetadataPath, i.metadata)
	if i.people != nil {
		mux.HandleFunc("GET "+OpenIDPath, i.metadata)
		for path, serve := range map[string]http.HandlerFunc{AuthorizePath: i.authorize, SignInPath: i.signIn, SignOutPath: i.signOut} {
			mux.HandleFunc("GET "+path, serve)
			mux.HandleFunc("POST "+path, serve)
		}
		mux.HandleFunc("GET "+SessionPath, i.session)
		mux.HandleFunc("GET "+ArrivalPath+"{tenant}/{provider}", i.arrive)
		mux.HandleFunc("POST "+DeparturePath+"{tenant}/{provider}", i.depart)
	}
	if i.people != nil && i.tokens != nil {
		mux.HandleFunc("GET "+UserInfoPath, i.userInfo)
		mux.HandleFunc("POST "+UserInfoPath, i.userInfo)
	}
	return mux
}

// issue signs an access token for a client. The functions in edits change its claims for
// people.
func (i *Issuer) issue(ctx context.Context, client Client, scopes []string, edits ...func(*bearer.AccessClaims)) (string, error) {
	now := i.clock.Now()
	claims := bearer.AccessClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: i.config.Issuer,
			// RFC 9068 §2.2: if no resource owner takes part, sub names the client.
			Subject:   client.ID,
			Audience:  jwt.ClaimStrings{i.config.Audience},
			IssuedAt:  jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(now.Add(keyring.TokenLifetime)),
			ID:        rand.Text(),
		},
		ClientID: client.ID,
		Client:   client.Row,
		Scope:    strings.Join(scopes, " "),
	}
	if client.TenantIdentifier != "" {
		claims.Tenant = &client.TenantIdentifier
	}
	for _, edit := range edits {
		edit(&claims)
	}
	return i.keys.Sign(ctx, i.config.algorithm(), tokenType, claims)
}
