package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/platform/oauth/remote"
)

// ExternalIssuer is another authorization server whose access tokens are
// accepted, as the operator configures it.
type ExternalIssuer struct {
	// Name stands before the subjects and clients of its tokens, as in "okta:00u1", so
	// that they are never taken for ours.
	Name string `json:"name"`
	// Issuer is the iss of its tokens, compared exactly.
	Issuer string `json:"issuer"`
	// Audience is the value that the aud of its tokens must contain.
	Audience string `json:"audience"`
	// Algorithms are the algorithms it may sign with: RS256, PS256, ES256, EdDSA. Each of
	// its keys is used with only one of them.
	Algorithms []string `json:"algorithms"`
	// JWKSURI is the address of its keys. Without it, the address is taken from its
	// metadata: RFC 8414, or OpenID Connect Discovery.
	JWKSURI string `json:"jwksUri"`
	// Type is the typ of its access tokens: at+jwt by default. JWT is for issuers
	// that do not follow RFC 9068; tokens that look like ID tokens are refused.
	Type string `json:"type"`
	// Tenants are the tenants that it may issue tokens for.
	Tenants []string `json:"tenants"`
	// Claims are the names of the claims that we need.
	Claims ExternalClaims `json:"claims"`
	// Grants are the scopes for each value of the scope claim, if that holds roles or
	// foreign scopes. Without it the values are our scopes. Values that grant nothing are
	// ignored.
	Grants map[string][]string `json:"grants"`
}

// ExternalClaims are names of claims, or JSON pointers (RFC 6901) to nested ones,
// such as /realm_access/roles.
type ExternalClaims struct {
	// Tenant is optional for an issuer of one tenant.
	Tenant string `json:"tenant"`
	// Scope is a text of names separated by spaces, or a list; "scope" by default.
	Scope string `json:"scope"`
	// Client is "client_id" by default; others use azp or cid.
	Client string `json:"client"`
}

var externalName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// ParseExternalIssuers reads a configuration: a JSON array of issuers. It refuses unknown
// members, since a mistyped name could leave out a check.
func ParseExternalIssuers(text []byte) ([]ExternalIssuer, error) {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	var issuers []ExternalIssuer
	if err := d.Decode(&issuers); err != nil {
		return nil, fmt.Errorf("oauth: external issuers: %w", err)
	}
	if d.More() {
		return nil, errors.New("oauth: external issuers: text after the list")
	}
	return issuers, nil
}

// check refuses an unusable configuration. loopback allows http on this machine.
func (e ExternalIssuer) check(loopback bool) error {
	bad := func(text string) error { return fmt.Errorf("oauth: external issuer %q: %s", e.Name, text) }
	switch {
	case !externalName.MatchString(e.Name):
		return bad("the name must consist of lower-case letters, digits and dashes")
	case !remote.IsSecureURL(e.Issuer, loopback):
		return bad("issuer must be an https URL without query and fragment")
	case e.Audience == "":
		return bad("audience is required")
	case len(e.Algorithms) == 0:
		return bad("algorithms are required")
	case e.JWKSURI != "" && !remote.IsSecureURL(e.JWKSURI, loopback):
		return bad("jwksUri must be an https URL")
	case e.Type != "" && e.Type != typAccessToken && e.Type != typJWT:
		return bad("type must be at+jwt or JWT")
	case len(e.Tenants) == 0 || slices.Contains(e.Tenants, ""):
		return bad("tenants are required")
	case e.Claims.Tenant == "" && len(e.Tenants) > 1:
		return bad("claims.tenant is required for several tenants")
	}
	for _, name := range e.Algorithms {
		if !slices.Contains(algorithms, name) {
			return bad("algorithms must be of " + strings.Join(algorithms, ", "))
		}
	}
	for _, granted := range e.Grants {
		for _, scope := range granted {
			if !slices.Contains(bearer.TenantScopes(), scope) {
				return bad("grants name a scope that a tenant's token cannot hold: " + scope)
			}
		}
	}
	return nil
}

const (
	typAccessToken = tokenType
	typJWT         = "JWT"
)

// externalIssuer verifies the tokens of one issuer.
type externalIssuer struct {
	ExternalIssuer
	keys   *remote.Issuer
	parser *jwt.Parser
}

// AcceptIssuers makes the verifier accept tokens of other issuers besides its own.
// loopback allows issuers on this machine without https. It must be called before the
// first request.
func (v *Verifier) AcceptIssuers(issuers []ExternalIssuer, loopback bool, c clock.Clock, log *slog.Logger) error {
	// The operator's issuers may be anywhere, behind a proxy too. A redirect could lead away
	// from https, or from the issuer.
	client := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone(),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	all, names := map[string]*externalIssuer{}, map[string]bool{}
	for _, e := range issuers {
		if err := e.check(loopback); err != nil {
			return err
		}
		if all[e.Issuer] != nil || names[e.Name] || e.Issuer == v.issuer {
			return fmt.Errorf("oauth: external issuer %q: its name or issuer is in use", e.Name)
		}
		names[e.Name] = true
		all[e.Issuer] = &externalIssuer{e, remote.New(remote.Config{Name: e.Name, Issuer: e.Issuer, JWKSURI: e.JWKSURI, Algorithms: e.Algorithms, Loopback: loopback, Client: client, Clock: c, Log: log}), jwt.NewParser(
			jwt.WithValidMethods(e.Algorithms), jwt.WithIssuer(e.Issuer), jwt.WithAudience(e.Audience),
			jwt.WithExpirationRequired(), jwt.WithLeeway(keyring.Leeway), jwt.WithTimeFunc(c.Now), jwt.WithStrictDecoding(),
		)}
	}
	v.external = all
	return nil
}

// read checks the signature and the claims of a token that names this issuer.
func (e *externalIssuer) read(ctx context.Context, token string) (bearer.Claims, error) {
	var parsed externalClaims
	if _, err := e.parser.ParseWithClaims(token, &parsed, accessTokens(e.keys.Keyfunc(ctx), e.isTyp)); err != nil {
		return bearer.Claims{}, refuse(err)
	}
	if err := bearer.CheckMembers(token); err != nil {
		return bearer.Claims{}, refuse(err)
	}
	return e.claims(parsed)
}

// isTyp is isAccessToken for an issuer that may not follow RFC 9068.
func (e *externalIssuer) isTyp(typ string) bool {
	if e.Type == typJWT {
		return typ == strings.ToLower(typJWT) || typ == "" || isAccessToken(typ)
	}
	return isAccessToken(typ)
}
