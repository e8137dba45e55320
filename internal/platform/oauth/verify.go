package oauth

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/problem"
)

const (
	// maxToken bounds a token, in bytes. Ours have about 700.
	maxToken = 8 << 10
	// tokenKept is how long a good token is remembered, and so how long a token may still
	// be accepted after it was revoked, or its key withdrawn. It is the same for API
	// keys.
	tokenKept = apiKeyKept
	// cachedTokens limits the memory of verified tokens to about 2 MiB.
	cachedTokens = 4096
)

// algorithms are those a token may be signed with. None is symmetric, so nobody
// can sign with a published key as the secret, and "none" is not among them (RFC
// 9068 §4: "The resource server MUST reject any JWT in which the value of "alg" is
// "none""). A key further limits it to its own.
var algorithms = []string{"EdDSA", "RS256", "ES256", "PS256"}

var (
	errNotAccessToken = errors.New("not an access token")
	errCritical       = errors.New("critical header parameters")
)

// VerificationKeys finds the key of a token. keyring.Ring is one; for another issuer,
// keyfunc.Keyfunc of github.com/MicahParks/keyfunc is.
type VerificationKeys interface {
	// KeyfuncCtx returns the function that finds keys for one request. The key
	// must be used with one algorithm only.
	KeyfuncCtx(ctx context.Context) jwt.Keyfunc
}

// Verifier verifies access tokens: those of the embedded issuer, and of others that
// it was told to accept.
type Verifier struct {
	issuer string
	keys   VerificationKeys
	parser *jwt.Parser
	clock  clock.Clock
	// apiKeys is nil if no API keys are accepted.
	apiKeys *apiKeys
	// revocations is nil if no token is ever revoked.
	revocations Revocations
	// external are the other issuers whose tokens are accepted, by their iss.
	external map[string]*externalIssuer
	// grants is nil if no grant can end.
	grants *liveGrants

	// seen are recently verified tokens, by their SHA-256. Checking a signature costs
	// about 50 microseconds, half as much as a whole read, and a busy client sends the
	// same token again and again. Only hashes are kept, since tokens are credentials.
	seen *lru.Cache[[sha256.Size]byte, seenToken]
	// forgotten counts the calls of Forget: what was read before one is not remembered after.
	forgotten atomic.Int64
}

// Forget makes the verifier read anew what became of tokens, keys and grants, at once after
// this process has changed it.
func (v *Verifier) Forget() {
	v.forgotten.Add(1)
	v.seen.Purge()
	if v.apiKeys != nil {
		v.apiKeys.seen.Purge()
		v.apiKeys.refused.Purge()
	}
	if v.grants != nil {
		v.grants.seen.Purge()
	}
}

// seenToken is a verified token, with the time until which it is accepted without another
// check.
type seenToken struct {
	bearer.Claims
	until time.Time
}

// NewVerifier returns a verifier, or an error for an unusable configuration.
func NewVerifier(config Config, keys VerificationKeys, c clock.Clock) (*Verifier, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	seen, err := lru.New[[sha256.Size]byte, seenToken](cachedTokens)
	if err != nil {
		return nil, err
	}
	parser := jwt.NewParser(
		jwt.WithValidMethods(algorithms),
		jwt.WithIssuer(config.Issuer),
		jwt.WithAudience(config.Audience),
		jwt.WithExpirationRequired(),
		jwt.WithLeeway(keyring.Leeway),
		jwt.WithTimeFunc(c.Now),
		jwt.WithStrictDecoding(),
	)
	return &Verifier{issuer: config.Issuer, keys: keys, parser: parser, clock: c, seen: seen}, nil
}

// Authenticate returns the claims of a request's bearer token. A refusal is a
// *problem.Error; any other error is a fault of the server.
func (v *Verifier) Authenticate(ctx context.Context, r *http.Request) (bearer.Claims, error) {
	token, err := bearerToken(r)
	if err != nil {
		return bearer.Claims{}, err
	}
	if v.apiKeys != nil && looksLikeAPIKey(token) {
		return v.verifyKey(ctx, token)
	}
	claims, err := v.verify(ctx, token)
	if err == nil {
		err = v.ended(ctx, claims)
	}
	if err != nil {
		return bearer.Claims{}, err
	}
	return claims, nil
}

// bearerToken returns the token of the Authorization header, the only place where
// one is accepted: RFC 6750 §5.3, "Don't pass bearer tokens in page URLs", since
// URLs end up in logs.
func bearerToken(r *http.Request) (string, error) {
	if r.URL.RawQuery != "" && r.URL.Query().Has("access_token") {
		return "", bearer.InvalidRequest("the token must be sent in the Authorization header")
	}
	headers := r.Header.Values("Authorization")
	switch len(headers) {
	case 0:
		return "", bearer.NoCredentials()
	case 1:
	default:
		return "", bearer.InvalidRequest("the Authorization header is repeated")
	}
	// RFC 9110 §11.1: the name of a scheme is case-insensitive. Another scheme
	// counts as no credentials (RFC 6750 §3.1).
	scheme, token, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", bearer.NoCredentials()
	}
	token = strings.Trim(token, " ")
	if token == "" || len(token) > maxToken {
		return "", bearer.InvalidToken("the token is malformed")
	}
	return token, nil
}

