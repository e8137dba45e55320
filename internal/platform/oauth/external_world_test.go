package oauth_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"crypto/rsa"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/platform/oauth"
)

// foreignIssuer is another issuer: its metadata and keys, and what goes wrong.
type foreignIssuer struct {
	*httptest.Server
	mu       sync.Mutex
	keys     []map[string]any
	answer   func(http.ResponseWriter) // instead of the keys
	issuer   string                    // in the metadata, instead of its own
	metadata int
	fetches  int
	key      ed25519.PrivateKey
}

func newForeignIssuer(t testing.TB, kid string) *foreignIssuer {
	t.Helper()
	f := &foreignIssuer{}
	_, f.key, _ = ed25519.GenerateKey(nil)
	f.keys = []map[string]any{ed25519Set(kid, f.key)}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *foreignIssuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		f.metadata++
		issuer := f.URL
		if f.issuer != "" {
			issuer = f.issuer
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": issuer, "jwks_uri": f.URL + "/keys"})
	case "/keys":
		f.fetches++
		if f.answer != nil {
			f.answer(w)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": f.keys})
	default:
		http.NotFound(w, r)
	}
}

// count returns how often the keys were fetched.
func (f *foreignIssuer) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fetches
}

// set changes what the issuer answers.
func (f *foreignIssuer) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *foreignIssuer) config(name string) oauth.ExternalIssuer {
	return oauth.ExternalIssuer{Name: name, Issuer: f.URL, Audience: "upline", Algorithms: []string{"EdDSA", "RS256"}, Tenants: []string{"acme"}}
}

func ed25519Set(kid string, key ed25519.PrivateKey) map[string]any {
	return map[string]any{"kty": "OKP", "crv": "Ed25519", "kid": kid, "use": "sig", "alg": "EdDSA",
		"x": base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey))}
}

func rsaSet(kid string, key *rsa.PrivateKey) map[string]any {
	encode := base64.RawURLEncoding.EncodeToString
	return map[string]any{"kty": "RSA", "kid": kid, "n": encode(key.N.Bytes()), "e": encode(big.NewInt(int64(key.E)).Bytes())}
}

// claimsOf are those of a token that the issuer's audience accepts.
func (f *foreignIssuer) claims(edits ...func(jwt.MapClaims)) jwt.MapClaims {
	c := goodClaims()
	c["iss"], c["aud"], c["sub"], c["client_id"] = f.URL, "upline", "00u1", "crm"
	for _, edit := range edits {
		edit(c)
	}
	return c
}

func claim(name string, value any) func(jwt.MapClaims) {
	return func(c jwt.MapClaims) {
		if c[name] = value; value == nil {
			delete(c, name)
		}
	}
}

// accept lets a world accept the tokens of issuers.
func (w *world) accept(t testing.TB, issuers ...oauth.ExternalIssuer) {
	t.Helper()
	if err := w.verifier.AcceptIssuers(issuers, true, w.clock, slog.New(slog.NewJSONHandler(&w.logs, nil))); err != nil {
		t.Fatal(err)
	}
}
