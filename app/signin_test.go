package app_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/platform/oauth"
)

// The whole way with a client that others wrote: a browser signs in, the client
// exchanges the code, reads over both doors, and refreshes its token.
func TestSignInWithAnOAuthClient(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		ctx := context.WithValue(t.Context(), oauth2.HTTPClient, &http.Client{Transport: w})
		client := oauth2.Config{ClientID: "desk", RedirectURL: "http://127.0.0.1:51234/callback", Scopes: []string{"read:agents", "read:users"},
			Endpoint: oauth2.Endpoint{AuthURL: apptest.Issuer + oauth.AuthorizePath, TokenURL: apptest.Issuer + oauth.TokenPath, AuthStyle: oauth2.AuthStyleInParams}}
		proof := oauth2.GenerateVerifier()
		path := strings.TrimPrefix(client.AuthCodeURL("a state", oauth2.S256ChallengeOption(proof)), apptest.Issuer)
		b := w.browser(t)
		answer := b.signIn(t, path, "ANA", anaPassword)
		if !strings.HasPrefix(answer.Header.Get("Location"), client.RedirectURL+"?") {
			t.Fatalf("%d %s", answer.StatusCode, answer.Header.Get("Location"))
		}
		back := answer.back(t)
		if back.Get("state") != "a state" || back.Get("iss") != apptest.Issuer {
			t.Errorf("back with %v", back)
		}
		token, err := client.Exchange(ctx, back.Get("code"), oauth2.VerifierOption(proof))
		if err != nil {
			t.Fatal(err)
		}
		// read:users was asked for, and the client holds it, but no role of ana.
		if token.Extra("scope") != "read:agents" || token.RefreshToken == "" || token.TokenType != "Bearer" {
			t.Errorf("the token: %v %v", token.Extra("scope"), token.TokenType)
		}
		var claims map[string]any
		part, err := base64.RawURLEncoding.DecodeString(strings.Split(token.AccessToken, ".")[1])
		if err != nil || json.Unmarshal(part, &claims) != nil {
			t.Fatal(err)
		}
		if claims["sub"] != "ana" || claims["client_id"] != "desk" || claims["tenant"] != apptest.Acme || claims["uid"] == nil || claims["scope"] != "read:agents" {
			t.Errorf("the claims: %v", claims)
		}
		c := w.WithToken(apptest.Acme, token.AccessToken)
		if status, _, _ := c.REST(t, http.MethodGet, "/agents", nil); status != http.StatusOK {
			t.Errorf("REST: %d", status)
		}
		if got := apptest.At(c.Query(t, `{ viewer { tenantIdentifier } agents { totalCount } }`, nil), "viewer.tenantIdentifier"); got != apptest.Acme {
			t.Errorf("GraphQL: %v", got)
		}
		if got := c.In(apptest.Umbra).Send(t, http.MethodGet, "/agency-management/{tenant}/agents", nil, nil).Code; got != http.StatusForbidden {
			t.Errorf("in another tenant: %d", got)
		}
		token.Expiry = time.Now().Add(-time.Hour)
		next, err := client.TokenSource(ctx, token).Token()
		if err != nil || next.RefreshToken == token.RefreshToken || next.AccessToken == token.AccessToken || w.reads(t, next.AccessToken) != http.StatusOK {
			t.Errorf("refreshed: %v", err)
		}
	})
}

// What the discovery metadata say is so (RFC 8414 §2).
func TestRFC8414_2_MetadataOfSignIn(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		var m map[string]any
		if err := json.Unmarshal([]byte(w.browser(t).get(t, oauth.MetadataPath).text), &m); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"authorization_endpoint": apptest.Issuer + "/oauth2/authorize", "authorization_response_iss_parameter_supported": true}
		for name, value := range want {
			if m[name] != value {
				t.Errorf("%s: %v", name, m[name])
			}
		}
		for name, value := range map[string]string{"response_types_supported": "code", "code_challenge_methods_supported": "S256", "response_modes_supported": "query",
			"grant_types_supported": "client_credentials authorization_code refresh_token", "token_endpoint_auth_methods_supported": "client_secret_basic client_secret_post private_key_jwt none"} {
			var all []string
			for _, v := range m[name].([]any) {
				all = append(all, v.(string))
			}
			if got := strings.Join(all, " "); got != value {
				t.Errorf("%s: %s", name, got)
			}
		}
	})
}

