package app_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/vault"
)

const anaEmail = "ana.diaz@acme.example"

// onEachOpenID is onEachSignIn, where ana has an e-mail address.
func onEachOpenID(t *testing.T, f func(t *testing.T, w *signInWorld)) {
	t.Helper()
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		if _, _, err := w.Identity.UpdateUser(w.Context(t, apptest.Acme, bearer.TenantScopes()...), "ana", identity.UserInput{Email: patch.Set(anaEmail)}); err != nil {
			t.Fatal(err)
		}
		f(t, w)
	})
}

// OpenID Connect with the library that Go programs use, unchanged: it finds the
// server, checks ID tokens, asks who signed in, and refreshes. Access tokens are
// signed with EdDSA here; ID tokens are not.
func TestOpenIDWithGoOIDC(t *testing.T) {
	onEachOpenID(t, func(t *testing.T, w *signInWorld) {
		ctx := oidc.ClientContext(t.Context(), &http.Client{Transport: w})
		provider, err := oidc.NewProvider(ctx, apptest.Issuer)
		if err != nil {
			t.Fatal(err)
		}
		endpoint := provider.Endpoint()
		endpoint.AuthStyle = oauth2.AuthStyleInParams
		client := oauth2.Config{ClientID: "web", RedirectURL: webCallback, Endpoint: endpoint, Scopes: []string{oidc.ScopeOpenID, "email", "profile", "read:agents"}}
		proof := oauth2.GenerateVerifier()
		signedIn := w.Clock.Now()
		answer := w.browser(t).signIn(t, strings.TrimPrefix(client.AuthCodeURL("s", oidc.Nonce("a nonce"), oauth2.S256ChallengeOption(proof)), apptest.Issuer), "ana", anaPassword)
		w.Clock.Move(30 * time.Second)
		token, err := client.Exchange(ctx, answer.back(t).Get("code"), oauth2.VerifierOption(proof))
		if err != nil {
			t.Fatal(err)
		}
		verifier := provider.Verifier(&oidc.Config{ClientID: "web", Now: w.Clock.Now})
		first := w.checkIDToken(t, ctx, verifier, token, "a nonce", signedIn)
		if token.Extra("scope") != "openid profile email read:agents" || w.reads(t, token.AccessToken) != http.StatusOK {
			t.Errorf("the access token holds %v", token.Extra("scope"))
		}
		info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil || info.Subject != first.Subject || info.Email != anaEmail || info.EmailVerified {
			t.Errorf("who signed in: %+v %v", info, err)
		}
		w.Clock.Move(10 * time.Minute)
		token.Expiry = time.Now().Add(-time.Hour)
		next, err := client.TokenSource(ctx, token).Token()
		if err != nil {
			t.Fatal(err)
		}
		// Core §12.2: the same sub and auth_time, and no nonce.
		if second := w.checkIDToken(t, ctx, verifier, next, "", signedIn); second.Subject != first.Subject {
			t.Errorf("after a refresh it is %s", second.Subject)
		}
		raw := token.Extra("id_token").(string)
		if status := w.reads(t, raw); status != http.StatusUnauthorized {
			t.Errorf("an ID token as an access token: %d", status)
		}
		if log := w.Logged(); strings.Contains(log, raw) || strings.Contains(log, token.AccessToken) || strings.Contains(log, anaEmail) || strings.Contains(log, "a nonce") {
			t.Error("the log tells too much")
		}
	})
}

func (w *signInWorld) checkIDToken(t *testing.T, ctx context.Context, verifier *oidc.IDTokenVerifier, token *oauth2.Token, nonce string, signedIn time.Time) *oidc.IDToken {
	t.Helper()
	raw, _ := token.Extra("id_token").(string)
	id, err := verifier.Verify(ctx, raw)
	if err != nil {
		t.Fatal(err)
	}
	var claims struct {
		AuthTime int64  `json:"auth_time"`
		Username string `json:"preferred_username"`
		Tenant   string `json:"tenant"`
		Email    string `json:"email"`
		Verified *bool  `json:"email_verified"`
	}
	if err := id.Claims(&claims); err != nil {
		t.Fatal(err)
	}
	if id.VerifyAccessToken(token.AccessToken) != nil || id.Nonce != nonce || !id.IssuedAt.Equal(w.Clock.Now()) || !id.Expiry.After(w.Clock.Now()) {
		t.Errorf("the ID token: %+v", id)
	}
	if claims.AuthTime != signedIn.Unix() || claims.Username != "ana" || claims.Tenant != apptest.Acme || claims.Email != anaEmail || claims.Verified == nil || *claims.Verified {
		t.Errorf("it says %+v", claims)
	}
	header, err := base64.RawURLEncoding.DecodeString(strings.Split(raw, ".")[0])
	if err != nil || !strings.Contains(string(header), `"RS256"`) {
		t.Errorf("it is signed with %s", header)
	}
	return id
}

