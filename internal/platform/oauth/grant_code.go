package oauth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
)

const (
	grantAuthorizationCode = "authorization_code"
	grantRefreshToken      = "refresh_token"
)

// invalidGrant is the same answer for everything that can be wrong with a code or a
// refresh token (RFC 6749 §5.2).
var invalidGrant = &tokenError{http.StatusBadRequest, "invalid_grant", "the code or the refresh token is not valid, has expired, was used or is not this client's"}

// verifierPattern is RFC 7636 §4.1: "code-verifier = 43*128unreserved".
var verifierPattern = regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`)

// exchange serves the grants of people.
func (i *Issuer) exchange(r *http.Request, form url.Values) (*tokenResponse, error) {
	if i.people == nil {
		return nil, unsupportedGrant
	}
	if err := repeated(form, "code", "redirect_uri", "code_verifier", "refresh_token"); err != nil {
		return nil, err
	}
	client, err := i.exchanging(r, form)
	if err != nil {
		return nil, err
	}
	refresh := NewSecret()
	var g grant
	if form.Get("grant_type") == grantAuthorizationCode {
		g, err = i.redeem(r.Context(), client, form, refresh)
	} else {
		g, err = i.rotate(r.Context(), client, form, refresh)
	}
	if err != nil {
		return nil, err
	}
	return i.issueTo(r.Context(), client, g, form, refresh)
}

// exchanging returns the client that exchanges something. Public clients name themselves
// without proof: the code verifier and the rotation of refresh tokens take its place. RFC
// 6749 §2.3.1 and §3.2: one that sends credentials is either another client, or leaks them.
func (i *Issuer) exchanging(r *http.Request, form url.Values) (Client, error) {
	if len(r.Header.Values("Authorization")) > 0 || form.Get("client_secret") != "" || form.Has(assertionParameter) {
		client, err := i.authenticated(r, form)
		if err == nil && (len(client.RedirectURIs) == 0 || client.TenantIdentifier == "") {
			err = unauthorizedClient
		}
		return client, err
	}
	client, err := i.signInClient(r.Context(), form.Get("client_id"))
	if err == nil && !client.Public {
		err = invalidClient
	}
	return client, err
}

// unauthorizedClient is the answer to a client with which nobody signs in (RFC 6749 §5.2).
var unauthorizedClient = &tokenError{http.StatusBadRequest, "unauthorized_client", "nobody signs in with this client"}

func repeated(form url.Values, names ...string) error {
	for _, name := range names {
		if len(form[name]) > 1 {
			return badTokenRequest(name + " is repeated")
		}
	}
	return nil
}

// redeem exchanges a code. The code is used up even if something is wrong with the
// attempt.
func (i *Issuer) redeem(ctx context.Context, client Client, form url.Values, refresh string) (grant, error) {
	if form.Get("code") == "" {
		return grant{}, badTokenRequest("code is missing")
	}
	if form.Get("code_verifier") == "" && client.Public {
		return grant{}, badTokenRequest("code_verifier is missing")
	}
	now := i.clock.Now()
	g, err := i.people.Grants.redeem(ctx, HashSecret(form.Get("code")), now, refreshToken{HashSecret(refresh), now, now.Add(refreshIdle)}, func(g grant) bool {
		// RFC 6749 §4.1.3: "ensure that the authorization code was issued to the
		// authenticated … public client", "is valid", "ensure that the "redirect_uri"
		// parameter is present if … included in the initial authorization request …
		// and if included ensure that their values are identical."
		return g.clientID == client.ID && g.redirectURI == form.Get("redirect_uri") && verifies(form.Get("code_verifier"), g.challenge)
	})
	return g, i.grantError(ctx, client, g, err)
}

// verifies reports whether a verifier matches an S256 challenge (RFC 7636 §4.6). Without a
// challenge there must be none (RFC 9700 §2.1.1): somebody may have taken it away.
func verifies(verifier, challenge string) bool {
	if challenge == "" {
		return verifier == ""
	}
	if !verifierPattern.MatchString(verifier) {
		return false
	}
	hash := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(hash[:])), []byte(challenge)) == 1
}

// rotate exchanges a refresh token for the next one.
func (i *Issuer) rotate(ctx context.Context, client Client, form url.Values, refresh string) (grant, error) {
	if form.Get("refresh_token") == "" {
		return grant{}, badTokenRequest("refresh_token is missing")
	}
	now := i.clock.Now()
	g, err := i.people.Grants.rotate(ctx, HashSecret(form.Get("refresh_token")), client.ID, refreshToken{HashSecret(refresh), now, now.Add(refreshIdle)}, func(g grant) error {
		_, err := narrowed(form.Get("scope"), g.scopes)
		return err
	})
	return g, i.grantError(ctx, client, g, err)
}

// grantError returns the answer for a code or a token that is not valid. It logs one that
// was used before: somebody has a copy.
func (i *Issuer) grantError(ctx context.Context, client Client, g grant, err error) error {
	if errors.Is(err, errReplayed) {
		i.log.WarnContext(ctx, "a code or refresh token came twice: what was granted with it has ended",
			slog.String("clientId", client.ID), slog.Int64("userId", g.userID))
	}
	if errors.Is(err, errReplayed) || errors.Is(err, errNoGrant) {
		return invalidGrant
	}
	return err
}

// narrowed returns the requested scopes, which must be among those granted (RFC 6749 §6:
// "MUST NOT include any scope not originally granted").
func narrowed(requested string, granted []string) ([]string, error) {
	if requested == "" {
		return granted, nil
	}
	names := strings.Split(requested, " ")
	for _, name := range names {
		if !slices.Contains(granted, name) {
			return nil, invalidScope("a requested scope was not granted")
		}
	}
	return intersect(granted, names), nil
}

// issueTo makes the tokens of a grant. They have the granted scopes that the client and
// the user still hold.
func (i *Issuer) issueTo(ctx context.Context, client Client, g grant, form url.Values, refresh string) (*tokenResponse, error) {
	person, ok, err := i.people.People.Person(ctx, client.TenantIdentifier, g.userID)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, invalidGrant
	}
	scopes := g.scopes
	if form.Get("grant_type") == grantRefreshToken {
		if scopes, err = narrowed(form.Get("scope"), g.scopes); err != nil {
			return nil, err
		}
		g.nonce = "" // it was answered before; OpenID Connect Core §12.2
	}
	if scopes = heldBy(scopes, client.Scopes, person.Scopes); len(scopes) == 0 {
		return nil, invalidScope("the user holds no granted scope any more")
	}
	token, err := i.IssueToUser(ctx, client, person.Username, person.UserID, g.id, scopes)
	if err != nil {
		return nil, err
	}
	answer := &tokenResponse{AccessToken: token, TokenType: "Bearer", ExpiresIn: int(keyring.TokenLifetime / time.Second), Scope: strings.Join(scopes, " "), RefreshToken: refresh}
	if slices.Contains(scopes, openIDScope) {
		if answer.IDToken, err = i.idToken(ctx, client, person, g, scopes, token); err != nil {
			return nil, err
		}
	}
	i.noteUse(ctx, client)
	return answer, nil
}