// RFC 6749 §3.1.2.4 and §4.1.2.1: with a client or a redirect URI that does not
// fit, the person is told, and the browser is not sent there. All causes look the
// same.
func TestRFC6749_4_1_2_1_NoRedirectToWhoIsNotKnown(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		w.client(t, "confidential")
		b, first := w.browser(t), ""
		for name, path := range map[string]string{
			"no client":               authorizePath("client_id", "-"),
			"an unknown client":       authorizePath("client_id", "nobody"),
			"a confidential client":   authorizePath("client_id", "confidential"),
			"a client twice":          authorizePath() + "&client_id=web",
			"another host":            authorizePath("redirect_uri", "https://evil.example/callback?keep=1"),
			"a longer host":           authorizePath("redirect_uri", "https://app.example.evil.example/callback?keep=1"),
			"another port":            authorizePath("redirect_uri", "https://app.example:444/callback?keep=1"),
			"another path":            authorizePath("redirect_uri", "https://app.example/callback/../evil?keep=1"),
			"another query":           authorizePath("redirect_uri", "https://app.example/callback?keep=1&more=2"),
			"another case":            authorizePath("redirect_uri", "https://APP.example/callback?keep=1"),
			"a fragment":              authorizePath("redirect_uri", webCallback+"#evil"),
			"a user":                  authorizePath("redirect_uri", "https://app.example@evil.example/callback?keep=1"),
			"twice":                   authorizePath() + "&redirect_uri=" + url.QueryEscape(webCallback),
			"none of several":         authorizePath("client_id", "two", "redirect_uri", "-"),
			"another client's":        authorizePath("client_id", "desk"),
			"loopback by name":        authorizePath("client_id", "desk", "redirect_uri", "http://localhost:5000/callback"),
			"loopback, another path":  authorizePath("client_id", "desk", "redirect_uri", "http://127.0.0.1:5000/evil"),
			"loopback, a user":        authorizePath("client_id", "desk", "redirect_uri", "http://127.0.0.1:5000@evil.example/callback"),
			"loopback over https":     authorizePath("client_id", "desk", "redirect_uri", "https://127.0.0.1/callback"),
			"loopback of the other":   authorizePath("client_id", "desk", "redirect_uri", "http://[::1]:5000/callback"),
			"loopback, a longer name": authorizePath("client_id", "desk", "redirect_uri", "http://127.0.0.1.evil.example/callback"),
		} {
			answer := b.get(t, path)
			if answer.StatusCode != http.StatusBadRequest || answer.Header.Get("Location") != "" || strings.Contains(answer.text, "evil") {
				t.Errorf("%s: %d %s", name, answer.StatusCode, answer.Header.Get("Location"))
			}
			if first == "" {
				first = answer.text
			}
			if answer.text != first {
				t.Errorf("%s is told apart: %s", name, answer.text)
			}
		}
	})
}

