package app_test

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// forged makes a token of parts that no library makes.
func forged(header map[string]any, c jwt.MapClaims, signature string) string {
	encode := func(v any) string {
		text, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	return encode(header) + "." + encode(c) + "." + base64.RawURLEncoding.EncodeToString([]byte(signature))
}

func signedWith(method jwt.SigningMethod, kid string, key func(p *idp) any) func(p *idp) {
	return func(p *idp) {
		p.sign = func(c jwt.MapClaims) string {
			token := jwt.NewWithClaims(method, c)
			token.Header["kid"] = kid
			text, err := token.SignedString(key(p))
			if err != nil {
				panic(err)
			}
			return text
		}
	}
}

func publicPEM(p *idp) any {
	der, err := x509.MarshalPKIXPublicKey(&p.key.PublicKey)
	if err != nil {
		panic(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// lies changes a claim of the ID token; nil leaves it out.
func lies(name string, value func(p *idp) any) func(p *idp) {
	return func(p *idp) {
		p.claims = func(c jwt.MapClaims) {
			if c[name] = value(p); c[name] == nil {
				delete(c, name)
			}
		}
	}
}

func is(value any) func(*idp) any { return func(*idp) any { return value } }

func answers(path string, answer func(w http.ResponseWriter)) func(p *idp) {
	return func(p *idp) {
		p.serve = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == path {
				answer(w)
			}
			return r.URL.Path == path
		}
	}
}

// hostileTokens are providers, or whoever sits between, whose ID token proves nothing
// (OpenID Connect Core §3.1.3.7, RFC 8725).
var hostileTokens = map[string]func(p *idp){
	"iss: another":             lies("iss", is("https://evil.example")),
	"iss: none":                lies("iss", is(nil)),
	"iss: a final slash":       lies("iss", func(p *idp) any { return p.URL + "/" }),
	"iss: a list":              lies("iss", func(p *idp) any { return []string{p.URL} }),
	"aud: another":             lies("aud", is("another")),
	"aud: none":                lies("aud", is(nil)),
	"aud: a prefix":            lies("aud", is(idpClient+"2")),
	"aud: others":              lies("aud", is([]string{"a", "b"})),
	"aud: several without azp": lies("aud", is([]string{idpClient, "another"})),
	"azp: another":             lies("azp", is("another")),
	"nonce: another":           lies("nonce", is("another")),
	"nonce: none":              lies("nonce", is(nil)),
	"nonce: empty":             lies("nonce", is("")),
	"exp: past":                lies("exp", func(p *idp) any { return p.w.Clock.Now().Add(-5 * time.Minute).Unix() }),
	"exp: none":                lies("exp", is(nil)),
	"iat: the future":          lies("iat", func(p *idp) any { return p.w.Clock.Now().Add(10 * time.Minute).Unix() }),
	"nbf: the future":          lies("nbf", func(p *idp) any { return p.w.Clock.Now().Add(time.Hour).Unix() }),
	"sub: none":                lies("sub", is(nil)),
	"sub: long":                lies("sub", is(strings.Repeat("x", 300))),
	"sub: a number":            lies("sub", is(7)),
	"at_hash: another":         lies("at_hash", is("AAAAAAAAAAAAAAAAAAAAAA")),
	"alg: none": func(p *idp) {
		p.sign = func(c jwt.MapClaims) string { return forged(map[string]any{"alg": "none"}, c, "") }
	},
	"alg: None": func(p *idp) {
		p.sign = func(c jwt.MapClaims) string { return forged(map[string]any{"alg": "None", "kid": "k1"}, c, "") }
	},
	"alg: missing": func(p *idp) {
		p.sign = func(c jwt.MapClaims) string { return forged(map[string]any{"kid": "k1"}, c, "x") }
	},
	"alg: HS256 by our secret": signedWith(jwt.SigningMethodHS256, "k1", func(*idp) any { return []byte(idpSecret) }),
	"alg: HS256 by the key":    signedWith(jwt.SigningMethodHS256, "k1", publicPEM),
	"alg: HS512 by our secret": signedWith(jwt.SigningMethodHS512, "k1", func(*idp) any { return []byte(idpSecret) }),
	"key: a stranger's":        signedWith(jwt.SigningMethodES256, "k1", func(*idp) any { return newECKey() }),
	"key: an unknown kid":      signedWith(jwt.SigningMethodES256, "k9", func(*idp) any { return newECKey() }),
	"key: no kid":              signedWith(jwt.SigningMethodES256, "", func(p *idp) any { return p.key }),
	"key: in the header": func(p *idp) {
		p.sign = func(c jwt.MapClaims) string {
			own := newECKey()
			token := jwt.NewWithClaims(jwt.SigningMethodES256, c)
			token.Header["kid"], token.Header["jwk"] = "k1", ecSet("k1", own)
			text, _ := token.SignedString(own)
			return text
		}
	},
	"key: crit": func(p *idp) {
		p.sign = func(c jwt.MapClaims) string {
			token := jwt.NewWithClaims(jwt.SigningMethodES256, c)
			token.Header["kid"], token.Header["crit"] = "k1", []string{"exp"}
			text, _ := token.SignedString(p.key)
			return text
		}
	},
	"signature: none": func(p *idp) {
		p.sign = func(c jwt.MapClaims) string { return forged(map[string]any{"alg": "ES256", "kid": "k1"}, c, "") }
	},
	"signature: of another token": func(p *idp) {
		p.sign = func(c jwt.MapClaims) string {
			good := p.signed(c, p.key, "k1")
			c["sub"] = "00admin"
			other := p.signed(c, p.key, "k1")
			return other[:strings.LastIndex(other, ".")] + good[strings.LastIndex(good, "."):]
		}
	},
	"token: two members of a name": func(p *idp) {
		p.sign = func(c jwt.MapClaims) string {
			text, _ := json.Marshal(c)
			twice := strings.Replace(string(text), "{", `{"sub":"00admin",`, 1)
			head := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"ES256","kid":"k1"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(twice))
			signature, _ := jwt.SigningMethodES256.Sign(head, p.key)
			return head + "." + base64.RawURLEncoding.EncodeToString(signature)
		}
	},
	"token: none":       func(p *idp) { p.sign = func(jwt.MapClaims) string { return "" } },
	"token: four parts": func(p *idp) { p.sign = func(c jwt.MapClaims) string { return p.signed(c, p.key, "k1") + ".x" } },
	"token: padded":     func(p *idp) { p.sign = func(c jwt.MapClaims) string { return p.signed(c, p.key, "k1") + "==" } },
	"token: huge":       lies("filler", is(strings.Repeat("x", 100<<10))),
	"token: a logout's": lies("nonce", is(nil)),
	"endpoint: 500":     answers("/token", func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) }),
	"endpoint: HTML":    answers("/token", func(w http.ResponseWriter) { _, _ = w.Write([]byte("<html>")) }),
	"endpoint: huge":    answers("/token", func(w http.ResponseWriter) { _, _ = w.Write(make([]byte, 2<<20)) }),
	"endpoint: redirects": answers("/token", func(w http.ResponseWriter) {
		w.Header().Set("Location", "http://169.254.169.254/")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}),
	"endpoint: hangs up":   answers("/token", func(http.ResponseWriter) { panic(http.ErrAbortHandler) }),
	"endpoint: empty":      answers("/token", func(w http.ResponseWriter) { _, _ = w.Write([]byte("{}")) }),
	"email: not verified":  lies("email_verified", is(false)),
	"email: no word of it": lies("email_verified", is(nil)),
	"email: another type":  lies("email_verified", is("yes")),
}