// OpenID Connect Discovery §3: what is required is there, what is named works, and
// what is left out means what its default says.
func TestOpenIDDiscovery_3_Metadata(t *testing.T) {
	onEachOpenID(t, func(t *testing.T, w *signInWorld) {
		var m map[string]any
		if err := json.Unmarshal([]byte(w.browser(t).get(t, oauth.OpenIDPath).text), &m); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "response_types_supported", "subject_types_supported",
			"id_token_signing_alg_values_supported", "userinfo_endpoint", "end_session_endpoint", "claims_supported"} {
			if m[name] == nil {
				t.Errorf("%s is missing", name)
			}
		}
		if m["request_uri_parameter_supported"] != false || !slices.Equal(m["id_token_signing_alg_values_supported"].([]any), []any{"RS256"}) || !slices.Equal(m["subject_types_supported"].([]any), []any{"public"}) {
			t.Errorf("it says %v", m)
		}
		scopes := m["scopes_supported"].([]any)
		for _, scope := range []string{"openid", "profile", "email", "read:agents"} {
			if !slices.Contains(scopes, any(scope)) {
				t.Errorf("%s is not named", scope)
			}
		}
	})
}

// OpenID Connect Core §5.4: each scope tells its own claims. Without openid there is
// no ID token, and nobody is told who it is; rights are not needed for that.
func TestOpenIDCore_5_4_Scopes(t *testing.T) {
	onEachOpenID(t, func(t *testing.T, w *signInWorld) {
		b := w.browser(t)
		for scope, told := range map[string][]string{"openid": nil, "openid email": {"email", "email_verified"}, "profile openid": {"preferred_username"}} {
			got := w.exchange(t, "code", b.code(t, "scope", scope))
			if got.status != http.StatusOK || got.ID == "" || w.reads(t, got.Access) != http.StatusForbidden {
				t.Fatalf("%s: %+v", scope, got)
			}
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				answer := b.send(t, method, oauth.UserInfoPath, "", "Authorization", "Bearer "+got.Access)
				var claims map[string]any
				if err := json.Unmarshal([]byte(answer.text), &claims); err != nil || answer.StatusCode != http.StatusOK || answer.Header.Get("Cache-Control") != "no-store" {
					t.Fatalf("%s: %d %s", scope, answer.StatusCode, answer.text)
				}
				if len(claims) != 2+len(told) || claims["sub"] == nil || claims["tenant"] != apptest.Acme {
					t.Errorf("%s: %v", scope, claims)
				}
				for _, name := range told {
					if _, ok := claims[name]; !ok {
						t.Errorf("%s: no %s", scope, name)
					}
				}
			}
			if next := w.refresh(t, got.Refresh); next.ID == "" || next.Scope != got.Scope {
				t.Errorf("%s, refreshed: %+v", scope, next)
			}
		}
		plain := w.exchange(t, "code", b.code(t))
		if plain.ID != "" {
			t.Error("an ID token that nobody asked for")
		}
		if answer := b.send(t, http.MethodGet, oauth.UserInfoPath, "", "Authorization", "Bearer "+plain.Access); answer.StatusCode != http.StatusForbidden || !strings.Contains(answer.Header.Get("WWW-Authenticate"), `scope="openid"`) {
			t.Errorf("without openid: %d %v", answer.StatusCode, answer.Header)
		}
		if answer := b.get(t, oauth.UserInfoPath); answer.StatusCode != http.StatusUnauthorized || answer.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("nobody: %d", answer.StatusCode)
		}
		if back := b.get(t, authorizePath("scope", "email")).back(t); back.Get("error") != "invalid_scope" {
			t.Errorf("email without openid: %v", back)
		}
	})
}

