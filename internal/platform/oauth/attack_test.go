package oauth_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/platform/oauth"
)

// RFC 8725 §3.10: header parameters that bring a key, or say where to get one, are
// not followed: "blindly following a "jku" (JWK set URL) or "x5u" (X.509 URL)
// header [...] could result in server-side request forgery (SSRF) attacks".
func TestRFC8725_3_10_KeysInTheHeaderAreIgnored(t *testing.T) {
	fetched := 0
	attacker := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { fetched++ }))
	defer attacker.Close()
	w, f := newWorld(t), newForeignIssuer(t, "k")
	w.accept(t, f.config("a"))
	_, evil, _ := ed25519.GenerateKey(nil)
	ours := newToken(t, w.handler)
	for name, value := range map[string]any{
		"jwk": ed25519Set("k", evil), "jku": attacker.URL, "x5u": attacker.URL, "x5c": []string{"MIIB"},
	} {
		for kid, claims := range map[string]jwt.MapClaims{published(t, w.handler)[0]: goodClaims(), "k": f.claims(), "evil": f.claims()} {
			header := map[string]any{"typ": "at+jwt", "kid": kid, name: value}
			_, err := w.verifier.Authenticate(t.Context(), withToken(sign(t, jwt.SigningMethodEdDSA, evil, header, claims)))
			checkInvalid(t, err, "the token is not valid")
		}
	}
	if fetched != 0 {
		t.Errorf("%d requests to where the header points", fetched)
	}
	if _, err := w.verifier.Authenticate(t.Context(), withToken(ours)); err != nil {
		t.Error(err)
	}
}

// signRaw signs texts as they are.
func signRaw(key ed25519.PrivateKey, header, claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(header)) + "." + encode([]byte(claims))
	return text + "." + encode(ed25519.Sign(key, []byte(text)))
}

// RFC 7515 §4 and RFC 7519 §4: the names of members "MUST be unique". Two parsers
// could take different ones, of the tenant for instance.
func TestRFC7519_4_DuplicateMembers(t *testing.T) {
	public, private, _ := ed25519.GenerateKey(nil)
	w := newWorld(t)
	f := newForeignIssuer(t, "k")
	v := newVerifier(t, anyKey{public}, w.clock)
	if err := v.AcceptIssuers([]oauth.ExternalIssuer{f.config("a")}, true, w.clock, nil); err != nil {
		t.Fatal(err)
	}
	const header = `{"typ":"at+jwt","kid":"k","alg":"EdDSA"}`
	claims := func(more string) string {
		return `{"iss":"` + config.Issuer + `","aud":"` + config.Audience + `","sub":"acme","client_id":"acme","scope":"read:agents","jti":"1","iat":1772366400,"exp":1772370000,"tenant":"acme"` + more + `}`
	}
	if _, err := v.Authenticate(t.Context(), withToken(signRaw(private, header, claims("")))); err != nil {
		t.Fatal(err)
	}
	// Values, and names of different objects, may be the same.
	for _, more := range []string{`,"x":"tenant","y":["tenant","tenant"]`, `,"x":{"tenant":"a"},"y":[{"z":1},{"z":2}]`, `,"x":"\",\"tenant\":\"b"`} {
		if _, err := v.Authenticate(t.Context(), withToken(signRaw(private, header, claims(more)))); err != nil {
			t.Errorf("%s: %v", more, err)
		}
	}
	for _, tt := range []struct{ name, header, claims string }{
		{"a claim twice", header, claims(`,"tenant":"umbra"`)},
		{"a claim in two cases", header, claims(`,"Tenant":"umbra"`)},
		{"a claim with an escape", header, claims(`,"ten\u0061nt" : "umbra"`)},
		{"a nested member twice", header, claims(`,"x":{"y":[{"z":1,"z":2}]}`)},
		{"the issuer twice", header, claims(`,"iss":"` + config.Issuer + `"`)},
		{"a header parameter twice", `{"typ":"JWT","typ":"at+jwt","kid":"k","alg":"EdDSA"}`, claims("")},
		{"nested audiences", header, strings.Replace(claims(""), `"aud":"`+config.Audience+`"`, `"aud":[["`+config.Audience+`"]]`, 1)},
		{"an audience that is an object", header, strings.Replace(claims(""), `"aud":"`+config.Audience+`"`, `"aud":{"a":"`+config.Audience+`"}`, 1)},
	} {
		_, err := v.Authenticate(t.Context(), withToken(signRaw(private, tt.header, tt.claims)))
		checkInvalid(t, err, "the token is malformed")
	}
	external := strings.ReplaceAll(strings.Replace(claims(`,"scope":"write:agents"`), config.Issuer, f.URL, 1), config.Audience, "upline")
	_, err := v.Authenticate(t.Context(), withToken(signRaw(f.key, header, external)))
	checkInvalid(t, err, "the token is malformed")
}

// Encrypted tokens, other serialisations and texts that are no tokens are refused
// before anything is looked up.
func TestOtherFormsOfTokens(t *testing.T) {
	w := newWorld(t)
	token := newToken(t, w.handler)
	parts := strings.Split(token, ".")
	reads := w.keys.reads
	for name, text := range map[string]string{
		"JWE":             strings.Join([]string{"eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0", "", parts[0], parts[1], parts[2]}, "."),
		"JSON":            `{"payload":"` + parts[1] + `","signatures":[]}`,
		"no signature":    parts[0] + "." + parts[1],
		"empty signature": parts[0] + "." + parts[1] + ".",
		"padded":          parts[0] + "." + parts[1] + "." + parts[2] + "==",
		"dots":            "..",
	} {
		if _, err := w.verifier.Authenticate(t.Context(), withToken(text)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if w.keys.reads != reads {
		t.Errorf("%d reads of the keys", w.keys.reads-reads)
	}
	if _, err := w.verifier.Authenticate(t.Context(), withToken(strings.Repeat("a", 1<<20))); err == nil {
		t.Error("a token of 1 MiB")
	}
}