// Nobody comes in by an ID token that proves nothing, and nothing of it is shown or
// logged.
func TestHostileProviderTokens(t *testing.T) {
	onEachProvider(t, func(t *testing.T, w *signInWorld, p *idp) {
		w.provide(t, p, "idp")
		w.refusesTokens(t, p, hostileTokens)
	})
}

// refusesTokens tries each attack of a provider, and then an honest sign-in.
func (w *signInWorld) refusesTokens(t *testing.T, p *idp, attacks map[string]func(p *idp)) {
	t.Helper()
	for name, attack := range attacks {
		b := w.browser(t)
		asked := b.leave(t, authorizePath(), "idp")
		p.set(func() { p.claims, p.sign, p.serve = nil, nil, nil; attack(p) })
		answer := b.arrive(t, "idp", p.signs("c-"+name, asked))
		p.set(func() { p.claims, p.sign, p.serve = nil, nil, nil })
		if answer.StatusCode != http.StatusBadRequest || b.cookie("upline_session") != "" || answer.Header.Get("Location") != "" {
			t.Errorf("%s: %d %s", name, answer.StatusCode, answer.Header.Get("Location"))
		}
		if strings.Contains(answer.text, "evil") || strings.Contains(answer.text, idpSecret) || strings.Contains(w.Logged(), idpSecret) {
			t.Errorf("%s: told too much: %s", name, answer.text)
		}
		w.Clock.Move(3 * time.Second) // the pause between two looks at the keys
	}
	if answer := w.browser(t).enters(t, p, "idp", authorizePath()); answer.back(t).Get("code") == "" {
		t.Error("nobody can sign in any more")
	}
}