// OpenID Connect Core §3.1.2.1: prompt, max_age and id_token_hint say whether a page
// is shown, and whether a session does.
func TestOpenIDCore_3_1_2_1_Prompt(t *testing.T) {
	onEachOpenID(t, func(t *testing.T, w *signInWorld) {
		b := w.browser(t)
		if back := b.get(t, authorizePath("scope", "openid", "prompt", "none")).back(t); back.Get("error") != "login_required" {
			t.Errorf("nobody is signed in: %v", back)
		}
		id := w.exchange(t, "code", b.code(t, "scope", "openid")).ID
		w.Clock.Move(time.Minute)
		const page = "a page"
		for name, test := range map[string]struct {
			edits []string
			want  string
		}{
			"none":                   {[]string{"prompt", "none"}, ""},
			"login":                  {[]string{"prompt", "login"}, page},
			"consent":                {[]string{"prompt", "consent"}, page},
			"another account":        {[]string{"prompt", "select_account"}, page},
			"none and login":         {[]string{"prompt", "none login"}, "invalid_request"},
			"no such prompt":         {[]string{"prompt", "create"}, "invalid_request"},
			"signed in long ago":     {[]string{"max_age", "60"}, page},
			"at once":                {[]string{"max_age", "0"}, page},
			"not so long ago":        {[]string{"max_age", "61"}, ""},
			"long ago, and silent":   {[]string{"max_age", "60", "prompt", "none"}, "login_required"},
			"no age":                 {[]string{"max_age", "-1"}, "invalid_request"},
			"too great an age":       {[]string{"max_age", "99999999999999999999"}, "invalid_request"},
			"a long nonce":           {[]string{"nonce", strings.Repeat("n", 501)}, "invalid_request"},
			"whom we mean":           {[]string{"id_token_hint", id, "prompt", "none"}, ""},
			"no ID token":            {[]string{"id_token_hint", "x.y.z"}, "invalid_request"},
			"on this machine":        {[]string{"client_id", "desk", "redirect_uri", appCallback, "prompt", "none"}, "interaction_required"},
			"a request object":       {[]string{"request", "x"}, "request_not_supported"},
			"a reference to one":     {[]string{"request_uri", "https://app.example/r"}, "request_uri_not_supported"},
			"an answer in a form":    {[]string{"response_mode", "form_post"}, "invalid_request"},
			"an answer in the query": {[]string{"response_mode", "query"}, ""},
		} {
			answer := b.get(t, authorizePath(append([]string{"scope", "openid"}, test.edits...)...))
			switch {
			case test.want == page:
				if answer.StatusCode != http.StatusOK || answer.token() == "" {
					t.Errorf("%s: %d, sent to %s", name, answer.StatusCode, answer.Header.Get("Location"))
				}
			case answer.back(t).Get("error") != test.want || (answer.back(t).Get("code") != "") != (test.want == ""):
				t.Errorf("%s: %v", name, answer.back(t))
			}
		}
		// The page of another request does not do instead of the password.
		goOn := b.get(t, authorizePath("prompt", "consent")).token()
		if answer := b.post(t, authorizePath("prompt", "login"), url.Values{"form_token": {goOn}, "do": {"continue"}}); answer.StatusCode != http.StatusForbidden {
			t.Errorf("going on without the password: %d", answer.StatusCode)
		}
		// Whoever signs in anew has another auth_time, and must be who was meant.
		w.AddUser(t, apptest.Acme, "rosa", "", "Recruiter")
		if answer := w.browser(t).signIn(t, authorizePath("scope", "openid", "id_token_hint", id, "prompt", "login"), "ana", anaPassword); answer.back(t).Get("code") == "" {
			t.Errorf("anew: %v", answer.back(t))
		}
		w.setPassword(t, apptest.Acme, "rosa")
		if answer := w.browser(t).signIn(t, authorizePath("scope", "openid", "id_token_hint", id), "rosa", anaPassword); answer.back(t).Get("error") != "login_required" {
			t.Errorf("somebody else: %v", answer.back(t))
		}
		// Core §3.1.2.1: the endpoint takes POST. A form of another site brings no
		// session; the link that it becomes does.
		query, _ := url.ParseQuery(strings.TrimPrefix(authorizePath("scope", "openid"), oauth.AuthorizePath+"?"))
		query.Set("password", "a slip")
		answer := b.post(t, oauth.AuthorizePath, query, "Sec-Fetch-Site", "cross-site")
		if to := answer.Header.Get("Location"); answer.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, apptest.Issuer+oauth.AuthorizePath) || strings.Contains(to, "slip") {
			t.Fatalf("by POST: %d %s", answer.StatusCode, to)
		}
		if back := b.get(t, strings.TrimPrefix(answer.Header.Get("Location"), apptest.Issuer)).back(t); back.Get("code") == "" {
			t.Errorf("by POST: %v", back)
		}
	})
}

func (w *signInWorld) setPassword(t *testing.T, tenantIdentifier, username string) {
	t.Helper()
	if _, _, err := w.Identity.UpdateUser(w.Context(t, tenantIdentifier, bearer.TenantScopes()...), username, identity.UserInput{Password: patch.Set(vault.Secret(anaPassword))}); err != nil {
		t.Fatal(err)
	}
}

// OpenID Connect Core §8: a sub is "locally unique and never reassigned": two people of
// one name, in two tenants of the issuer, are two.
func TestOpenIDCore_8_Subject(t *testing.T) {
	onEachOpenID(t, func(t *testing.T, w *signInWorld) {
		w.AddUser(t, apptest.Umbra, "ana", "", "Recruiter")
		w.setPassword(t, apptest.Umbra, "ana")
		subjects := map[string]bool{}
		for _, client := range []string{"web", "umbra-web"} {
			got := w.exchange(t, "client_id", client, "code", w.browser(t).code(t, "client_id", client, "scope", "openid profile"))
			var claims struct{ Sub string }
			part, err := base64.RawURLEncoding.DecodeString(strings.Split(got.ID, ".")[1])
			if err != nil || json.Unmarshal(part, &claims) != nil {
				t.Fatalf("%s: %+v", client, got)
			}
			subjects[claims.Sub] = true
		}
		if len(subjects) != 2 {
			t.Errorf("the subs of both: %v", subjects)
		}
	})
}
