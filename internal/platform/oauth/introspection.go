package oauth

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// introspection is the answer of RFC 7662 §2.2. Only Active is present for a token that
// is not valid, or that the client may not ask about.
type introspection struct {
	Active    bool   `json:"active"`
	Scope     string `json:"scope,omitempty"`
	ClientID  string `json:"client_id,omitempty"`
	TokenType string `json:"token_type,omitempty"`
	Expires   int64  `json:"exp,omitempty"` // seconds
	Subject   string `json:"sub,omitempty"`
	Audience  string `json:"aud,omitempty"`
	Issuer    string `json:"iss,omitempty"`
	ID        string `json:"jti,omitempty"`
	// Tenant is our own member; absent for clients of the platform.
	Tenant string `json:"tenant,omitempty"`
}

// introspect is the introspection endpoint (RFC 7662).
func (i *Issuer) introspect(w http.ResponseWriter, r *http.Request) {
	noStore(w)
	client, form, err := i.ofClient(w, r)
	if err != nil {
		i.refuseForm(w, r, err)
		return
	}
	answer, err := i.introspectFor(r.Context(), client, form.Get("token"))
	if err != nil {
		i.refuseForm(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, "application/json", answer)
}

// introspectFor returns what a client may know about a token. RFC 7662 §2.2: a token that
// the client may not ask about is answered like one that does not exist.
func (i *Issuer) introspectFor(ctx context.Context, client Client, token string) (introspection, error) {
	claims, tokenType, err := i.claimsOf(ctx, token)
	if err != nil {
		return introspection{}, unlessInvalid(err)
	}
	if tokenType == "" || !client.mayInspect(claims) {
		return introspection{}, nil
	}
	answer := introspection{
		Active: true, Scope: strings.Join(claims.Scopes, " "), ClientID: claims.ClientID, TokenType: tokenType,
		Subject: claims.Subject, Audience: i.config.Audience, Issuer: i.config.Issuer, ID: claims.ID, Tenant: claims.Tenant,
	}
	if !claims.Expires.IsZero() {
		answer.Expires = claims.Expires.Unix()
	}
	return answer, nil
}

// claimsOf returns the claims and the type of a token of any kind. The type is empty for
// a text that is no token.
func (i *Issuer) claimsOf(ctx context.Context, token string) (c bearer.Claims, tokenType string, err error) {
	switch {
	case looksLikeAPIKey(token):
		key, err := i.tokens.Verifier.apiKey(ctx, token)
		c = bearer.Claims{Subject: key.ClientID, ClientID: key.ClientID, Tenant: key.TenantIdentifier, Scopes: key.Scopes}
		if key.Expires != nil {
			c.Expires = *key.Expires
		}
		return c, "Bearer", err
	case isJWT(token):
		c, err = i.tokens.Verifier.current(ctx, token)
		return c, "Bearer", err
	case i.tokens.Refresh == nil:
		return c, "", nil
	}
	c, counts, err := i.tokens.Refresh.Introspect(ctx, token)
	if !counts {
		return c, "", err
	}
	return c, "refresh_token", err
}

// mayInspect reports whether a client may ask about a token: its own; with read:tokens,
// those of its tenant; for a client of the platform that may act in any tenant, all.
func (c Client) mayInspect(token bearer.Claims) bool {
	switch {
	case token.ClientID == c.ID:
		return true
	case !slices.Contains(c.Scopes, bearer.ReadTokens):
		return false
	case c.TenantIdentifier == "":
		return slices.Contains(c.Scopes, bearer.PlatformTenants)
	}
	return token.Tenant == c.TenantIdentifier
}