// What a browser comes back with, if it is not what it left for: mix-up, replay, injection
// (RFC 9700 §4.4, §4.5, §4.7; RFC 9207 §2.4).
func TestHostileProviderAnswers(t *testing.T) {
	change := func(name, value string) func(back url.Values) {
		return func(back url.Values) {
			if back.Set(name, value); value == "-" {
				back.Del(name)
			}
		}
	}
	onEachProvider(t, func(t *testing.T, w *signInWorld, p *idp) {
		other := newIDP(t, w)
		p.replays = true
		w.provide(t, p, "idp", func(in *identity.ProviderInput) { in.Domains = patch.Set([]string{"acme.example"}) })
		w.provide(t, other, "other")
		w.Clock.Move(time.Second)
		for name, attack := range map[string]func(back url.Values){
			"no state": change("state", "-"), "an empty state": change("state", ""), "a made-up state": change("state", strings.Repeat("A", 43)),
			"no code": change("code", "-"), "a made-up code": change("code", "x"), "iss of another": change("iss", "https://evil.example"),
			"iss of the other provider": change("iss", other.URL), "an empty iss": change("iss", ""),
			"an error": change("error", "access_denied"), "an error with a script": change("error", "<script>alert(1)</script>"),
			"two states": func(back url.Values) { back.Add("state", "x") }, "two codes": func(back url.Values) { back.Add("code", "x") },
			"two issuers": func(back url.Values) { back["iss"] = []string{p.URL, other.URL} },
		} {
			b := w.browser(t)
			back := p.signs("c-"+name, b.leave(t, authorizePath(), "idp"))
			attack(back)
			w.refusesBack(t, name, b, "idp", back)
		}
		victim, attacker := w.browser(t), w.browser(t)
		good := p.signs("victim", victim.leave(t, authorizePath(), "idp"))
		w.refusesBack(t, "a state of another browser", attacker, "idp", good)
		planted := p.signs("attacker", attacker.leave(t, authorizePath(), "idp"))
		w.refusesBack(t, "somebody else's answer: login CSRF", victim, "idp", planted)
		injected := url.Values{"code": {"attacker"}, "state": good["state"]}
		p.set(func() { p.codes["attacker"] = planted })
		w.refusesBack(t, "somebody else's code: injection", victim, "idp", injected)
		mixed := p.signs("mixed", victim.leave(t, authorizePath(), "idp"))
		w.refusesBack(t, "the address of the other provider: mix-up", victim, "other", mixed)
		answer := victim.get(t, oauth.ArrivalPath+apptest.Umbra+"/idp?"+mixed.Encode())
		if answer.StatusCode != http.StatusBadRequest || victim.cookie("upline_session") != "" {
			t.Errorf("another tenant: %d", answer.StatusCode)
		}
		late := p.signs("late", victim.leave(t, authorizePath(), "idp"))
		w.Clock.Move(16 * time.Minute)
		w.refusesBack(t, "after 16 minutes", victim, "idp", late)
		off := p.signs("off", victim.leave(t, authorizePath(), "idp"))
		ctx := w.Context(t, apptest.Acme, bearer.TenantScopes()...)
		for _, disabled := range []bool{true, false} {
			if _, _, err := w.Identity.UpdateProvider(ctx, "idp", identity.ProviderInput{IsDisabled: patch.Set(disabled)}); err != nil {
				t.Fatal(err)
			}
			if disabled {
				w.refusesBack(t, "a disabled provider", victim, "idp", off)
			}
		}
		once := p.signs("once", victim.leave(t, authorizePath(), "idp"))
		form := victim.cookie("upline_sign_in")
		if got := victim.arrive(t, "idp", once); got.back(t).Get("code") == "" {
			t.Fatalf("the way itself: %d %s", got.StatusCode, got.text)
		}
		again := w.browser(t)
		issuer, _ := url.Parse(apptest.Issuer)
		again.Jar.SetCookies(issuer, []*http.Cookie{{Name: "__Host-upline_sign_in", Value: form, Path: "/", Secure: true}})
		w.refusesBack(t, "a replay with the cookie of then", again, "idp", once)

		p.metadata = func(m map[string]any) { m["authorization_response_iss_parameter_supported"] = true }
		w.Clock.Move(time.Hour)
		seen := p.times("/keys")
		b := w.browser(t)
		unnamed := p.signs("unnamed", b.leave(t, authorizePath(), "idp"))
		p.awaits(t, "/keys", seen+1)
		named := p.signs("named", b.leave(t, authorizePath(), "idp"))
		w.refusesBack(t, "no iss of a provider that names itself", b, "idp", named)
		unnamed.Set("iss", p.URL)
		if got := b.arrive(t, "idp", unnamed); got.back(t).Get("code") == "" {
			t.Errorf("with iss: %d %s", got.StatusCode, got.text)
		}
	})
}

