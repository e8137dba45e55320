package app_test

import (
	"crypto/ecdsa"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/platform/oauth"
)

const portalSecret = "a secret of the portal's server"

// confidential adds clients with which people sign in and that prove who they are: portal
// by a secret, signer by its key.
func (w *signInWorld) confidential(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key := newECKey()
	set, err := json.Marshal(map[string]any{"keys": []any{ecSet("k1", key)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []identity.NewClient{{ID: "portal", Secret: portalSecret}, {ID: "signer", PublicKeys: string(set)}, {ID: "robot", Secret: portalSecret}} {
		c.TenantID, c.Scopes = &w.World.Tenants[apptest.Acme].ID, []string{"read:agents"}
		if c.ID != "robot" {
			c.RedirectURIs = []string{webCallback}
		}
		if err := app.Operator(w.Store).AddClient(t.Context(), c, w.Clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	return key
}

func basic(id, secret string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(id)+":"+url.QueryEscape(secret)))
}

const withoutPKCE = "-"

// A client that proves who it is signs people in with or without PKCE, and must prove it
// at every exchange (RFC 6749 §3.2.1, RFC 9700 §2.1.1).
func TestConfidentialClientsSignPeopleIn(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		w.confidential(t)
		code := func(edits ...string) string {
			t.Helper()
			return w.browser(t).code(t, append([]string{"client_id", "portal", "code_challenge", withoutPKCE, "code_challenge_method", "-"}, edits...)...)
		}
		asPortal := []string{"client_id", "-", "Authorization", basic("portal", portalSecret)}
		got := w.exchange(t, append([]string{"code", code("scope", "openid read:agents"), "code_verifier", "-"}, asPortal...)...)
		if got.ID == "" || got.Refresh == "" || w.reads(t, got.Access) != http.StatusOK {
			t.Fatalf("by the header: %+v", got)
		}
		if again := w.refresh(t, got.Refresh, "client_id", "portal"); again.Error != "invalid_client" {
			t.Errorf("refreshed without proof: %+v", again)
		}
		if next := w.refresh(t, got.Refresh, asPortal...); next.Refresh == "" {
			t.Errorf("refreshed: %+v", next)
		}
		if got := w.exchange(t, "code", code(), "code_verifier", "-", "client_id", "portal", "client_secret", portalSecret); got.Access == "" {
			t.Errorf("by the form: %+v", got)
		}
		if got := w.exchange(t, append([]string{"code", code("code_challenge", challenge, "code_challenge_method", "S256")}, asPortal...)...); got.Access == "" {
			t.Errorf("with PKCE: %+v", got)
		}
		for name, try := range map[string]struct {
			code  []string
			edits []string
			want  string
		}{
			"no proof":                         {nil, []string{"client_id", "portal"}, "invalid_client"},
			"another secret":                   {nil, []string{"client_id", "portal", "client_secret", "x"}, "invalid_client"},
			"both ways":                        {nil, append([]string{"client_secret", portalSecret}, asPortal...), "invalid_request"},
			"another client, which proves it":  {nil, []string{"client_id", "-", "Authorization", basic("robot", portalSecret)}, "unauthorized_client"},
			"a public client":                  {nil, []string{"client_id", "web"}, "invalid_request"},
			"a public client with a secret":    {nil, []string{"client_id", "web", "client_secret", "x"}, "invalid_client"},
			"a verifier nobody asked for":      {nil, append([]string{"code_verifier", verifier}, asPortal...), "invalid_grant"},
			"no verifier for a challenge":      {[]string{"code_challenge", challenge, "code_challenge_method", "S256"}, asPortal, "invalid_grant"},
			"another verifier":                 {[]string{"code_challenge", challenge, "code_challenge_method", "S256"}, append([]string{"code_verifier", challenge}, asPortal...), "invalid_grant"},
			"another redirect URI":             {nil, append([]string{"redirect_uri", "https://app.example/other"}, asPortal...), "invalid_grant"},
			"a public client's code, by proof": {[]string{"client_id", "web", "code_challenge", challenge, "code_challenge_method", "S256"}, append([]string{"code_verifier", verifier}, asPortal...), "invalid_grant"},
		} {
			if got := w.exchange(t, append([]string{"code", code(try.code...), "code_verifier", "-"}, try.edits...)...); got.Error != try.want || got.Access != "" {
				t.Errorf("%s: %+v, want %s", name, got, try.want)
			}
		}
		b := w.browser(t)
		for name, edits := range map[string][]string{"plain": {"client_id", "portal", "code_challenge_method", "plain"}, "no method": {"client_id", "portal", "code_challenge_method", "-"},
			"S256 without a challenge": {"client_id", "portal", "code_challenge", "-"}, "public without a challenge": {"code_challenge", "-", "code_challenge_method", "-"}} {
			if got := b.get(t, authorizePath(edits...)).back(t).Get("error"); got != "invalid_request" {
				t.Errorf("%s: %s", name, got)
			}
		}
	})
}

// A client that signs assertions needs no secret (RFC 7523 §2.2 and §3), at any endpoint;
// whatever is wrong with one, the answer is the same.
func TestRFC7523_3_ClientAssertions(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		key := w.confidential(t)
		claims := func(edits ...any) jwt.MapClaims {
			now := w.Clock.Now()
			c := jwt.MapClaims{"iss": "signer", "sub": "signer", "aud": apptest.Issuer + oauth.TokenPath, "jti": rand.Text(), "iat": now.Unix(), "exp": now.Add(time.Minute).Unix()}
			for i := 0; i < len(edits); i += 2 {
				if c[edits[i].(string)] = edits[i+1]; edits[i+1] == nil {
					delete(c, edits[i].(string))
				}
			}
			return c
		}
		sign := func(c jwt.MapClaims, key *ecdsa.PrivateKey, kid string) string { return (&idp{}).signed(c, key, kid) }
		const typ = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
		ask := func(path string, form url.Values, header ...string) (status int, answer tokens, text string) {
			got := w.browser(t).post(t, path, form, header...)
			_ = json.Unmarshal([]byte(got.text), &answer)
			return got.StatusCode, answer, got.text
		}
		good := func() string { return sign(claims(), key, "k1") }
		status, got, _ := ask(oauth.TokenPath, url.Values{"grant_type": {"client_credentials"}, "client_assertion_type": {typ}, "client_assertion": {good()}})
		if status != http.StatusOK || w.reads(t, got.Access) != http.StatusOK {
			t.Errorf("client credentials: %d %+v", status, got)
		}
		code := w.browser(t).code(t, "client_id", "signer", "code_challenge", "-", "code_challenge_method", "-")
		status, people, _ := ask(oauth.TokenPath, url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {webCallback}, "client_id": {"signer"},
			"client_assertion_type": {typ}, "client_assertion": {sign(claims("aud", apptest.Issuer), key, "k1")}})
		if status != http.StatusOK || people.Refresh == "" {
			t.Errorf("a code: %d %+v", status, people)
		}
		for _, path := range []string{oauth.IntrospectionPath, oauth.RevocationPath} {
			if status, _, text := ask(path, url.Values{"token": {people.Refresh}, "client_assertion_type": {typ}, "client_assertion": {good()}}); status != http.StatusOK {
				t.Errorf("%s: %d %s", path, status, text)
			}
		}
		used := good()
		ask(oauth.TokenPath, url.Values{"grant_type": {"client_credentials"}, "client_assertion_type": {typ}, "client_assertion": {used}})
		hs := jwt.NewWithClaims(jwt.SigningMethodHS256, claims())
		hs.Header["kid"] = "k1"
		symmetric, _ := hs.SignedString(publicPEM(&idp{key: key}))
		for name, bad := range map[string]string{
			"used before": used, "empty": "", "no JWT": "x", "alg none": forged(map[string]any{"alg": "none"}, claims(), ""), "HS256 by the key": symmetric,
			"a stranger's key": sign(claims(), newECKey(), "k1"), "an unknown kid": sign(claims(), key, "k2"), "no kid": sign(claims(), key, ""),
			"another audience": sign(claims("aud", "https://evil.example"), key, "k1"), "two audiences": sign(claims("aud", []string{apptest.Issuer, "https://evil.example"}), key, "k1"),
			"no audience": sign(claims("aud", nil), key, "k1"), "another endpoint": sign(claims("aud", apptest.Issuer+oauth.RevocationPath), key, "k1"),
			"another issuer": sign(claims("iss", "portal"), key, "k1"), "another subject": sign(claims("sub", "portal"), key, "k1"), "nobody": sign(claims("iss", nil, "sub", nil), key, "k1"),
			"an unknown client": sign(claims("iss", "nobody", "sub", "nobody"), key, "k1"), "a client with a secret": sign(claims("iss", "portal", "sub", "portal"), key, "k1"),
			"expired": sign(claims("exp", w.Clock.Now().Add(-5*time.Minute).Unix()), key, "k1"), "no exp": sign(claims("exp", nil), key, "k1"),
			"for an hour": sign(claims("exp", w.Clock.Now().Add(time.Hour).Unix()), key, "k1"), "not yet": sign(claims("nbf", w.Clock.Now().Add(5*time.Minute).Unix()), key, "k1"),
			"no jti": sign(claims("jti", nil), key, "k1"), "an access token of ours": got.Access,
		} {
			status, answer, text := ask(oauth.TokenPath, url.Values{"grant_type": {"client_credentials"}, "client_assertion_type": {typ}, "client_assertion": {bad}})
			if status != http.StatusUnauthorized || answer.Error != "invalid_client" || answer.Access != "" {
				t.Errorf("%s: %d %s", name, status, text)
			}
		}
		for name, form := range map[string]url.Values{
			"another type": {"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:saml2-bearer"}, "client_assertion": {good()}},
			"no type":      {"client_assertion": {good()}}, "a secret beside it": {"client_assertion_type": {typ}, "client_assertion": {good()}, "client_secret": {"x"}},
			"twice": {"client_assertion_type": {typ}, "client_assertion": {good(), good()}},
		} {
			form.Set("grant_type", "client_credentials")
			if status, answer, _ := ask(oauth.TokenPath, form); status != http.StatusBadRequest || answer.Error != "invalid_request" {
				t.Errorf("%s: %d %+v", name, status, answer)
			}
		}
		if status, answer, _ := ask(oauth.TokenPath, url.Values{"grant_type": {"client_credentials"}, "client_id": {"portal"}, "client_assertion_type": {typ}, "client_assertion": {good()}}); status != http.StatusUnauthorized {
			t.Errorf("another client_id: %+v", answer)
		}
		if status, answer, _ := ask(oauth.TokenPath, url.Values{"grant_type": {"client_credentials"}}, "Authorization", basic("signer", "")); status != http.StatusUnauthorized {
			t.Errorf("an empty secret: %+v", answer)
		}
	})
}