// client adds a client with a secret.
func (w *signInWorld) client(t *testing.T, id string) {
	t.Helper()
	err := app.Operator(w.Store).AddClient(t.Context(), identity.NewClient{ID: id, TenantID: &w.World.Tenants[apptest.Acme].ID, Secret: "secret", Scopes: []string{"read:agents"}}, w.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
}

// RFC 6749 §3.1.1 and §4.1.2.1, RFC 7636 §4.4.1: what else is wrong the client is
// told, with its state as it was (§4.1.2) and the issuer (RFC 9207 §2). A request
// without PKCE, or with plain, is refused: nobody can talk the server out of it.
func TestRFC7636_4_4_1_ChallengeIsRequired(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		b := w.browser(t)
		for name, test := range map[string]struct{ path, code string }{
			"no response type":             {authorizePath("response_type", "-"), "invalid_request"},
			"the implicit grant":           {authorizePath("response_type", "token"), "unsupported_response_type"},
			"a hybrid":                     {authorizePath("response_type", "code id_token"), "unsupported_response_type"},
			"a response type twice":        {authorizePath() + "&response_type=code", "invalid_request"},
			"no challenge":                 {authorizePath("code_challenge", "-"), "invalid_request"},
			"neither challenge nor method": {authorizePath("code_challenge", "-", "code_challenge_method", "-"), "invalid_request"},
			"plain":                        {authorizePath("code_challenge_method", "plain"), "invalid_request"},
			"plain, as the default":        {authorizePath("code_challenge_method", "-"), "invalid_request"},
			"a challenge twice":            {authorizePath() + "&code_challenge=" + challenge, "invalid_request"},
			"a challenge too short":        {authorizePath("code_challenge", "short"), "invalid_request"},
			"a scope it does not hold":     {authorizePath("scope", "write:agents"), "invalid_scope"},
			"a scope that does not exist":  {authorizePath("scope", "read:agents  x"), "invalid_scope"},
		} {
			answer := b.get(t, test.path)
			if to := answer.Header.Get("Location"); !strings.HasPrefix(to, webCallback+"&") {
				t.Errorf("%s: %d, sent to %s", name, answer.StatusCode, to)
				continue
			}
			back := answer.back(t)
			if back.Get("error") != test.code || back.Get("iss") != apptest.Issuer || back.Get("code") != "" || back.Get("keep") != "1" || back.Get("state") != "xyz & ü" {
				t.Errorf("%s: %v", name, back)
			}
		}
		// A state that comes twice is refused, too.
		if back := b.get(t, authorizePath()+"&state=2").back(t); back.Get("error") != "invalid_request" {
			t.Errorf("state twice: %v", back)
		}
		// RFC 6749 §3.1: "MUST ignore unrecognized request parameters."
		if page := b.get(t, authorizePath("audience", "x", "acr_values", "1")); page.StatusCode != http.StatusOK || page.token() == "" {
			t.Errorf("unknown parameters: %d", page.StatusCode)
		}
	})
}

// RFC 6749 §4.1.2, §4.1.3, §10.5 and RFC 7636 §4.5, §4.6: a code is good once, for
// a minute, for the client, the redirect URI and the verifier it was made for. Each
// attempt uses it up.
func TestRFC6749_4_1_3_CodeIsBound(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		b := w.browser(t)
		for name, test := range map[string]struct {
			edits []string
			after time.Duration
			code  string
		}{
			"another client":               {edits: []string{"client_id", "two"}, code: "invalid_grant"},
			"a client of another tenant":   {edits: []string{"client_id", "umbra-web"}, code: "invalid_grant"},
			"another redirect URI":         {edits: []string{"redirect_uri", "https://app.example/callback"}, code: "invalid_grant"},
			"no redirect URI":              {edits: []string{"redirect_uri", "-"}, code: "invalid_grant"},
			"another verifier":             {edits: []string{"code_verifier", verifier[1:] + "x"}, code: "invalid_grant"},
			"the challenge as verifier":    {edits: []string{"code_verifier", challenge}, code: "invalid_grant"},
			"a verifier too short":         {edits: []string{"code_verifier", "short"}, code: "invalid_grant"},
			"after its time":               {after: time.Minute, code: "invalid_grant"},
			"no verifier":                  {edits: []string{"code_verifier", "-"}, code: "invalid_request"},
			"no client":                    {edits: []string{"client_id", "-"}, code: "invalid_client"},
			"with a secret":                {edits: []string{"client_secret", "x"}, code: "invalid_client"},
			"with an Authorization":        {edits: []string{"Authorization", "Basic d2ViOng="}, code: "invalid_client"},
			"no code":                      {edits: []string{"code", "-"}, code: "invalid_request"},
			"just before its time is over": {after: time.Minute - time.Second},
		} {
			code := b.code(t)
			w.Clock.Move(test.after)
			got := w.exchange(t, append([]string{"code", code}, test.edits...)...)
			w.Clock.Move(-test.after)
			if got.Error != test.code || (got.status == http.StatusOK) != (test.code == "") || (got.status == http.StatusUnauthorized) != (test.code == "invalid_client") {
				t.Errorf("%s: %+v", name, got)
			}
			if again := w.exchange(t, "code", code); test.code == "invalid_grant" && again.status != http.StatusBadRequest {
				t.Errorf("%s: the right attempt after it: %+v", name, again)
			}
		}
	})
}