// verify returns the claims of a valid token.
func (v *Verifier) verify(ctx context.Context, token string) (bearer.Claims, error) {
	hash, now := hashOf(token), v.clock.Now()
	if known, ok := v.seen.Get(hash); ok && now.Before(known.until) {
		return known.Claims, nil
	}
	forgotten := v.forgotten.Load()
	claims, err := v.read(ctx, token)
	if err == nil {
		claims, err = v.asHeld(ctx, claims)
	}
	if err != nil {
		v.seen.Remove(hash)
		return bearer.Claims{}, err
	}
	if forgotten != v.forgotten.Load() {
		return claims, nil
	}
	until := now.Add(tokenKept)
	if end := claims.Expires.Add(keyring.Leeway); end.Before(until) {
		until = end
	}
	v.seen.Add(hash, seenToken{claims, until})
	return claims, nil
}

// hashOf is the hash of a token, for which a token of the usual length is not copied to
// the heap.
func hashOf(token string) [sha256.Size]byte {
	var room [1 << 10]byte
	return sha256.Sum256(append(room[:0], token...))
}

// read checks the signature and the claims of a token of any issuer.
func (v *Verifier) read(ctx context.Context, token string) (bearer.Claims, error) {
	if len(v.external) > 0 {
		if issuer := v.external[claimedIssuer(token)]; issuer != nil {
			return issuer.read(ctx, token)
		}
	}
	return v.readOwn(ctx, token)
}

// readOwn checks the signature and the claims of a token of the embedded issuer.
func (v *Verifier) readOwn(ctx context.Context, token string) (bearer.Claims, error) {
	var parsed bearer.AccessClaims
	if _, err := v.parser.ParseWithClaims(token, &parsed, accessTokens(v.keys.KeyfuncCtx(ctx), isAccessToken)); err != nil {
		return bearer.Claims{}, refuse(err)
	}
	if err := bearer.CheckMembers(token); err != nil {
		return bearer.Claims{}, refuse(err)
	}
	claims := bearer.Claims{
		Subject:  parsed.Subject,
		ClientID: parsed.ClientID,
		Scopes:   strings.Fields(parsed.Scope),
		Expires:  parsed.ExpiresAt.UTC(),
		ID:       parsed.ID,
		UserID:   parsed.UserID,
		GrantID:  parsed.GrantID,
		Client:   parsed.Client,
	}
	if parsed.Tenant != nil {
		claims.Tenant = *parsed.Tenant
	}
	return claims, nil
}

// accessTokens returns a function that checks the header of a token, its typ
// with isTyp, before find looks for the key.
//
// Header parameters that bring or name a key, jwk, jku, x5c and x5u (RFC 7515
// §4.1), are never read: the key is one that the issuer has published.
func accessTokens(find jwt.Keyfunc, isTyp func(string) bool) jwt.Keyfunc {
	return func(t *jwt.Token) (any, error) {
		if typ, _ := t.Header["typ"].(string); !isTyp(strings.TrimPrefix(strings.ToLower(typ), "application/")) {
			return nil, errNotAccessToken
		}
		// RFC 7515 §4.1.11: a token with critical extensions that the recipient
		// does not understand is invalid. We understand none.
		if _, ok := t.Header["crit"]; ok {
			return nil, errCritical
		}
		return find(t)
	}
}

// isAccessToken is the rule of RFC 9068 §4: "The resource server MUST verify that
// the "typ" header value is "at+jwt" or "application/at+jwt" and reject tokens
// carrying any other value". Media types are case-insensitive.
func isAccessToken(typ string) bool { return typ == tokenType }

// refusals are the descriptions of what can be wrong, the first that fits. What
// concerns the claims is said only of tokens whose signature is good.
var refusals = []struct {
	err         error
	description string
}{
	{jwt.ErrTokenMalformed, "the token is malformed"},
	{bearer.ErrMembers, "the token is malformed"},
	{errNotAccessToken, "the token is not an access token"},
	{jwt.ErrTokenExpired, "the token has expired"},
	{jwt.ErrTokenNotValidYet, "the token is not valid yet"},
	{jwt.ErrTokenInvalidIssuer, "the token is from another issuer"},
	{jwt.ErrTokenInvalidAudience, "the token is for another audience"},
}

func refuse(err error) error {
	var unavailable *problem.Error
	if errors.Is(err, keyring.ErrUnavailable) || errors.As(err, &unavailable) {
		return err
	}
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			return bearer.InvalidToken(r.description)
		}
	}
	return bearer.InvalidToken("the token is not valid")
}
