package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/problem"
)

// UserInfoPath tells a client who has signed in to it (OpenID Connect Core §5.3).
const UserInfoPath = "/oauth2/userinfo"

// The supported scopes of OpenID Connect (Core §5.4). They give no rights on the API:
// every public client may ask for them, and they only tell who somebody is. Without
// openid the others are unknown.
const (
	openIDScope  = "openid"
	profileScope = "profile"
	emailScope   = "email"
)

var openIDScopes = []string{openIDScope, profileScope, emailScope}

const (
	// idTokenType is the typ of an ID token; so it cannot pass for an access token.
	idTokenType = "JWT"
	// idTokenAlgorithm signs ID tokens, whatever signs access tokens. Discovery §3: "The
	// algorithm RS256 MUST be included"; clients that register none expect it
	// (Registration §2).
	idTokenAlgorithm = keyring.RS256
)

// identityClaims are the claims of an ID token (Core §2).
type identityClaims struct {
	jwt.RegisteredClaims
	AuthTime        *jwt.NumericDate `json:"auth_time,omitempty"`
	Nonce           string           `json:"nonce,omitempty"`
	AccessTokenHash string           `json:"at_hash,omitempty"`
	profile
}

// profile has the claims about a person, as far as they were asked for (Core §5.1).
type profile struct {
	// Tenant is our own claim.
	Tenant   string `json:"tenant"`
	Username string `json:"preferred_username,omitempty"`
	Email    string `json:"email,omitempty"`
	// EmailVerified is always false: an administrator enters addresses, and nobody
	// verifies them.
	EmailVerified *bool `json:"email_verified,omitempty"`
}

// claimsSupported names the claims above.
var claimsSupported = []string{"iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "tenant", "preferred_username", "email", "email_verified"}

// subjectOf is the sub of a person, which no other person of this issuer ever gets (Core
// §8). Usernames are unique in their tenant only.
func subjectOf(p Person) string { return strconv.FormatInt(p.UserID, 10) }

// profileOf returns the claims that scopes grant about a person.
func profileOf(p Person, scopes []string) profile {
	about := profile{Tenant: p.TenantIdentifier}
	if slices.Contains(scopes, profileScope) {
		about.Username = p.Username
	}
	if slices.Contains(scopes, emailScope) && p.Email != "" {
		about.Email, about.EmailVerified = p.Email, new(false)
	}
	return about
}

// asked returns the scopes that a request for a code names, or the client's if it names
// none.
func (c Client) asked(requested string) ([]string, error) {
	names := strings.Split(requested, " ")
	if !slices.Contains(names, openIDScope) {
		return c.narrow(requested)
	}
	who := intersect(openIDScopes, names)
	rights := slices.DeleteFunc(names, func(s string) bool { return slices.Contains(openIDScopes, s) })
	if len(rights) == 0 { // narrow takes no scopes as all scopes
		return who, nil
	}
	rights, err := c.narrow(strings.Join(rights, " "))
	return append(who, rights...), err
}

// heldBy returns the scopes that each of several sets holds; everybody holds those of
// OpenID Connect.
func heldBy(scopes []string, sets ...[]string) []string {
	return slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool {
		return !slices.Contains(openIDScopes, scope) && slices.ContainsFunc(sets, func(set []string) bool { return !slices.Contains(set, scope) })
	})
}

// idToken makes the ID token that goes with an access token of a grant.
func (i *Issuer) idToken(ctx context.Context, client Client, person Person, g grant, scopes []string, accessToken string) (string, error) {
	now := i.clock.Now()
	hash := sha256.Sum256([]byte(accessToken))
	claims := identityClaims{
		RegisteredClaims: jwt.RegisteredClaims{Issuer: i.config.Issuer, Subject: subjectOf(person), Audience: jwt.ClaimStrings{client.ID},
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(keyring.TokenLifetime))},
		Nonce: g.nonce,
		// Core §3.1.3.6: "the left-most half of the hash".
		AccessTokenHash: base64.RawURLEncoding.EncodeToString(hash[:len(hash)/2]),
		profile:         profileOf(person, scopes),
	}
	if g.signedInAt != nil {
		claims.AuthTime = jwt.NewNumericDate(*g.signedInAt)
	}
	return i.keys.Sign(ctx, idTokenAlgorithm, idTokenType, claims)
}

// errHint is returned for an id_token_hint that is no ID token of this issuer.
var errHint = errors.New("oauth: the id_token_hint is no ID token of this server")

var hints = jwt.NewParser(jwt.WithValidMethods([]string{idTokenAlgorithm}), jwt.WithoutClaimsValidation(), jwt.WithStrictDecoding())

// hinted reads an id_token_hint. RP-Initiated Logout §2: servers "SHOULD accept ID
// Tokens when the RP identified by the ID Token's aud claim and/or sid claim has a
// current session … even when the exp time has passed".
func (i *Issuer) hinted(ctx context.Context, token string) (subject, clientID string, err error) {
	if len(token) > maxToken {
		return "", "", errHint
	}
	var claims identityClaims
	_, err = hints.ParseWithClaims(token, &claims, accessTokens(i.keys.KeyfuncCtx(ctx), func(typ string) bool { return strings.EqualFold(typ, idTokenType) }))
	switch {
	case errors.Is(err, keyring.ErrUnavailable):
		return "", "", err
	case err != nil || claims.Issuer != i.config.Issuer || claims.Subject == "" || len(claims.Audience) != 1:
		return "", "", errHint
	}
	return claims.Subject, claims.Audience[0], nil
}

// userInfo is the UserInfo endpoint.
func (i *Issuer) userInfo(w http.ResponseWriter, r *http.Request) {
	noStore(w)
	answer, err := i.userInfoOf(r)
	var refused *problem.Error
	switch {
	case err == nil:
		writeJSON(w, http.StatusOK, "application/json", answer)
	case errors.As(err, &refused):
		if refused.Challenge != "" {
			w.Header().Set("WWW-Authenticate", refused.Challenge)
		}
		if refused.Status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
		}
		w.WriteHeader(refused.Status) // Core §5.3.3: the challenge says what is wrong
	default:
		i.refuseForm(w, r, err)
	}
}

// userInfoAnswer is the answer of Core §5.3.2.
type userInfoAnswer struct {
	Subject string `json:"sub"`
	profile
}

func (i *Issuer) userInfoOf(r *http.Request) (userInfoAnswer, error) {
	claims, err := i.tokens.Verifier.Authenticate(r.Context(), r)
	if err != nil {
		return userInfoAnswer{}, err
	}
	if claims.UserID == 0 || !slices.Contains(claims.Scopes, openIDScope) {
		return userInfoAnswer{}, bearer.InsufficientScope(openIDScope)
	}
	person, ok, err := i.people.People.Person(r.Context(), claims.Tenant, claims.UserID)
	if err != nil {
		return userInfoAnswer{}, err
	}
	if !ok {
		return userInfoAnswer{}, bearer.UserNotApproved()
	}
	return userInfoAnswer{subjectOf(person), profileOf(person, claims.Scopes)}, nil
}
