package oauth

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/remote"
)

// maxExternalName limits the subject and the client of an external token, in bytes, since
// the audit trail keeps them.
const maxExternalName = 255

// externalClaims are the claims of an external token: the registered ones, and all claims
// by their exact names.
type externalClaims struct {
	jwt.RegisteredClaims
	all map[string]any
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *externalClaims) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &c.all); err != nil {
		return err
	}
	return json.Unmarshal(text, &c.RegisteredClaims)
}

// Validate implements jwt.ClaimsValidator; the library checks iss, aud and exp.
func (c *externalClaims) Validate() error {
	if !isName(c.Subject) {
		return errors.New("sub is missing, too long, or no text")
	}
	return nil
}

// isName reports whether a text can be a name in the audit trail.
func isName(text string) bool {
	return text != "" && len(text) <= maxExternalName && !strings.ContainsFunc(text, unicode.IsControl)
}

// idTokenClaims are claims that only ID tokens have (OpenID Connect Core §2, §3.1.3.6,
// §3.3.2.11).
var idTokenClaims = []string{"nonce", "at_hash", "c_hash"}

// claims turns the claims of an external token into those of a token of our own.
func (e *externalIssuer) claims(c externalClaims) (bearer.Claims, error) {
	// RFC 8725 §3.11 and §3.12: without a typ of its own, an ID token can only be told
	// from an access token by its claims.
	for _, name := range idTokenClaims {
		if _, ok := c.all[name]; ok {
			return bearer.Claims{}, refuse(errNotAccessToken)
		}
	}
	tenant, ok := e.tenant(c.all)
	if !ok {
		return bearer.Claims{}, bearer.InvalidToken("the token is not for a tenant of its issuer")
	}
	client, _ := remote.Claim(c.all, cmp.Or(e.Claims.Client, "client_id")).(string)
	if !isName(client) {
		return bearer.Claims{}, refuse(errNoClient)
	}
	return bearer.Claims{
		Subject: e.Name + ":" + c.Subject, ClientID: e.Name + ":" + client, Tenant: tenant, Scopes: e.scopes(c.all),
		Expires: c.ExpiresAt.UTC(), ID: c.ID, External: true,
	}, nil
}

var errNoClient = errors.New("the client is missing")

// tenant returns the tenant of a token: the only tenant of its issuer, or the one that
// the token names, if it is among the issuer's. It is never empty, which would mean the
// platform.
func (e *externalIssuer) tenant(all map[string]any) (string, bool) {
	if e.Claims.Tenant == "" {
		return e.Tenants[0], true
	}
	name, _ := remote.Claim(all, e.Claims.Tenant).(string)
	return name, slices.Contains(e.Tenants, name)
}

// scopes returns our scopes that a token holds, in our order.
func (e *externalIssuer) scopes(all map[string]any) []string {
	held := map[string]bool{}
	for _, value := range remote.Texts(remote.Claim(all, cmp.Or(e.Claims.Scope, "scope"))) {
		if e.Grants == nil {
			held[value] = true
			continue
		}
		for _, scope := range e.Grants[value] {
			held[scope] = true
		}
	}
	// The platform's scope is not among them.
	return slices.DeleteFunc(bearer.TenantScopes(), func(scope string) bool { return !held[scope] })
}

// claimedIssuer returns the iss of a token that is not verified yet, in order to choose
// who verifies it; "" if it cannot be read.
func claimedIssuer(token string) string {
	_, rest, _ := strings.Cut(token, ".")
	claims, _, _ := strings.Cut(rest, ".")
	text, err := base64.RawURLEncoding.DecodeString(claims)
	if err != nil {
		return ""
	}
	var c struct {
		Issuer string `json:"iss"`
	}
	if json.Unmarshal(text, &c) != nil {
		return ""
	}
	return c.Issuer
}