// RFC 6749 §4.1.2: "If an authorization code is used more than once, the
// authorization server MUST deny the request and SHOULD revoke (when possible) all
// tokens previously issued based on that authorization code."
func TestRFC6749_4_1_2_ReplayedCodeRevokes(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		code := w.browser(t).code(t)
		first := w.exchange(t, "code", code)
		if first.status != http.StatusOK || w.reads(t, first.Access) != http.StatusOK {
			t.Fatalf("%+v", first)
		}
		second := w.refresh(t, first.Refresh)
		if again := w.exchange(t, "code", code, "code_verifier", "a verifier that somebody guessed, which does not matter"); again.Error != "invalid_grant" {
			t.Errorf("replayed: %+v", again)
		}
		w.Clock.Move(10 * time.Second)
		if a, b := w.reads(t, first.Access), w.reads(t, second.Access); a != http.StatusUnauthorized || b != http.StatusUnauthorized {
			t.Errorf("tokens of before: %d and %d", a, b)
		}
		if next := w.refresh(t, second.Refresh); next.Error != "invalid_grant" {
			t.Errorf("the refresh token of before: %+v", next)
		}
		if log := w.Logged(); !strings.Contains(log, "came twice") || strings.Contains(log, code) || strings.Contains(log, first.Refresh) {
			t.Error("the log does not tell of the replay, or tells too much")
		}
	})
}

// RFC 6749 §6 and §10.4, RFC 9700 §4.14.2: a refresh token is good once, for its
// client, and never for more than was granted. One that comes again ends all that
// was made from the grant.
func TestRFC6749_10_4_RefreshTokensRotate(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		b := w.browser(t)
		first := w.exchange(t, "code", b.code(t))
		for name, edits := range map[string][]string{"another client": {"client_id", "two"}, "a secret": {"client_secret", "x"}, "more scopes": {"scope", "write:agents"},
			"a scope not granted": {"scope", "read:users x"}, "a made-up token": {"refresh_token", "x"}, "no token": {"refresh_token", "-"}, "twice": {"grant_type", "refresh"}} {
			if got := w.refresh(t, first.Refresh, edits...); got.status == http.StatusOK {
				t.Errorf("%s: %+v", name, got)
			}
		}
		// None of these has used it.
		narrow := w.refresh(t, first.Refresh, "scope", "read:agents")
		if narrow.Scope != "read:agents" {
			t.Fatalf("narrowed: %+v", narrow)
		}
		wide := w.refresh(t, narrow.Refresh)
		if wide.Scope != first.Scope || wide.Scope != "read:agents agent-onboarding:applications:read" {
			t.Errorf("after a narrow one: %+v, first %+v", wide, first)
		}
		if again := w.refresh(t, first.Refresh); again.Error != "invalid_grant" {
			t.Errorf("replayed: %+v", again)
		}
		if last := w.refresh(t, wide.Refresh); last.Error != "invalid_grant" {
			t.Errorf("after the replay: %+v", last)
		}
		w.Clock.Move(10 * time.Second)
		if got := w.reads(t, wide.Access); got != http.StatusUnauthorized {
			t.Errorf("its access token: %d", got)
		}
		// It lasts for 14 days unless it is used, and 90 days at most.
		idle := w.exchange(t, "code", b.code(t))
		w.Clock.Move(14 * 24 * time.Hour)
		if got := w.refresh(t, idle.Refresh); got.Error != "invalid_grant" {
			t.Errorf("idle: %+v", got)
		}
		kept, days := w.exchange(t, "code", b.code(t)), 0
		for ; kept.status == http.StatusOK && days < 120; days += 9 {
			w.Clock.Move(9 * 24 * time.Hour)
			kept = w.refresh(t, kept.Refresh)
		}
		if days != 90 {
			t.Errorf("it lasts for %d days", days)
		}
	})
}
