package app_test

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
)

// signs makes the ID token with a function.
func signs(make func(p *idp, c jwt.MapClaims) string) func(p *idp) {
	return func(p *idp) { p.sign = func(c jwt.MapClaims) string { return make(p, c) } }
}

// signedParts signs a header and a payload, whatever they are, as ES256 does.
func signedParts(p *idp, header, payload string) string {
	encode := base64.RawURLEncoding.EncodeToString
	head := encode([]byte(header)) + "." + encode([]byte(payload))
	signature, err := jwt.SigningMethodES256.Sign(head, p.key)
	if err != nil {
		panic(err)
	}
	return head + "." + encode(signature)
}

const honestHeader = `{"alg":"ES256","kid":"k1"}`

func payloadOf(c jwt.MapClaims) string {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// headed is a good token under another header, signed with the provider's key.
func headed(header string) func(p *idp) {
	return signs(func(p *idp, c jwt.MapClaims) string { return signedParts(p, header, payloadOf(c)) })
}

// ownKey is a token of a key that came with it, in a member of its header.
func ownKey(member string, value func(own *ecdsa.PrivateKey) any) func(p *idp) {
	return signs(func(_ *idp, c jwt.MapClaims) string {
		own := newECKey()
		token := jwt.NewWithClaims(jwt.SigningMethodES256, c)
		token.Header["kid"], token.Header[member] = "k1", value(own)
		text, err := token.SignedString(own)
		if err != nil {
			panic(err)
		}
		return text
	})
}

// bent changes the nonce that was asked for.
func bent(change func(nonce string) any) func(p *idp) {
	return func(p *idp) { p.claims = func(c jwt.MapClaims) { c["nonce"] = change(c["nonce"].(string)) } }
}

// resigned is a good token with another signature.
func resigned(change func(p *idp, signature []byte) []byte) func(p *idp) {
	return signs(func(p *idp, c jwt.MapClaims) string {
		head, last, _ := cutLast(p.signed(c, p.key, "k1"))
		signature, err := base64.RawURLEncoding.DecodeString(last)
		if err != nil {
			panic(err)
		}
		return head + "." + base64.RawURLEncoding.EncodeToString(change(p, signature))
	})
}

func cutLast(token string) (before, after string, found bool) {
	i := strings.LastIndex(token, ".")
	return token[:i], token[i+1:], i >= 0
}

// says is a token endpoint that answers with a body instead of its own.
func says(status int, body string, header ...string) func(p *idp) {
	return answers("/token", func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
}

// wronglyTyped are tokens whose claims are not what they should be.
var wronglyTyped = map[string]func(p *idp){
	"iss: a number":          lies("iss", is(7)),
	"iss: empty":             lies("iss", is("")),
	"iss: a space behind":    lies("iss", func(p *idp) any { return p.URL + " " }),
	"iss: a query":           lies("iss", func(p *idp) any { return p.URL + "?x=1" }),
	"iss: a path":            lies("iss", func(p *idp) any { return p.URL + "/tenant" }),
	"iss: in capitals":       lies("iss", func(p *idp) any { return strings.ToUpper(p.URL) }),
	"iss: https":             lies("iss", func(p *idp) any { return strings.Replace(p.URL, "http:", "https:", 1) }),
	"iss: a user before":     lies("iss", func(p *idp) any { return strings.Replace(p.URL, "//", "//evil@", 1) }),
	"iss: an object":         lies("iss", is(map[string]any{"x": 1})),
	"aud: empty":             lies("aud", is("")),
	"aud: an empty list":     lies("aud", is([]string{})),
	"aud: a list of numbers": lies("aud", is([]int{7})),
	"aud: a number":          lies("aud", is(7)),
	"aud: an object":         lies("aud", is(map[string]any{idpClient: true})),
	"aud: in capitals":       lies("aud", is(strings.ToUpper(idpClient))),
	"aud: a space behind":    lies("aud", is(idpClient+" ")),
	"aud: two in a text":     lies("aud", is(idpClient+" another")),
	"azp: in capitals":       lies("azp", is(strings.ToUpper(idpClient))),
	"azp: a list":            lies("azp", is([]string{"another"})),
	"nonce: in capitals":     bent(func(n string) any { return strings.ToUpper(n) + "A" }),
	"nonce: a part":          bent(func(n string) any { return n[:len(n)-1] }),
	"nonce: and more":        bent(func(n string) any { return n + "A" }),
	"nonce: a list":          bent(func(n string) any { return []string{n} }),
	"nonce: a number":        bent(func(string) any { return 7 }),
	"exp: nought":            lies("exp", is(0)),
	"exp: negative":          lies("exp", is(-1)),
	"exp: a word":            lies("exp", is("tomorrow")),
	"exp: a list":            lies("exp", is([]int{1 << 33})),
	"exp: true":              lies("exp", is(true)),
	"iat: a word":            lies("iat", is("now")),
	"sub: empty":             lies("sub", is("")),
	"sub: a list":            lies("sub", is([]string{"00u1"})),
	"sub: U+0000":            lies("sub", is("00u1\x00")),
	"sid: U+0000":            lies("sid", is("s1\x00")),
	"sub: an object":         lies("sub", is(map[string]any{"id": "00u1"})),
	"at_hash: a number":      lies("at_hash", is(7)),
	"email: none":            lies("email", is(nil)),
	"email: a list":          lies("email", is([]string{"ana@acme.example"})),
	"email: of nobody":       lies("email", is("nobody@acme.example")),
	"email: a space within":  lies("email", is("ana @acme.example")),
	"email: two":             lies("email", is("ana@acme.example,boss@acme.example")),
	"email: a header":        lies("email", is("ana@acme.example\r\nBcc: evil@acme.example")),
	"email: U+0000":          lies("email", is("ana@acme.example\x00")),
	"email: Cyrillic":        lies("email", is("\u0430na@acme.example")),
	"email: a pattern":       lies("email", is("%@acme.example")),
	"email: verified by 1":   lies("email_verified", is(1)),
	"email: verified by []":  lies("email_verified", is([]bool{true})),
}

// wronglyMade are tokens that are no signed JSON of the provider's key.
var wronglyMade = map[string]func(p *idp){
	"alg: NONE":               signs(func(_ *idp, c jwt.MapClaims) string { return forged(map[string]any{"alg": "NONE"}, c, "") }),
	"alg: empty":              headed(`{"alg":"","kid":"k1"}`),
	"alg: null":               headed(`{"alg":null,"kid":"k1"}`),
	"alg: a number":           headed(`{"alg":256,"kid":"k1"}`),
	"alg: a list":             headed(`{"alg":["ES256"],"kid":"k1"}`),
	"alg: small letters":      headed(`{"alg":"es256","kid":"k1"}`),
	"alg: a space behind":     headed(`{"alg":"ES256 ","kid":"k1"}`),
	"alg: RS256 of an EC key": headed(`{"alg":"RS256","kid":"k1"}`),
	"alg: PS256 of an EC key": headed(`{"alg":"PS256","kid":"k1"}`),
	"alg: ES384 of P-256":     headed(`{"alg":"ES384","kid":"k1"}`),
	"alg: EdDSA of an EC key": headed(`{"alg":"EdDSA","kid":"k1"}`),
	"alg: twice": signs(func(_ *idp, c jwt.MapClaims) string {
		return signedParts(&idp{key: newECKey()}, `{"alg":"none","alg":"ES256","kid":"k1"}`, payloadOf(c))
	}),
	"alg: HS256 by nothing":  signedWith(jwt.SigningMethodHS256, "k1", func(*idp) any { return []byte{} }),
	"alg: HS256 by our name": signedWith(jwt.SigningMethodHS256, "k1", func(*idp) any { return []byte(idpClient) }),
	"alg: HS256 by the kid":  signedWith(jwt.SigningMethodHS256, "k1", func(*idp) any { return []byte("k1") }),
	"alg: HS256 by the key's DER": signedWith(jwt.SigningMethodHS256, "k1", func(p *idp) any {
		der, _ := x509.MarshalPKIXPublicKey(&p.key.PublicKey)
		return der
	}),
	"alg: HS384 by the key": signedWith(jwt.SigningMethodHS384, "k1", publicPEM),
	"key: jku":              ownKey("jku", func(*ecdsa.PrivateKey) any { return "https://evil.example/keys" }),
	"key: x5u":              ownKey("x5u", func(*ecdsa.PrivateKey) any { return "https://evil.example/cert" }),
	"key: x5c":              ownKey("x5c", func(*ecdsa.PrivateKey) any { return []string{"MIIB"} }),
	"key: jwks":             ownKey("jwks", func(own *ecdsa.PrivateKey) any { return map[string]any{"keys": []any{ecSet("k1", own)}} }),
	"key: a path as kid":    signedWith(jwt.SigningMethodES256, "../../dev/null", func(*idp) any { return newECKey() }),
	"key: SQL as kid":       signedWith(jwt.SigningMethodES256, "k1' OR '1'='1", func(*idp) any { return newECKey() }),
	"key: a long kid":       signedWith(jwt.SigningMethodES256, strings.Repeat("k", 100_000), func(*idp) any { return newECKey() }),
	"key: a list as kid":    headed(`{"alg":"ES256","kid":["k1"]}`),
	"key: b64 false":        headed(`{"alg":"ES256","kid":"k1","b64":false,"crit":["b64"]}`),
	"signature: noughts":    resigned(func(*idp, []byte) []byte { return make([]byte, 64) }),
	"signature: cut":        resigned(func(_ *idp, s []byte) []byte { return s[:63] }),
	"signature: and more":   resigned(func(_ *idp, s []byte) []byte { return append(s, 0) }),
	"signature: halves":     resigned(func(_ *idp, s []byte) []byte { return append(append([]byte{}, s[32:]...), s[:32]...) }),
	"signature: one bit": resigned(func(_ *idp, s []byte) []byte {
		s[10] ^= 1
		return s
	}),
	"signature: the order of the curve": resigned(func(p *idp, _ []byte) []byte {
		n := p.key.Params().N
		return append(n.FillBytes(make([]byte, 32)), n.FillBytes(make([]byte, 32))...)
	}),
	"signature: DER": resigned(func(_ *idp, s []byte) []byte {
		der, _ := asn1.Marshal(struct{ R, S *big.Int }{new(big.Int).SetBytes(s[:32]), new(big.Int).SetBytes(s[32:])})
		return der
	}),
	"signature: a digest":     resigned(func(_ *idp, s []byte) []byte { sum := sha256.Sum256(s); return sum[:] }),
	"token: dots":             signs(func(*idp, jwt.MapClaims) string { return ".." }),
	"token: a word":           signs(func(*idp, jwt.MapClaims) string { return "good" }),
	"token: two parts":        signs(func(p *idp, c jwt.MapClaims) string { head, _, _ := cutLast(p.signed(c, p.key, "k1")); return head }),
	"token: five parts":       signs(func(p *idp, c jwt.MapClaims) string { return p.signed(c, p.key, "k1") + ".x.y" }),
	"token: two with a space": signs(func(p *idp, c jwt.MapClaims) string { good := p.signed(c, p.key, "k1"); return good + " " + good }),
	"token: U+0000 behind":    signs(func(p *idp, c jwt.MapClaims) string { return p.signed(c, p.key, "k1") + "\x00" }),
	"token: JSON serialization": signs(func(p *idp, c jwt.MapClaims) string {
		parts := strings.Split(p.signed(c, p.key, "k1"), ".")
		return fmt.Sprintf(`{"protected":%q,"payload":%q,"signature":%q}`, parts[0], parts[1], parts[2])
	}),
	"token: a list within":  signs(func(p *idp, c jwt.MapClaims) string { return signedParts(p, honestHeader, "["+payloadOf(c)+"]") }),
	"token: null within":    signs(func(p *idp, _ jwt.MapClaims) string { return signedParts(p, honestHeader, "null") }),
	"token: nothing within": signs(func(p *idp, _ jwt.MapClaims) string { return signedParts(p, honestHeader, "") }),
	"token: a text within": signs(func(p *idp, c jwt.MapClaims) string {
		return signedParts(p, honestHeader, fmt.Sprintf("%q", payloadOf(c)))
	}),
	"token: another token within": signs(func(p *idp, c jwt.MapClaims) string { return signedParts(p, honestHeader, p.signed(c, p.key, "k1")) }),
	"token: two objects within":   signs(func(p *idp, c jwt.MapClaims) string { return signedParts(p, honestHeader, payloadOf(c)+payloadOf(c)) }),
	"token: two audiences": signs(func(p *idp, c jwt.MapClaims) string {
		return signedParts(p, honestHeader, strings.Replace(payloadOf(c), "{", `{"aud":"another",`, 1))
	}),
	"token: two nonces": signs(func(p *idp, c jwt.MapClaims) string {
		return signedParts(p, honestHeader, strings.Replace(payloadOf(c), "{", `{"nonce":"another",`, 1))
	}),
	"token: a header of a list":   headed(`["ES256"]`),
	"token: no header":            headed(``),
	"endpoint: 401":               says(http.StatusUnauthorized, `{"error":"invalid_client"}`),
	"endpoint: 429":               says(http.StatusTooManyRequests, `{}`),
	"endpoint: 204":               answers("/token", func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) }),
	"endpoint: an error in a 200": says(http.StatusOK, `{"error":"invalid_grant","error_description":"<script>evil</script>"}`),
	"endpoint: a list":            says(http.StatusOK, `[]`),
	"endpoint: null":              says(http.StatusOK, `null`),
	"endpoint: cut":               says(http.StatusOK, `{"access_token":"x","id_token":"`),
	"endpoint: fewer bytes":       says(http.StatusOK, `{}`, "Content-Length", "2000"),
	"endpoint: an ID token of 7":  says(http.StatusOK, `{"access_token":"x","token_type":"Bearer","id_token":7}`),
	"endpoint: an ID token of []": says(http.StatusOK, `{"access_token":"x","token_type":"Bearer","id_token":["x"]}`),
	"endpoint: gzip that is none": says(http.StatusOK, `{}`, "Content-Encoding", "gzip"),
	"endpoint: nests deeply":      says(http.StatusOK, strings.Repeat(`{"a":`, 20_000)),
}

// all are the attacks of several tables.
func allOf(tables ...map[string]func(p *idp)) map[string]func(p *idp) {
	all := map[string]func(p *idp){}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

// Claims of another type and tokens of another make prove nothing either (RFC 7515 §4.1,
// RFC 7519 §4.1, RFC 8725 §3).
func TestHostileProviderClaims(t *testing.T) {
	onEachProvider(t, func(t *testing.T, w *signInWorld, p *idp) {
		w.provide(t, p, "idp")
		w.refusesTokens(t, p, allOf(wronglyTyped, wronglyMade))
	})
}