func (w *signInWorld) refusesBack(t *testing.T, name string, b *browser, provider string, back url.Values) {
	t.Helper()
	answer := b.arrive(t, provider, back)
	if answer.StatusCode != http.StatusBadRequest || b.cookie("upline_session") != "" || answer.Header.Get("Location") != "" || strings.Contains(answer.text, "<script") || strings.Contains(answer.text, "evil") {
		t.Errorf("%s: %d %s", name, answer.StatusCode, answer.text)
	}
}

// What a provider publishes, if it is wrong: the page says so in plain words, and people
// with sessions go on.
func TestProviderThatIsDown(t *testing.T) {
	onEachProvider(t, func(t *testing.T, w *signInWorld, p *idp) {
		metadata := func(name string, value any) func(*idp) {
			return func(p *idp) { p.metadata = func(m map[string]any) { m[name] = value } }
		}
		for name, try := range map[string]struct {
			change func(p *idp)
			says   string
		}{
			"another issuer":    {metadata("issuer", "https://evil.example"), "its issuer differs"},
			"no keys":           {func(p *idp) { p.keys = nil }, "publishes no usable keys"},
			"a symmetric key":   {func(p *idp) { p.keys = []map[string]any{{"kty": "oct", "kid": "k1", "k": "AAAA"}} }, "publishes no usable keys"},
			"no jwks_uri":       {metadata("jwks_uri", ""), "publishes no usable keys"},
			"http sign-in":      {metadata("authorization_endpoint", "http://evil.example/authorize"), "no https address"},
			"a script":          {metadata("authorization_endpoint", "javascript:alert(1)"), "no https address"},
			"no token endpoint": {metadata("token_endpoint", nil), "no https address"},
			"404":               {answers("/.well-known/openid-configuration", func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) }), "answered with status 404"},
			"500":               {answers("/.well-known/openid-configuration", func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) }), "answered with status 500"},
			"HTML":              {answers("/.well-known/openid-configuration", func(w http.ResponseWriter) { _, _ = w.Write([]byte("<html>")) }), "not JSON"},
			"huge":              {answers("/.well-known/openid-configuration", func(w http.ResponseWriter) { _, _ = w.Write(make([]byte, 1<<20)) }), "too large"},
			"a redirect": {answers("/.well-known/openid-configuration", func(w http.ResponseWriter) {
				w.Header().Set("Location", "http://169.254.169.254/")
				w.WriteHeader(http.StatusFound)
			}), "answered with status 302"},
			"hangs up": {answers("/keys", func(http.ResponseWriter) { panic(http.ErrAbortHandler) }), "closed the connection"},
			"slow":     {answers("/keys", func(http.ResponseWriter) { time.Sleep(6 * time.Second) }), "did not answer in time"},
		} {
			hostile := newIDP(t, w)
			try.change(hostile)
			id := strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(name))
			w.provide(t, hostile, id)
			b := w.browser(t)
			page := b.get(t, authorizePath())
			answer := b.post(t, authorizePath(), url.Values{"form_token": {page.token()}, "do": {"provider " + id}})
			if answer.StatusCode != http.StatusBadGateway || !strings.Contains(answer.text, try.says) || !strings.Contains(answer.text, "not affected") && try.says != "no https address" || strings.Contains(answer.text, "evil") {
				t.Errorf("%s: %d %s", name, answer.StatusCode, answer.text)
			}
			if err := w.Identity.DeleteProvider(w.Context(t, apptest.Acme, bearer.TenantScopes()...), id); err != nil {
				t.Fatal(err)
			}
		}
		w.provide(t, p, "idp")
		b := w.browser(t)
		token := w.exchange(t, "code", b.enters(t, p, "idp", authorizePath()).back(t).Get("code")).Access
		p.Close()
		w.Clock.Move(11 * time.Second)
		if got := w.reads(t, token); got != http.StatusOK {
			t.Errorf("while the provider is down: %d", got)
		}
		if got := b.get(t, authorizePath()); got.back(t).Get("code") == "" {
			t.Errorf("the session is over: %d", got.StatusCode)
		}
		asked := w.browser(t)
		back := asked.leave(t, authorizePath(), "idp") // what it published yesterday is enough to leave
		answer := asked.arrive(t, "idp", url.Values{"code": {"x"}, "state": back["state"]})
		// A connection that was open may be found closed before another one is refused.
		says := strings.Contains(answer.text, "The connection was refused") || strings.Contains(answer.text, "closed the connection without an answer")
		if answer.StatusCode != http.StatusBadRequest || !says {
			t.Errorf("%d %s", answer.StatusCode, answer.text)
		}
	})
}
