package oauth

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"

	"github.com/golang-jwt/jwt/v5"
	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/uplinehq/upline/internal/clock"
)

const (
	// maxToken bounds a token, in bytes. Ours have about 700.
	maxToken = 8 << 10
	// cachedTokens bounds the memory of verified tokens, to about 2 MiB.
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

// VerificationKeys finds the key of a token. KeyRing is one; for another issuer,
// keyfunc.Keyfunc of github.com/MicahParks/keyfunc is.
type VerificationKeys interface {
	// KeyfuncCtx returns the function that finds keys for one request. The key
	// must be used with one algorithm only.
	KeyfuncCtx(ctx context.Context) jwt.Keyfunc
}

// Verifier verifies the access tokens of one issuer.
type Verifier struct {
	keys   VerificationKeys
	parser *jwt.Parser
	clock  clock.Clock
	// apiKeys is nil where no keys are accepted.
	apiKeys *apiKeys

	// seen are tokens that were verified before, by their SHA-256. Checking a
	// signature costs about 50 microseconds, half as much as a whole read, and a
	// client sends the same token for an hour. The hash keeps tokens, which are
	// credentials, out of memory that lives on. A key that is withdrawn early
	// still serves the tokens in here until they expire, or the server restarts.
	seen *lru.Cache[[sha256.Size]byte, Claims]
}

// NewVerifier returns a verifier, or an error for an unusable configuration.
func NewVerifier(config Config, keys VerificationKeys, c clock.Clock) (*Verifier, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	seen, err := lru.New[[sha256.Size]byte, Claims](cachedTokens)
	if err != nil {
		return nil, err
	}
	parser := jwt.NewParser(
		jwt.WithValidMethods(algorithms),
		jwt.WithIssuer(config.Issuer),
		jwt.WithAudience(config.Audience),
		jwt.WithExpirationRequired(),
		jwt.WithLeeway(Leeway),
		jwt.WithTimeFunc(c.Now),
		jwt.WithStrictDecoding(),
	)
	return &Verifier{keys: keys, parser: parser, clock: c, seen: seen}, nil
}

// Authenticate returns the claims of a request's bearer token. A refusal is an
// *Error; any other error is a fault of the server.
func (v *Verifier) Authenticate(r *http.Request) (Claims, error) {
	token, err := bearerToken(r)
	if err != nil {
		return Claims{}, err
	}
	if v.apiKeys != nil && looksLikeAPIKey(token) {
		return v.verifyKey(r.Context(), token)
	}
	return v.verify(r.Context(), token)
}

// bearerToken returns the token of the Authorization header, the only place where
// one is accepted: RFC 6750 §5.3, "Don't pass bearer tokens in page URLs", since
// URLs end up in logs.
func bearerToken(r *http.Request) (string, error) {
	if r.URL.Query().Has("access_token") {
		return "", invalidRequest("the token must be sent in the Authorization header")
	}
	headers := r.Header.Values("Authorization")
	switch len(headers) {
	case 0:
		return "", noCredentials()
	case 1:
	default:
		return "", invalidRequest("the Authorization header is repeated")
	}
	// RFC 9110 §11.1: the name of a scheme is case-insensitive. Another scheme
	// counts as no credentials (RFC 6750 §3.1).
	scheme, token, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", noCredentials()
	}
	token = strings.Trim(token, " ")
	if token == "" || len(token) > maxToken {
		return "", invalidToken("the token is malformed")
	}
	return token, nil
}

func (v *Verifier) verify(ctx context.Context, token string) (Claims, error) {
	hash := sha256.Sum256([]byte(token))
	if claims, ok := v.seen.Get(hash); ok {
		if v.clock.Now().Before(claims.Expires.Add(Leeway)) {
			return claims, nil
		}
		v.seen.Remove(hash)
	}
	var parsed accessClaims
	if _, err := v.parser.ParseWithClaims(token, &parsed, v.keyfunc(ctx)); err != nil {
		return Claims{}, refuse(err)
	}
	claims := Claims{
		Subject:  parsed.Subject,
		ClientID: parsed.ClientID,
		Scopes:   strings.Fields(parsed.Scope),
		Expires:  parsed.ExpiresAt.UTC(),
		ID:       parsed.ID,
		UserID:   parsed.UserID,
	}
	if parsed.Tenant != nil {
		claims.Tenant = *parsed.Tenant
	}
	v.seen.Add(hash, claims)
	return claims, nil
}

// keyfunc checks the header before it looks for the key.
func (v *Verifier) keyfunc(ctx context.Context) jwt.Keyfunc {
	find := v.keys.KeyfuncCtx(ctx)
	return func(t *jwt.Token) (any, error) {
		// RFC 9068 §4: "The resource server MUST verify that the "typ" header value
		// is "at+jwt" or "application/at+jwt" and reject tokens carrying any other
		// value". Media types are case-insensitive.
		typ, _ := t.Header["typ"].(string)
		if typ = strings.ToLower(typ); typ != tokenType && typ != "application/"+tokenType {
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

// refusals are the descriptions of what can be wrong, the first that fits. What
// concerns the claims is said only of tokens whose signature is good.
var refusals = []struct {
	err         error
	description string
}{
	{jwt.ErrTokenMalformed, "the token is malformed"},
	{errNotAccessToken, "the token is not an access token"},
	{jwt.ErrTokenExpired, "the token has expired"},
	{jwt.ErrTokenNotValidYet, "the token is not valid yet"},
	{jwt.ErrTokenInvalidIssuer, "the token is from another issuer"},
	{jwt.ErrTokenInvalidAudience, "the token is for another audience"},
}

func refuse(err error) error {
	if errors.Is(err, errKeysUnavailable) {
		return err
	}
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			return invalidToken(r.description)
		}
	}
	return invalidToken("the token is not valid")
}
