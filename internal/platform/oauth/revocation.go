package oauth

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/problem"
)

// Revocations knows what became of tokens and their clients since the tokens were issued.
type Revocations interface {
	// Holder returns what the client that a token was issued to is now. It returns false
	// for a token that was revoked, and for one whose client is disabled, has expired or
	// was deleted, whoever has its name since.
	Holder(ctx context.Context, token bearer.Claims, now time.Time) (Holder, bool, error)
}

// Holder is what counts of a token's client as it is now.
type Holder struct {
	Scopes []string
	// Since is when the client was created.
	Since time.Time
}

// HeedRevocations makes the verifier judge tokens by their clients as they are now. It
// asks about each token at most every ten seconds, and remembers the answer only for
// tokens that it remembers anyway. It must be called before the first request.
func (v *Verifier) HeedRevocations(r Revocations) { v.revocations = r }

// asHeld refuses a token that counts no more, and leaves the others the scopes that their
// clients still have. Tokens of other issuers are revoked there.
func (v *Verifier) asHeld(ctx context.Context, c bearer.Claims) (bearer.Claims, error) {
	if v.revocations == nil || c.External {
		return c, nil
	}
	holder, counts, err := v.revocations.Holder(ctx, c, v.clock.Now())
	if err == nil && !counts {
		err = bearer.InvalidToken("the token was revoked")
	}
	if err != nil {
		return bearer.Claims{}, err
	}
	c.Scopes, c.Since = heldBy(c.Scopes, holder.Scopes), holder.Since
	return c, nil
}

// current returns the claims of a token of ours, as verify does, but without using what
// this server remembers.
func (v *Verifier) current(ctx context.Context, token string) (bearer.Claims, error) {
	v.forget(token)
	claims, err := v.readOwn(ctx, token)
	if err == nil {
		claims, err = v.asHeld(ctx, claims)
	}
	return claims, err
}

// forget makes the server check a token in full at its next request.
func (v *Verifier) forget(token string) { v.seen.Remove(hashOf(token)) }

// Revoker revokes tokens and keys. Its caller has checked whose they are.
type Revoker interface {
	// RevokeToken revokes an access token of a client. Revoking it again changes nothing.
	RevokeToken(ctx context.Context, token bearer.Claims) error
	// RevokeAPIKey revokes an API key of a client.
	RevokeAPIKey(ctx context.Context, key APIKey) error
}

// TokenServices are what revocation and introspection need.
type TokenServices struct {
	// Verifier verifies the tokens of the issuer, and API keys if it accepts them.
	Verifier *Verifier
	Revoker  Revoker
	// Refresh is nil if no refresh tokens are issued.
	Refresh RefreshTokens
}

// ServeTokens makes the issuer serve RevocationPath and IntrospectionPath. It must be
// called before Handler.
func (i *Issuer) ServeTokens(s TokenServices) { i.tokens = &s }

// revoke is the revocation endpoint (RFC 7009).
func (i *Issuer) revoke(w http.ResponseWriter, r *http.Request) {
	noStore(w)
	client, form, err := i.ofClient(w, r)
	if err == nil {
		err = i.revokeOf(r.Context(), client, form.Get("token"))
		i.tokens.Verifier.Forget() // a refresh token ends others, too
	}
	if err != nil {
		i.refuseForm(w, r, err)
		return
	}
	w.WriteHeader(http.StatusOK)
}

// revokeOf revokes a token of a client. RFC 7009 §2.2: "invalid tokens do not
// cause an error response since the client cannot handle such an error in a
// reasonable way".
func (i *Issuer) revokeOf(ctx context.Context, client Client, token string) error {
	switch {
	case looksLikeAPIKey(token):
		key, err := i.tokens.Verifier.apiKey(ctx, token)
		if err != nil {
			return unlessInvalid(err)
		}
		if key.ClientID != client.ID {
			return errForeignToken
		}
		return i.tokens.Revoker.RevokeAPIKey(ctx, key)
	case isJWT(token):
		claims, err := i.tokens.Verifier.current(ctx, token)
		if err != nil {
			return unlessInvalid(err)
		}
		if claims.ClientID != client.ID {
			return errForeignToken
		}
		return i.tokens.Revoker.RevokeToken(ctx, claims)
	case i.tokens.Refresh == nil:
		return nil
	}
	err := i.tokens.Refresh.Revoke(ctx, token, client.ID)
	if errors.Is(err, ErrForeignToken) {
		return errForeignToken
	}
	return err
}

// errForeignToken is the answer for a token of another client. RFC 7009 §2.1: "If
// this validation fails, the request is refused and the client is informed of the
// error"; RFC 6749 §5.2 has a code for what "was issued to another client".
var errForeignToken = &tokenError{http.StatusBadRequest, "invalid_grant", "the token was issued to another client"}

// unlessInvalid drops the refusal of a token that is no longer valid, and keeps faults of
// the server.
func unlessInvalid(err error) error {
	var refused *problem.Error
	if errors.As(err, &refused) && refused.Status == http.StatusUnauthorized {
		return nil
	}
	return err
}

// isJWT tells access tokens from refresh tokens, which have no dots. A token_type_hint is
// not needed, and a wrong one must have no effect (RFC 7009 §2.1).
func isJWT(token string) bool { return strings.Count(token, ".") == 2 }

// ofClient authenticates the client of a request about a token.
func (i *Issuer) ofClient(w http.ResponseWriter, r *http.Request) (Client, url.Values, error) {
	form, err := readForm(w, r)
	if err != nil {
		return Client{}, nil, err
	}
	client, err := i.authenticated(r, form)
	if err != nil {
		return Client{}, nil, err
	}
	if token := form.Get("token"); token == "" {
		err = badTokenRequest("token is missing")
	} else if len(token) > maxToken {
		err = badTokenRequest("token is too long")
	}
	return client, form, err
}

// noStore keeps answers about tokens out of caches.
func noStore(w http.ResponseWriter) {
	// RFC 6749 §5.1: both headers "in any response containing tokens".
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Pragma", "no-cache")
}

// refuseForm answers a client's request that failed: as RFC 6749 §5.2 says, or, for a
// fault of the server, with 503. RFC 7009 §2.2.1: "the client must assume the token still
// exists and may retry after a reasonable delay".
func (i *Issuer) refuseForm(w http.ResponseWriter, r *http.Request, err error) {
	var refused *tokenError
	if errors.As(err, &refused) {
		refused.write(w)
		return
	}
	if r.Context().Err() == nil { // that the client has left is no fault
		i.log.ErrorContext(r.Context(), "cannot serve a request about a token", slog.String("path", r.URL.Path), slog.Any("error", err))
	}
	away := problem.Refused(http.StatusServiceUnavailable, "the request could not be answered")
	away.RetryAfter = retryAfter
	Refuse(w, away)
}

// retryAfter is the wait before another try, in seconds.
const retryAfter = 5

// RevokedToken is a revoked access token.
type RevokedToken struct {
	ID, ClientID string
	// Expires is when the revocation is no longer needed.
	Expires time.Time
}
