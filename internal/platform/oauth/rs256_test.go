package oauth_test

import (
	"bytes"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
)

// rs256 makes the issuer sign with RS256.
func (w *world) rs256(t testing.TB) http.Handler {
	t.Helper()
	c := config
	c.Algorithm = keyring.RS256
	issuer, err := oauth.NewIssuer(c, w.clients, w.ring, w.clock, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return issuer.Handler()
}

// RFC 9068 §2.1: servers "MUST include RS256 (as defined in [RFC7518]) among their
// supported signature algorithms"; the issuer and the verifier alike.
func TestRFC9068_2_1_RS256(t *testing.T) {
	w := newWorld(t)
	before := newToken(t, w.handler)
	token := newToken(t, w.rs256(t))
	parsed, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
	if err != nil {
		t.Fatal(err)
	}
	kids := publishedFor(t, w.handler, keyring.RS256)
	if len(kids) != 1 || parsed.Header["alg"] != "RS256" || parsed.Header["kid"] != kids[0] || parsed.Header["typ"] != "at+jwt" {
		t.Errorf("header %v, published %v", parsed.Header, kids)
	}
	for _, token := range []string{before, token} {
		if _, err := w.verifier.Authenticate(t.Context(), withToken(token)); err != nil {
			t.Error(err)
		}
	}
}

// rsaFromSet returns the RSA key of a key set, as a foreign service reads it.
func rsaFromSet(t testing.TB, h http.Handler) (kid string, key *rsa.PublicKey, members map[string]string) {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, oauth.KeySetPath, nil))
	var set struct{ Keys []map[string]string }
	if err := json.Unmarshal(rec.Body.Bytes(), &set); err != nil {
		t.Fatal(err)
	}
	for _, k := range set.Keys {
		if k["kty"] == "RSA" {
			n, _ := base64.RawURLEncoding.DecodeString(k["n"])
			e, _ := base64.RawURLEncoding.DecodeString(k["e"])
			return k["kid"], &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}, k
		}
	}
	t.Fatal("no RSA key is published")
	return "", nil, nil
}

// The public half is published and nothing else; it is named by its thumbprint,
// is large enough, and belongs to the private one that is stored encrypted.
func TestRFC7518_6_3_PublishedRSAKey(t *testing.T) {
	w := newWorld(t)
	if err := w.ring.Complete(t.Context()); err != nil {
		t.Fatal(err)
	}
	kid, public, members := rsaFromSet(t, w.handler)
	for name := range members {
		if !slices.Contains([]string{"kty", "n", "e", "kid", "use", "alg"}, name) {
			t.Errorf("RFC 7517 §9.2: the key set has %q", name)
		}
	}
	canonical, _ := json.Marshal(struct {
		E   string `json:"e"`
		Kty string `json:"kty"`
		N   string `json:"n"`
	}{members["e"], "RSA", members["n"]})
	sum := sha256.Sum256(canonical)
	if want := base64.RawURLEncoding.EncodeToString(sum[:]); kid != want {
		t.Errorf("RFC 7638 §3: kid %s, want %s", kid, want)
	}
	if public.N.BitLen() < 2048 {
		t.Errorf("RFC 7518 §3.3: %d bits", public.N.BitLen())
	}
	i := slices.IndexFunc(w.keys.keys, func(k keyring.StoredKey) bool { return k.ID == kid })
	opened, err := newSealer(t).Open(t.Context(), w.keys.keys[i].SealedPrivate, []byte("oauth signing key "+kid))
	if err != nil || bytes.Contains(w.keys.keys[i].SealedPrivate, opened[:32]) {
		t.Fatalf("the private key is not encrypted: %v", err)
	}
	private, err := x509.ParsePKCS1PrivateKey(opened)
	if err != nil || !private.PublicKey.Equal(public) {
		t.Errorf("the halves do not belong together: %v", err)
	}
}

// RFC 8725 §2.1: an attacker who knows the public RSA key signs with HMAC and the
// key as the secret, in each form in which one could come to the check; or uses a
// key of ours for another algorithm.
func TestRFC8725_2_1_RSAKeyAsSecret(t *testing.T) {
	w := newWorld(t)
	if err := w.ring.Complete(t.Context()); err != nil {
		t.Fatal(err)
	}
	kid, public, members := rsaFromSet(t, w.handler)
	spki, err := x509.MarshalPKIXPublicKey(crypto.PublicKey(public))
	if err != nil {
		t.Fatal(err)
	}
	pkcs1 := x509.MarshalPKCS1PublicKey(public)
	jwkText, _ := json.Marshal(members)
	for name, secret := range map[string][]byte{
		"SPKI DER": spki, "PKCS #1 DER": pkcs1, "modulus": public.N.Bytes(), "JWK": jwkText, "n": []byte(members["n"]),
		"SPKI PEM":    pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: spki}),
		"PKCS #1 PEM": pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: pkcs1}),
	} {
		for _, method := range []jwt.SigningMethod{jwt.SigningMethodHS256, jwt.SigningMethodHS384, jwt.SigningMethodHS512} {
			header := map[string]any{"typ": "at+jwt", "kid": kid}
			_, err := w.verifier.Authenticate(t.Context(), withToken(sign(t, method, secret, header, goodClaims())))
			if err == nil {
				t.Errorf("%s with the %s is accepted", method.Alg(), name)
			}
			// And with the header saying RS256 all the same.
			header["alg"] = "RS256"
			if _, err := w.verifier.Authenticate(t.Context(), withToken(sign(t, method, secret, header, goodClaims()))); err == nil {
				t.Errorf("%s as RS256 with the %s is accepted", method.Alg(), name)
			}
		}
	}
	ours := newToken(t, w.rs256(t))
	for _, swapped := range []string{"PS256", "EdDSA"} {
		if _, err := w.verifier.Authenticate(t.Context(), withToken(withHeader(t, ours, map[string]any{"alg": swapped, "typ": "at+jwt", "kid": kid}))); err == nil {
			t.Errorf("an RS256 key is used for %s", swapped)
		}
	}
	if _, err := w.verifier.Authenticate(t.Context(), withToken(withHeader(t, ours, map[string]any{"alg": "RS256", "typ": "at+jwt", "kid": published(t, w.handler)[0]}))); err == nil {
		t.Error("an EdDSA kid is taken for RS256")
	}
}

// withHeader returns a token with another header and the same signature.
func withHeader(t testing.TB, token string, header map[string]any) string {
	t.Helper()
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(text) + token[bytes.IndexByte([]byte(token), '.'):]
}

// Keys of both algorithms get their successors after 89 days, whether somebody asks for
// tokens or not, and overlap.
func TestCompleteRotatesEveryAlgorithm(t *testing.T) {
	w := newWorld(t)
	complete := func(want int) {
		t.Helper()
		if err := w.ring.Complete(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, algorithm := range []string{keyring.EdDSA, keyring.RS256} {
			if kids := publishedFor(t, w.handler, algorithm); len(kids) != want {
				t.Errorf("%d keys of %s; want %d", len(kids), algorithm, want)
			}
		}
	}
	complete(1)
	complete(1)
	token := newToken(t, w.rs256(t))
	w.clock.Move(89*day - time.Second)
	complete(1)
	w.clock.Move(time.Second)
	complete(2)
	if len(w.keys.keys) != 4 {
		t.Errorf("%d keys are stored", len(w.keys.keys))
	}
	w.clock.Move(day + keyring.TokenLifetime + keyring.Leeway)
	complete(1)
	if _, err := w.verifier.Authenticate(t.Context(), withToken(token)); err == nil {
		t.Error("a token of a key that is gone")
	}
}
