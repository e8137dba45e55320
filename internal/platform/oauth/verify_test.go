package oauth_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/problem"
)

// anyKey answers every kid with one key.
type anyKey struct{ key any }

func (k anyKey) KeyfuncCtx(context.Context) jwt.Keyfunc {
	return func(*jwt.Token) (any, error) { return k.key, nil }
}

// goodClaims and goodHeader make a token that is accepted.
func goodClaims() jwt.MapClaims {
	return jwt.MapClaims{
		"iss": config.Issuer, "aud": config.Audience, "sub": "acme", "client_id": "acme", "tenant": "acme",
		"scope": "read:agents", "jti": "1", "iat": start.Unix(), "exp": start.Add(time.Hour).Unix(),
	}
}

func goodHeader() map[string]any { return map[string]any{"typ": "at+jwt", "kid": "k"} }

// sign signs a token; alg comes from the method unless the header says another.
func sign(t testing.TB, method jwt.SigningMethod, key any, header map[string]any, claims jwt.MapClaims) string {
	t.Helper()
	token := jwt.NewWithClaims(method, claims)
	maps.Copy(token.Header, header)
	for name, value := range header {
		if value == nil {
			delete(token.Header, name)
		}
	}
	signed, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// checkInvalid checks for the 401 of RFC 6750 §3.1.
func checkInvalid(t *testing.T, err error, description string) {
	t.Helper()
	var refused *problem.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusUnauthorized || refused.Message != description ||
		refused.Challenge != `Bearer realm="upline", error="invalid_token", error_description="`+description+`"` {
		t.Fatalf("got %#v", err)
	}
}

func TestTokenIsAcceptedAsIssued(t *testing.T) {
	w := newWorld(t)
	token := newToken(t, w.handler, set("scope", "read:agents read:users"))
	for _, pass := range []string{"first", "cached"} {
		claims, err := w.verifier.Authenticate(t.Context(), withToken(token))
		if err != nil {
			t.Fatal(pass, err)
		}
		if claims.Subject != "acme" || claims.ClientID != "acme" || claims.Tenant != "acme" || claims.ID == "" ||
			!slices.Equal(claims.Scopes, []string{"read:agents", "read:users"}) || !claims.Expires.Equal(start.Add(keyring.TokenLifetime)) {
			t.Fatalf("%s: %+v", pass, claims)
		}
	}
}

func TestRefusedTokens(t *testing.T) {
	public, private, _ := ed25519.GenerateKey(nil)
	claim := func(name string, value any) func(h map[string]any, c jwt.MapClaims) {
		return func(_ map[string]any, c jwt.MapClaims) {
			if c[name] = value; value == nil {
				delete(c, name)
			}
		}
	}
	head := func(name string, value any) func(h map[string]any, c jwt.MapClaims) {
		return func(h map[string]any, _ jwt.MapClaims) { h[name] = value }
	}
	at := func(d time.Duration) int64 { return start.Add(d).Unix() }
	const accepted = ""
	tests := []struct {
		name string
		edit func(h map[string]any, c jwt.MapClaims)
		want string
	}{
		{"as it should be", head("typ", "at+jwt"), accepted},
		{"RFC 9068 §4: typ with its prefix", head("typ", "application/at+jwt"), accepted},
		{"RFC 7515 §4.1.9: typ is case-insensitive", head("typ", "AT+JWT"), accepted},
		{"RFC 9068 §4: typ of an ID token", head("typ", "JWT"), "the token is not an access token"},
		{"RFC 9068 §4: no typ", head("typ", nil), "the token is not an access token"},
		{"RFC 9068 §4: typ that is no string", head("typ", 1), "the token is not an access token"},
		{"RFC 7515 §4.1.11: critical extensions", head("crit", []string{"b64"}), "the token is not valid"},

		{"RFC 9068 §4: another issuer", claim("iss", "https://evil.example"), "the token is from another issuer"},
		{"RFC 9068 §4: the issuer must match exactly", claim("iss", config.Issuer+"/"), "the token is from another issuer"},
		{"RFC 9068 §2.2: no iss", claim("iss", nil), "the token is not valid"},
		{"RFC 9068 §4: another audience", claim("aud", "https://other.example"), "the token is for another audience"},
		{"RFC 9068 §4: one of several audiences", claim("aud", []string{"https://other.example", config.Audience}), accepted},
		{"RFC 9068 §2.2: no aud", claim("aud", nil), "the token is not valid"},
		{"RFC 9068 §2.2: no exp", claim("exp", nil), "the token is not valid"},
		{"RFC 9068 §2.2: no sub", claim("sub", nil), "the token is not valid"},
		{"RFC 9068 §2.2: no client_id", claim("client_id", nil), "the token is not valid"},
		{"RFC 9068 §2.2: no iat", claim("iat", nil), "the token is not valid"},
		{"RFC 9068 §2.2: no jti", claim("jti", nil), "the token is not valid"},
		{"RFC 9068 §4: expired", claim("exp", at(-31*time.Second)), "the token has expired"},
		{"RFC 9068 §4: expired exactly the leeway ago", claim("exp", at(-30*time.Second)), "the token has expired"},
		{"RFC 9068 §4: expired within the leeway", claim("exp", at(-29*time.Second)), accepted},
		{"RFC 7519 §4.1.5: not yet valid", claim("nbf", at(31*time.Second)), "the token is not valid yet"},
		{"RFC 7519 §4.1.5: not yet valid, within the leeway", claim("nbf", at(30*time.Second)), accepted},
		{"no tenant: the platform", claim("tenant", nil), accepted},
		{"an empty tenant is not the platform", claim("tenant", ""), "the token is not valid"},
		{"a tenant that is no string", claim("tenant", 7), "the token is malformed"},
		{"over 8 KiB", claim("scope", strings.Repeat("a", 9000)), "the token is malformed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := newVerifier(t, anyKey{public}, clock.At(start))
			header, claims := goodHeader(), goodClaims()
			tt.edit(header, claims)
			_, err := v.Authenticate(t.Context(), withToken(sign(t, jwt.SigningMethodEdDSA, private, header, claims)))
			if tt.want != accepted {
				checkInvalid(t, err, tt.want)
			} else if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestRFC8725_3_1_AlgorithmIsPinned gives the verifier the key the attacker hopes
// for, so that only the list of algorithms stands in the way.
func TestRFC8725_3_1_AlgorithmIsPinned(t *testing.T) {
	public, _, _ := ed25519.GenerateKey(nil)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p256, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	p384, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	tests := []struct {
		method   jwt.SigningMethod
		sign     any
		verify   any
		accepted bool
	}{
		{jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, jwt.UnsafeAllowNoneSignatureType, false},
		{jwt.SigningMethodHS256, []byte(public), []byte(public), false},
		{jwt.SigningMethodHS512, []byte(public), []byte(public), false},
		{jwt.SigningMethodRS512, rsaKey, rsaKey.Public(), false},
		{jwt.SigningMethodES384, p384, p384.Public(), false},
		{jwt.SigningMethodRS256, rsaKey, rsaKey.Public(), true},
		{jwt.SigningMethodPS256, rsaKey, rsaKey.Public(), true},
		{jwt.SigningMethodES256, p256, p256.Public(), true},
	}
	for _, tt := range tests {
		t.Run(tt.method.Alg(), func(t *testing.T) {
			v := newVerifier(t, anyKey{tt.verify}, clock.At(start))
			_, err := v.Authenticate(t.Context(), withToken(sign(t, tt.method, tt.sign, goodHeader(), goodClaims())))
			if !tt.accepted {
				checkInvalid(t, err, "the token is not valid")
			} else if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestForeignKeys(t *testing.T) {
	w := newWorld(t)
	kid := published(t, w.handler)[0]
	_, foreign, _ := ed25519.GenerateKey(nil)
	p256, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	public := []byte(w.keys.keys[0].PublicKey)
	tests := []struct {
		name   string
		method jwt.SigningMethod
		key    any
		kid    any
	}{
		{"a foreign key with our kid", jwt.SigningMethodEdDSA, foreign, kid},
		{"a foreign key with its own kid", jwt.SigningMethodEdDSA, foreign, "foreign"},
		{"a foreign key without kid", jwt.SigningMethodEdDSA, foreign, nil},
		{"RFC 8725 §3.1: another algorithm with our kid", jwt.SigningMethodES256, p256, kid},
		{"RFC 8725 §2.1: the public key as HMAC secret", jwt.SigningMethodHS256, public, kid},
		{"RFC 8725 §2.1: none with our kid", jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, kid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			header := map[string]any{"typ": "at+jwt", "kid": tt.kid}
			_, err := w.verifier.Authenticate(t.Context(), withToken(sign(t, tt.method, tt.key, header, goodClaims())))
			checkInvalid(t, err, "the token is not valid")
		})
	}
}

// The keys are pinned by themselves, whatever the verifier's list allows.
func TestRFC8725_3_1_EachKeyHasOneAlgorithm(t *testing.T) {
	w := newWorld(t)
	find := w.ring.KeyfuncCtx(t.Context())
	header := map[string]any{"kid": published(t, w.handler)[0]}
	if _, err := find(&jwt.Token{Method: jwt.SigningMethodEdDSA, Header: header}); err != nil {
		t.Fatal(err)
	}
	for _, method := range []jwt.SigningMethod{jwt.SigningMethodRS256, jwt.SigningMethodES256, jwt.SigningMethodHS256, jwt.SigningMethodNone} {
		if key, err := find(&jwt.Token{Method: method, Header: header}); err == nil {
			t.Errorf("%s: got the key %v", method.Alg(), key)
		}
	}
}

func TestRequestsWithoutOneGoodHeader(t *testing.T) {
	w := newWorld(t)
	token := newToken(t, w.handler)
	const (
		none      = `Bearer realm="upline"`
		malformed = `Bearer realm="upline", error="invalid_token", error_description="the token is malformed"`
		inQuery   = `Bearer realm="upline", error="invalid_request", error_description="the token must be sent in the Authorization header"`
		repeated  = `Bearer realm="upline", error="invalid_request", error_description="the Authorization header is repeated"`
	)
	tests := []struct {
		name      string
		query     string
		headers   []string
		status    int // 0: accepted
		challenge string
	}{
		{"RFC 6750 §3.1: no credentials, no error code", "", nil, 401, none},
		{"RFC 6750 §3.1: another scheme, no error code", "", []string{"Basic YTpi"}, 401, none},
		{"RFC 6750 §3.1: an empty header, no error code", "", []string{""}, 401, none},
		{"RFC 6750 §3.1: a scheme that begins like ours", "", []string{"Bearers " + token}, 401, none},
		{"RFC 9110 §11.1: schemes are case-insensitive", "", []string{"bEARER " + token}, 0, ""},
		{"RFC 9110 §11.4: several spaces", "", []string{"Bearer   " + token}, 0, ""},
		{"RFC 6750 §3.1: no token", "", []string{"Bearer"}, 401, malformed},
		{"RFC 6750 §3.1: not a JWT", "", []string{"Bearer abc"}, 401, malformed},
		{"RFC 6750 §2: token in the query", "?access_token=" + token, nil, 400, inQuery},
		{"RFC 6750 §2: token in the query and the header", "?access_token=" + token, []string{"Bearer " + token}, 400, inQuery},
		{"RFC 6750 §2: two headers", "", []string{"Bearer " + token, "Bearer " + token}, 400, repeated},
		{"another parameter of the query", "?token=1", []string{"Bearer " + token}, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/graphql/acme"+tt.query, nil)
			r.Header["Authorization"] = tt.headers
			_, err := w.verifier.Authenticate(r.Context(), r)
			var refused *problem.Error
			switch {
			case tt.status == 0 && err != nil:
				t.Fatal(err)
			case tt.status == 0:
			case !errors.As(err, &refused) || refused.Status != tt.status || refused.Challenge != tt.challenge:
				t.Fatalf("got %#v", err)
			case strings.Contains(err.Error(), token):
				t.Error("the token is repeated")
			}
		})
	}
}
