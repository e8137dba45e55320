package oauth_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/problem"
)

const crossIssuer = "the token is not valid"

// A token of another issuer is mapped to a caller of ours; everything that is
// wrong with one is refused, whatever the issuer signs.
func TestExternalTokens(t *testing.T) {
	f := newForeignIssuer(t, "k")
	one := f.config("okta")
	several := one
	several.Tenants, several.Claims.Tenant = []string{"acme", "demo"}, "https://x.example/tenant"
	roles := one
	roles.Claims = oauth.ExternalClaims{Scope: "/realm_access/roles", Client: "azp"}
	roles.Grants = map[string][]string{"agent-reader": {"read:agents"}, "boss": {"write:agents", "read:agents"}}
	jwtType := one
	jwtType.Type = "JWT"
	const accepted, notAccess, malformed = "", "the token is not an access token", "the token is malformed"
	at := func(d time.Duration) int64 { return start.Add(d).Unix() }
	tests := []struct {
		name   string
		config oauth.ExternalIssuer
		typ    any
		edits  []func(jwt.MapClaims)
		want   string
		scopes string
	}{
		{"as it should be", one, "at+jwt", nil, accepted, "read:agents"},
		{"scopes of ours only, none of the platform", one, "at+jwt", []func(jwt.MapClaims){claim("scope", "openid platform:tenants write:agents read:agents")}, accepted, "read:agents write:agents"},
		{"a list of scopes", one, "at+jwt", []func(jwt.MapClaims){claim("scope", []string{"read:users"})}, accepted, "read:users"},
		{"no scopes", one, "at+jwt", []func(jwt.MapClaims){claim("scope", nil)}, accepted, ""},
		{"RFC 9068 §4: an ID token", one, "JWT", nil, notAccess, ""},
		{"an issuer without at+jwt", jwtType, "JWT", nil, accepted, "read:agents"},
		{"RFC 8725 §3.12: its ID token", jwtType, "JWT", []func(jwt.MapClaims){claim("nonce", "n")}, notAccess, ""},
		{"RFC 8725 §3.12: its ID token, with at_hash", jwtType, "JWT", []func(jwt.MapClaims){claim("at_hash", "n")}, notAccess, ""},
		{"another kind of JWT", jwtType, "secevent+jwt", nil, notAccess, ""},
		{"expired", one, "at+jwt", []func(jwt.MapClaims){claim("exp", at(-31*time.Second))}, "the token has expired", ""},
		{"not yet valid", one, "at+jwt", []func(jwt.MapClaims){claim("nbf", at(31*time.Second))}, "the token is not valid yet", ""},
		{"no exp", one, "at+jwt", []func(jwt.MapClaims){claim("exp", nil)}, "the token is not valid", ""},
		{"another audience", one, "at+jwt", []func(jwt.MapClaims){claim("aud", "https://other.example")}, "the token is for another audience", ""},
		{"our own audience is another", one, "at+jwt", []func(jwt.MapClaims){claim("aud", config.Audience)}, "the token is for another audience", ""},
		{"one of several audiences", one, "at+jwt", []func(jwt.MapClaims){claim("aud", []string{"x", "upline"})}, accepted, "read:agents"},
		{"nested audiences", one, "at+jwt", []func(jwt.MapClaims){claim("aud", []any{[]string{"upline"}})}, malformed, ""},
		{"no subject", one, "at+jwt", []func(jwt.MapClaims){claim("sub", nil)}, "the token is not valid", ""},
		{"a subject of control characters", one, "at+jwt", []func(jwt.MapClaims){claim("sub", "a\nb")}, "the token is not valid", ""},
		{"a long subject", one, "at+jwt", []func(jwt.MapClaims){claim("sub", strings.Repeat("a", 256))}, "the token is not valid", ""},
		{"no client", one, "at+jwt", []func(jwt.MapClaims){claim("client_id", nil)}, "the token is not valid", ""},
		{"a tenant of the issuer", several, "at+jwt", []func(jwt.MapClaims){claim("https://x.example/tenant", "acme")}, accepted, "read:agents"},
		{"a tenant of others", several, "at+jwt", []func(jwt.MapClaims){claim("https://x.example/tenant", "umbra")}, "the token is not for a tenant of its issuer", ""},
		{"no tenant is not the platform", several, "at+jwt", nil, "the token is not for a tenant of its issuer", ""},
		{"an empty tenant", several, "at+jwt", []func(jwt.MapClaims){claim("https://x.example/tenant", "")}, "the token is not for a tenant of its issuer", ""},
		{"two tenants", several, "at+jwt", []func(jwt.MapClaims){claim("https://x.example/tenant", []string{"acme", "demo"})}, "the token is not for a tenant of its issuer", ""},
		{"roles grant scopes", roles, "at+jwt", []func(jwt.MapClaims){claim("azp", "crm"), claim("realm_access", map[string]any{"roles": []string{"boss", "nobody", "read:users"}})}, accepted, "read:agents write:agents"},
		{"over 8 KiB", one, "at+jwt", []func(jwt.MapClaims){claim("scope", strings.Repeat("a", 9000))}, malformed, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.accept(t, tt.config)
			token := sign(t, jwt.SigningMethodEdDSA, f.key, map[string]any{"typ": tt.typ, "kid": "k"}, f.claims(tt.edits...))
			c, err := w.verifier.Authenticate(t.Context(), withToken(token))
			if tt.want != accepted {
				checkInvalid(t, err, tt.want)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.Subject != "okta:00u1" || c.ClientID != "okta:crm" || c.Tenant != "acme" || !c.External || strings.Join(c.Scopes, " ") != tt.scopes {
				t.Errorf("%+v", c)
			}
			if !c.MayActIn("acme") || c.MayActIn("umbra") || c.MayActIn("demo") {
				t.Error("it acts in a tenant that is not its own")
			}
		})
	}
}

// Keys belong to one issuer, and an issuer's tokens to one audience and name: the
// tokens of one presented as another's.
func TestTokensOfOneIssuerAsAnothers(t *testing.T) {
	w := newWorld(t)
	a, b := newForeignIssuer(t, "kid-a"), newForeignIssuer(t, "kid-b")
	w.accept(t, a.config("a"), b.config("b"))
	ours := published(t, w.handler)[0]
	_, stolen, _ := ed25519.GenerateKey(nil)
	for _, tt := range []struct {
		name, iss, kid string
		key            ed25519.PrivateKey
	}{
		{"of A with the kid of B", a.URL, "kid-b", a.key},
		{"of A with the kid of B and B's key", a.URL, "kid-b", b.key},
		{"of A, by B", a.URL, "kid-a", b.key},
		{"of A with our kid", a.URL, ours, a.key},
		{"ours, by A", config.Issuer, "kid-a", a.key},
		{"ours with our kid, by A", config.Issuer, ours, a.key},
		{"a stolen kid", a.URL, "kid-a", stolen},
		{"no kid", a.URL, "", a.key},
		{"of an unknown issuer", "https://c.example", "kid-a", a.key},
		{"of an issuer that differs by a slash", a.URL + "/", "kid-a", a.key},
	} {
		claims := a.claims(claim("iss", tt.iss))
		if tt.iss == config.Issuer {
			claims["aud"] = config.Audience
		}
		_, err := w.verifier.Authenticate(t.Context(), withToken(sign(t, jwt.SigningMethodEdDSA, tt.key, map[string]any{"typ": "at+jwt", "kid": tt.kid}, claims)))
		var refused *problem.Error
		if !errors.As(err, &refused) || refused.Message != crossIssuer {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	for _, f := range []*foreignIssuer{a, b} {
		kid := f.keys[0]["kid"]
		if _, err := w.verifier.Authenticate(t.Context(), withToken(sign(t, jwt.SigningMethodEdDSA, f.key, map[string]any{"typ": "at+jwt", "kid": kid}, f.claims()))); err != nil {
			t.Errorf("its own token: %v", err)
		}
	}
}

// HMAC with a published RSA key, algorithms that are not configured, and keys that
// the issuer should not have.
func TestExternalAlgorithmsArePinned(t *testing.T) {
	f := newForeignIssuer(t, "ed")
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	secret := []byte(strings.Repeat("s", 32))
	encryption := rsaSet("enc", key)
	encryption["use"] = "enc"
	f.keys = append(f.keys, rsaSet("rsa", key), encryption, map[string]any{"kty": "oct", "kid": "oct", "k": "c3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3M"}, map[string]any{"kty": "new", "kid": "new"})
	w := newWorld(t)
	w.accept(t, f.config("a"))
	for _, tt := range []struct {
		method jwt.SigningMethod
		key    any
		kid    string
		ok     bool
	}{
		{jwt.SigningMethodRS256, key, "rsa", true},
		{jwt.SigningMethodEdDSA, f.key, "ed", true},
		{jwt.SigningMethodPS256, key, "rsa", false},
		{jwt.SigningMethodRS384, key, "rsa", false},
		{jwt.SigningMethodHS256, key.N.Bytes(), "rsa", false},
		{jwt.SigningMethodHS256, secret, "oct", false},
		{jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, "rsa", false},
		{jwt.SigningMethodRS256, key, "enc", false},
		{jwt.SigningMethodRS256, key, "ed", false},
	} {
		_, err := w.verifier.Authenticate(t.Context(), withToken(sign(t, tt.method, tt.key, map[string]any{"typ": "at+jwt", "kid": tt.kid}, f.claims())))
		if (err == nil) != tt.ok {
			t.Errorf("%s with the key %s: %v", tt.method.Alg(), tt.kid, err)
		}
	}
}

// "unknown kid floods (no unbounded JWKS fetch)": at most one fetch in 30 seconds,
// also for requests that come together; and a new key is found.
func TestUnknownKidsDoNotFloodTheIssuer(t *testing.T) {
	w, f := newWorld(t), newForeignIssuer(t, "old")
	w.accept(t, f.config("a"))
	token := func(kid string, key ed25519.PrivateKey) *http.Request {
		return withToken(sign(t, jwt.SigningMethodEdDSA, key, map[string]any{"typ": "at+jwt", "kid": kid}, f.claims()))
	}
	flood := func() {
		var wg sync.WaitGroup
		for i := range 50 {
			r := token(fmt.Sprint("unknown-", i), f.key)
			wg.Go(func() {
				if _, err := w.verifier.Authenticate(r.Context(), r); err == nil {
					t.Error("accepted")
				}
			})
		}
		wg.Wait()
	}
	for want := 1; want <= 3; want++ {
		flood()
		flood()
		if f.count() != want {
			t.Fatalf("%d fetches; want %d", f.count(), want)
		}
		if _, err := w.verifier.Authenticate(t.Context(), token("old", f.key)); err != nil {
			t.Fatal(err)
		}
		w.clock.Move(30 * time.Second)
	}
	_, next, _ := ed25519.GenerateKey(nil)
	f.set(func() { f.keys = []map[string]any{ed25519Set("next", next)} })
	if _, err := w.verifier.Authenticate(t.Context(), token("next", next)); err != nil {
		t.Errorf("a new key: %v", err)
	}
	w.clock.Move(10 * time.Second)
	if _, err := w.verifier.Authenticate(t.Context(), token("old", f.key)); err == nil {
		t.Error("a key that was withdrawn is accepted")
	}
}

// Keys go on counting while the issuer is down, for a day; nothing that it could
// answer instead replaces them. While nothing is known the answer is 503.
func TestIssuerIsDown(t *testing.T) {
	f := newForeignIssuer(t, "k")
	for name, answer := range map[string]func(http.ResponseWriter){
		"an error":      func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) },
		"no JSON":       func(w http.ResponseWriter) { _, _ = w.Write([]byte("<html>")) },
		"no keys":       func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"keys":[]}`)) },
		"a redirect":    func(w http.ResponseWriter) { w.Header().Set("Location", "/keys2"); w.WriteHeader(http.StatusFound) },
		"a huge answer": func(w http.ResponseWriter) { _, _ = w.Write([]byte(`{"keys":[` + strings.Repeat(" ", 300<<10) + `]}`)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := f.config("a")
			c.JWKSURI = f.URL + "/keys"
			w.accept(t, c)
			long := withToken(sign(t, jwt.SigningMethodEdDSA, f.key, map[string]any{"typ": "at+jwt", "kid": "k"}, f.claims(claim("exp", start.Add(72*time.Hour).Unix()))))
			f.set(func() { f.answer = answer })
			var refused *problem.Error
			if _, err := w.verifier.Authenticate(t.Context(), long); !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable || refused.Challenge != "" {
				t.Errorf("nothing is known yet: %v", err)
			}
			f.set(func() { f.answer = nil })
			w.clock.Move(30 * time.Second)
			if _, err := w.verifier.Authenticate(t.Context(), long); err != nil {
				t.Fatal(err)
			}
			f.set(func() { f.answer = answer })
			before := f.count()
			for range 23 {
				w.clock.Move(time.Hour)
				if _, err := w.verifier.Authenticate(t.Context(), long); err != nil {
					t.Fatalf("%v after it went down: %v", w.clock.Now().Sub(start), err)
				}
			}
			for f.count() == before { // the fetch goes on beside the request
				time.Sleep(time.Millisecond)
			}
			w.clock.Move(time.Hour)
			if _, err := w.verifier.Authenticate(t.Context(), long); !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable {
				t.Errorf("a day later: %v", err)
			}
			f.set(func() { f.answer = nil })
		})
	}
}

// An issuer that does not answer keeps nobody waiting who has a known key.
func TestIssuerHangs(t *testing.T) {
	w, f := newWorld(t), newForeignIssuer(t, "k")
	release := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer hangs.Close()
	defer close(release)
	c := f.config("a")
	c.JWKSURI = hangs.URL
	other := newForeignIssuer(t, "k")
	w.accept(t, c, other.config("b"))
	waits := make(chan error, 1)
	go func() {
		_, err := w.verifier.Authenticate(t.Context(), withToken(sign(t, jwt.SigningMethodEdDSA, f.key, map[string]any{"typ": "at+jwt", "kid": "k"}, f.claims())))
		waits <- err
	}()
	for _, token := range []string{newToken(t, w.handler), sign(t, jwt.SigningMethodEdDSA, other.key, map[string]any{"typ": "at+jwt", "kid": "k"}, other.claims())} {
		if _, err := w.verifier.Authenticate(t.Context(), withToken(token)); err != nil {
			t.Errorf("another issuer's token: %v", err)
		}
	}
	var refused *problem.Error
	if err := <-waits; !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable {
		t.Errorf("without an answer: %v", err)
	}
}

// RFC 8414 §3.3: metadata of another issuer "MUST NOT be used".
func TestRFC8414_3_3_MetadataOfAnotherIssuer(t *testing.T) {
	w, f := newWorld(t), newForeignIssuer(t, "k")
	f.issuer = "https://evil.example"
	w.accept(t, f.config("a"))
	_, err := w.verifier.Authenticate(t.Context(), withToken(sign(t, jwt.SigningMethodEdDSA, f.key, map[string]any{"typ": "at+jwt", "kid": "k"}, f.claims())))
	if err == nil || f.count() != 0 {
		t.Errorf("%v after %d fetches of the keys", err, f.count())
	}
}

// Of what an issuer publishes 256 KiB are read, and 64 keys, the first of each name.
func TestBoundsOfPublishedKeys(t *testing.T) {
	_, other, _ := ed25519.GenerateKey(nil)
	for what, c := range map[string]struct {
		keys func(f *foreignIssuer) []map[string]any
		size int
		want bool
	}{
		"the longest answer":  {func(f *foreignIssuer) []map[string]any { return f.keys }, 256 << 10, true},
		"too long an answer":  {func(f *foreignIssuer) []map[string]any { return f.keys }, 256<<10 + 1, false},
		"a name's second key": {func(f *foreignIssuer) []map[string]any { return []map[string]any{ed25519Set("k", other), f.keys[0]} }, 0, false},
		"a name's first key":  {func(f *foreignIssuer) []map[string]any { return []map[string]any{f.keys[0], ed25519Set("k", other)} }, 0, true},
		"a key after a bad one": {func(f *foreignIssuer) []map[string]any {
			return []map[string]any{{"kty": "oct", "kid": "k"}, f.keys[0]}
		}, 0, true},
		"the 64th key": {func(f *foreignIssuer) []map[string]any { return append(many(63, other), f.keys[0]) }, 0, true},
		"the 65th key": {func(f *foreignIssuer) []map[string]any { return append(many(64, other), f.keys[0]) }, 0, false},
	} {
		w, f := newWorld(t), newForeignIssuer(t, "k")
		w.accept(t, f.config("a"))
		text, err := json.Marshal(map[string]any{"keys": c.keys(f)})
		if err != nil {
			t.Fatal(err)
		}
		f.set(func() {
			f.answer = func(w http.ResponseWriter) {
				_, _ = fmt.Fprintf(w, "%s%s", text, strings.Repeat(" ", max(0, c.size-len(text))))
			}
		})
		_, err = w.verifier.Authenticate(t.Context(), withToken(sign(t, jwt.SigningMethodEdDSA, f.key, map[string]any{"typ": "at+jwt", "kid": "k"}, f.claims())))
		if (err == nil) != c.want {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// many are so many keys with other names.
func many(n int, key ed25519.PrivateKey) (keys []map[string]any) {
	for i := range n {
		keys = append(keys, ed25519Set(fmt.Sprint("k", i), key))
	}
	return keys
}

func TestExternalIssuersAreChecked(t *testing.T) {
	good := oauth.ExternalIssuer{Name: "a", Issuer: "https://a.example", Audience: "upline", Algorithms: []string{"RS256"}, Tenants: []string{"acme"}}
	for name, edit := range map[string]func(*oauth.ExternalIssuer){
		"no name":                  func(e *oauth.ExternalIssuer) { e.Name = "" },
		"a name with a colon":      func(e *oauth.ExternalIssuer) { e.Name = "a:b" },
		"http":                     func(e *oauth.ExternalIssuer) { e.Issuer = "http://a.example" },
		"http on this machine":     func(e *oauth.ExternalIssuer) { e.Issuer = "http://127.0.0.1" },
		"http for the keys":        func(e *oauth.ExternalIssuer) { e.JWKSURI = "http://a.example/keys" },
		"a file":                   func(e *oauth.ExternalIssuer) { e.JWKSURI = "file:///etc/passwd" },
		"no audience":              func(e *oauth.ExternalIssuer) { e.Audience = "" },
		"no algorithms":            func(e *oauth.ExternalIssuer) { e.Algorithms = nil },
		"none":                     func(e *oauth.ExternalIssuer) { e.Algorithms = []string{"none"} },
		"a symmetric algorithm":    func(e *oauth.ExternalIssuer) { e.Algorithms = []string{"RS256", "HS256"} },
		"no tenants":               func(e *oauth.ExternalIssuer) { e.Tenants = nil },
		"several tenants, unnamed": func(e *oauth.ExternalIssuer) { e.Tenants = []string{"a", "b"} },
		"the platform's scope":     func(e *oauth.ExternalIssuer) { e.Grants = map[string][]string{"x": {bearer.PlatformTenants}} },
		"a type":                   func(e *oauth.ExternalIssuer) { e.Type = "any" },
		"our own issuer":           func(e *oauth.ExternalIssuer) { e.Issuer = config.Issuer },
		"no URL":                   func(e *oauth.ExternalIssuer) { e.Issuer = "https://%zz" },
		"no host":                  func(e *oauth.ExternalIssuer) { e.Issuer = "https:///keys" },
		"a password":               func(e *oauth.ExternalIssuer) { e.Issuer = "https://u:p@a.example" },
		"an empty fragment":        func(e *oauth.ExternalIssuer) { e.Issuer = "https://a.example#" },
		"a query":                  func(e *oauth.ExternalIssuer) { e.Issuer = "https://a.example?x" },
	} {
		w, e := newWorld(t), good
		edit(&e)
		if err := w.verifier.AcceptIssuers([]oauth.ExternalIssuer{e}, false, w.clock, nil); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	w := newWorld(t)
	renamed, moved := good, good
	renamed.Name, moved.Issuer = "b", "https://b.example"
	for name, other := range map[string]oauth.ExternalIssuer{"one issuer": good, "one issuer, with two names,": renamed, "a name": moved} {
		if err := w.verifier.AcceptIssuers([]oauth.ExternalIssuer{good, other}, false, w.clock, nil); err == nil {
			t.Errorf("%s twice is taken", name)
		}
	}
	for address, want := range map[string]bool{"http://localhost": true, "http://127.0.0.1:80": true, "http://[::1]": true, "http://10.0.0.1": false, "http://a.example": false, "ftp://127.0.0.1": false} {
		here := good
		here.Issuer = address
		if err := w.verifier.AcceptIssuers([]oauth.ExternalIssuer{here}, true, w.clock, nil); (err == nil) != want {
			t.Errorf("%s on this machine: %v", address, err)
		}
	}
	if err := w.verifier.AcceptIssuers([]oauth.ExternalIssuer{good}, false, w.clock, nil); err != nil {
		t.Error(err)
	}
	read, err := oauth.ParseExternalIssuers([]byte(`[{"name": "a", "issuer": "https://a.example", "audience": "upline", "algorithms": ["RS256"],
		"type": "JWT", "tenants": ["acme"], "claims": {"tenant": "/org/id", "scope": "roles", "client": "azp"}, "grants": {"reader": ["read:agents"]}}]`))
	if err != nil || len(read) != 1 || !slices.Equal(read[0].Grants["reader"], []string{"read:agents"}) {
		t.Errorf("%+v %v", read, err)
	}
	for _, bad := range []string{`{}`, `[{"audiance": "x"}]`, `[] []`, ``} {
		if _, err := oauth.ParseExternalIssuers([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
