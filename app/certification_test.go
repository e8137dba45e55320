package app_test

import (
	"context"
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
	"github.com/uplinehq/upline/internal/platform/oauth"
)

// certified is a portal that the plan "Basic OP" of the OpenID Foundation's conformance
// suite tries the server with: response type code, client_secret_basic.
type certified struct {
	*signInWorld
	ctx       context.Context
	provider  *oidc.Provider
	published struct {
		Scopes   []string `json:"scopes_supported"`
		Methods  []string `json:"token_endpoint_auth_methods_supported"`
		Requests *bool    `json:"request_uri_parameter_supported"`
		Types    []string `json:"response_types_supported"`
		Subjects []string `json:"subject_types_supported"`
		UserInfo string   `json:"userinfo_endpoint"`
	}
}

// asks is a request of the suite: its own state and nonce, changed by edits.
func (c *certified) asks(edits ...string) string {
	return authorizePath(append([]string{"client_id", "portal", "scope", "openid", "nonce", "n-1", "code_challenge", "-", "code_challenge_method", "-"}, edits...)...)
}

// proved are the claims of an ID token that was checked (Core §3.1.3.7).
type proved struct {
	*oidc.IDToken
	all map[string]any
	tokens
}

// redeems exchanges a code, and checks what comes of it.
func (c *certified) redeems(t *testing.T, code string, edits ...string) proved {
	t.Helper()
	got := c.exchange(t, append([]string{"code", code, "code_verifier", "-", "client_id", "-", "Authorization", basic("portal", portalSecret)}, edits...)...)
	return c.proves(t, got)
}

func (c *certified) proves(t *testing.T, got tokens) proved {
	t.Helper()
	id, err := c.provider.Verifier(&oidc.Config{ClientID: "portal", Now: c.Clock.Now}).Verify(c.ctx, got.ID)
	if err != nil {
		t.Fatalf("%v: %+v", err, got)
	}
	p := proved{IDToken: id, tokens: got}
	if err := id.Claims(&p.all); err != nil || id.VerifyAccessToken(got.Access) != nil {
		t.Fatalf("%v", err)
	}
	return p
}

// enters signs ana in with a browser, or uses its session.
func (c *certified) enters(t *testing.T, b *browser, edits ...string) proved {
	t.Helper()
	answer := b.get(t, c.asks(edits...))
	if answer.StatusCode == http.StatusOK {
		answer = b.signIn(t, c.asks(edits...), "ana", anaPassword)
	}
	return c.redeems(t, answer.back(t).Get("code"))
}

// tells are the claims of the UserInfo endpoint.
func (c *certified) tells(t *testing.T, p proved) map[string]any {
	t.Helper()
	info, err := c.provider.UserInfo(c.ctx, oauth2.StaticTokenSource(&oauth2.Token{AccessToken: p.Access, TokenType: "Bearer"}))
	if err != nil || info.Subject != p.Subject {
		t.Fatalf("userinfo: %+v %v", info, err)
	}
	var all map[string]any
	if err := info.Claims(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// succeeds is a module whose request is answered as if it had nothing more.
func succeeds(edits ...string) func(t *testing.T, c *certified) {
	return func(t *testing.T, c *certified) {
		if got := c.enters(t, c.browser(t), edits...); got.Nonce != "n-1" || got.Subject == "" {
			t.Errorf("%+v", got.all)
		}
	}
}

// has is a module that asks for a scope: its claims are told, in the ID token or by UserInfo.
func has(scope string, claims ...string) func(t *testing.T, c *certified) {
	return func(t *testing.T, c *certified) {
		got := c.enters(t, c.browser(t), "scope", scope)
		told := c.tells(t, got)
		for _, name := range claims {
			if told[name] == nil {
				t.Errorf("%s is not told: %v", name, told)
			}
		}
	}
}

// lacks is a module that the suite skips, since the metadata do not name its scope.
func lacks(scope string) func(t *testing.T, c *certified) {
	return func(t *testing.T, c *certified) {
		if slices.Contains(c.published.Scopes, scope) {
			t.Errorf("the metadata name %s", scope)
		}
		if got := c.browser(t).get(t, c.asks("scope", "openid "+scope)).back(t).Get("error"); got != "invalid_scope" {
			t.Errorf("asked for %s: %s", scope, got)
		}
	}
}

// refusesObject is a module with a request object, which is refused as unsupported.
func refusesObject(t *testing.T, c *certified) {
	object := forged(map[string]any{"alg": "none"}, map[string]any{"client_id": "portal", "redirect_uri": "https://evil.example", "scope": "openid"}, "")
	answer := c.browser(t).get(t, c.asks("request", object))
	if got := answer.back(t).Get("error"); got != "request_not_supported" || !strings.HasPrefix(answer.Header.Get("Location"), webCallback) {
		t.Errorf("%s at %s", got, answer.Header.Get("Location"))
	}
}

// reuses is a module that exchanges a code twice, the second time after a wait.
func reuses(wait time.Duration) func(t *testing.T, c *certified) {
	return func(t *testing.T, c *certified) {
		code := c.browser(t).signIn(t, c.asks("scope", "openid read:agents"), "ana", anaPassword).back(t).Get("code")
		first := c.redeems(t, code)
		c.Clock.Move(wait)
		if again := c.exchange(t, "code", code, "code_verifier", "-", "client_id", "-", "Authorization", basic("portal", portalSecret)); again.Error != "invalid_grant" {
			t.Errorf("the code again: %+v", again)
		}
		c.Clock.Move(forgotten)
		if got := c.reads(t, first.Access); got != http.StatusUnauthorized {
			t.Errorf("the access token of the code: %d", got)
		}
	}
}

// asksAgain is a module whose second request shows the page, and after which auth_time is
// later.
func asksAgain(wait time.Duration, edits ...string) func(t *testing.T, c *certified) {
	return func(t *testing.T, c *certified) {
		b := c.browser(t)
		first := c.enters(t, b)
		c.Clock.Move(wait)
		if page := b.get(t, c.asks(edits...)); page.StatusCode != http.StatusOK || !strings.Contains(page.text, `type="password"`) {
			t.Fatalf("no page: %d", page.StatusCode)
		}
		second := c.enters(t, b, edits...)
		if second.Subject != first.Subject || second.all["auth_time"].(float64) <= first.all["auth_time"].(float64) {
			t.Errorf("%v, then %v", first.all, second.all)
		}
	}
}

// silently is a module whose second request shows no page.
func silently(hint bool, edits ...string) func(t *testing.T, c *certified) {
	return func(t *testing.T, c *certified) {
		b := c.browser(t)
		first := c.enters(t, b)
		c.Clock.Move(2 * time.Second)
		if hint {
			edits = append(slices.Clone(edits), "id_token_hint", first.ID)
		}
		second := c.redeems(t, b.get(t, c.asks(edits...)).back(t).Get("code"))
		if second.Subject != first.Subject || second.all["auth_time"] != first.all["auth_time"] {
			t.Errorf("%v, then %v", first.all, second.all)
		}
	}
}

// byUserInfo asks the UserInfo endpoint without a library.
func byUserInfo(method string, header http.Header, body string, want int) func(t *testing.T, c *certified) {
	return func(t *testing.T, c *certified) {
		got := c.enters(t, c.browser(t))
		var pairs []string
		for name := range header {
			pairs = append(pairs, name, strings.ReplaceAll(header.Get(name), "TOKEN", got.Access))
		}
		answer := c.browser(t).send(t, method, oauth.UserInfoPath, strings.ReplaceAll(body, "TOKEN", got.Access), pairs...)
		if answer.StatusCode != want || want == http.StatusOK && !strings.Contains(answer.text, `"sub":"`+got.Subject+`"`) {
			t.Errorf("%d %s", answer.StatusCode, answer.text)
		}
	}
}

// The modules of the plan oidcc-basic-certification-test-plan, by their names: what each
// does to the server, without the suite around it.
func TestOpenIDBasicCertification(t *testing.T) {
	modules := []struct {
		name string
		run  func(t *testing.T, c *certified)
	}{
		{"oidcc-server", func(t *testing.T, c *certified) {
			answer := c.browser(t).signIn(t, c.asks(), "ana", anaPassword)
			back := answer.back(t)
			got := c.redeems(t, back.Get("code"))
			if back.Get("state") != "xyz & ü" || back.Get("iss") != apptest.Issuer || got.Nonce != "n-1" || got.all["azp"] != nil || len(got.Audience) != 1 {
				t.Errorf("%v %v", back, got.all)
			}
			if !slices.Contains(c.published.Types, "code") || !slices.Contains(c.published.Subjects, "public") || !slices.Contains(c.published.Scopes, "openid") {
				t.Errorf("%+v", c.published)
			}
		}},
		{"oidcc-response-type-missing", func(t *testing.T, c *certified) {
			if got := c.browser(t).get(t, c.asks("response_type", "-")).back(t).Get("error"); got != "invalid_request" {
				t.Error(got)
			}
		}},
		{"oidcc-userinfo-get", byUserInfo(http.MethodGet, http.Header{"Authorization": {"Bearer TOKEN"}}, "", http.StatusOK)},
		{"oidcc-userinfo-post-header", byUserInfo(http.MethodPost, http.Header{"Authorization": {"Bearer TOKEN"}}, "", http.StatusOK)},
		// RFC 6750 §2.2 is optional, and the suite skips the module when it is refused.
		{"oidcc-userinfo-post-body", byUserInfo(http.MethodPost, http.Header{}, "access_token=TOKEN", http.StatusUnauthorized)},
		{"oidcc-ensure-request-without-nonce-succeeds-for-code-flow", func(t *testing.T, c *certified) {
			if got := c.enters(t, c.browser(t), "nonce", "-"); got.all["nonce"] != nil {
				t.Errorf("%v", got.all)
			}
		}},
		{"oidcc-scope-profile", has("openid profile", "preferred_username")},
		{"oidcc-scope-email", has("openid email", "email", "email_verified")},
		{"oidcc-scope-address", lacks("address")},
		{"oidcc-scope-phone", lacks("phone")},
		{"oidcc-scope-all", has("openid profile email", "preferred_username", "email", "email_verified")},
		{"oidcc-ensure-other-scope-order-succeeds", has("email openid", "email")},
		{"oidcc-display-page", succeeds("display", "page")},
		{"oidcc-display-popup", succeeds("display", "popup")},
		{"oidcc-prompt-login", asksAgain(time.Second, "prompt", "login")},
		{"oidcc-prompt-none-not-logged-in", func(t *testing.T, c *certified) {
			if got := c.browser(t).get(t, c.asks("prompt", "none")).back(t); got.Get("error") != "login_required" || got.Get("state") == "" {
				t.Errorf("%v", got)
			}
		}},
		{"oidcc-prompt-none-logged-in", silently(false, "prompt", "none")},
		{"oidcc-max-age-1", asksAgain(2*time.Second, "max_age", "1")},
		{"oidcc-max-age-10000", silently(false, "max_age", "10000")},
		{"oidcc-ensure-request-with-unknown-parameter-succeeds", succeeds("extra", "foobar")},
		{"oidcc-id-token-hint", silently(true, "prompt", "none")},
		{"oidcc-login-hint", succeeds("login_hint", "ana@upline.test")},
		{"oidcc-ui-locales", succeeds("ui_locales", "se")},
		{"oidcc-claims-locales", succeeds("claims_locales", "se")},
		{"oidcc-ensure-request-with-acr-values-succeeds", succeeds("acr_values", "1 2")},
		{"oidcc-codereuse", reuses(0)},
		{"oidcc-codereuse-30seconds", reuses(30 * time.Second)},
		{"oidcc-ensure-registered-redirect-uri", func(t *testing.T, c *certified) {
			if answer := c.browser(t).get(t, c.asks("redirect_uri", "https://app.example/another")); answer.StatusCode != http.StatusBadRequest || answer.Header.Get("Location") != "" {
				t.Errorf("%d %s", answer.StatusCode, answer.Header.Get("Location"))
			}
		}},
		{"oidcc-ensure-post-request-succeeds", func(t *testing.T, c *certified) {
			_, query, _ := strings.Cut(c.asks(), "?")
			form, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			b := c.browser(t)
			to := b.post(t, oauth.AuthorizePath, form).Header.Get("Location")
			answer := b.signIn(t, strings.TrimPrefix(to, apptest.Issuer), "ana", anaPassword)
			c.redeems(t, answer.back(t).Get("code"))
		}},
		{"oidcc-server-client-secret-post", func(t *testing.T, c *certified) {
			code := c.browser(t).signIn(t, c.asks(), "ana", anaPassword).back(t).Get("code")
			c.proves(t, c.exchange(t, "code", code, "code_verifier", "-", "client_id", "portal", "client_secret", portalSecret))
			if !slices.Contains(c.published.Methods, "client_secret_post") {
				t.Errorf("%v", c.published.Methods)
			}
		}},
		{"oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported", refusesObject},
		{"oidcc-ensure-request-object-with-redirect-uri", refusesObject},
		// claims_parameter_supported is not published, so the parameter is ignored (Core §5.5).
		{"oidcc-claims-essential", succeeds("claims", `{"userinfo": {"name": {"essential": true}}}`)},
		{"oidcc-refresh-token", func(t *testing.T, c *certified) {
			first := c.enters(t, c.browser(t))
			c.Clock.Move(time.Minute)
			second := c.proves(t, c.refresh(t, first.Refresh, "client_id", "-", "Authorization", basic("portal", portalSecret)))
			if second.Subject != first.Subject || second.all["auth_time"] != first.all["auth_time"] || second.Audience[0] != "portal" || !second.IssuedAt.After(first.IssuedAt) || second.Issuer != first.Issuer {
				t.Errorf("%v, then %v", first.all, second.all)
			}
		}},
		{"oidcc-ensure-request-with-valid-pkce-succeeds", func(t *testing.T, c *certified) {
			code := c.browser(t).signIn(t, c.asks("code_challenge", challenge, "code_challenge_method", "S256"), "ana", anaPassword).back(t).Get("code")
			c.redeems(t, code, "code_verifier", verifier)
		}},
	}
	if len(modules) != 35 {
		t.Errorf("%d modules", len(modules))
	}
	onEachOpenID(t, func(t *testing.T, w *signInWorld) {
		w.confidential(t)
		c := &certified{signInWorld: w, ctx: oidc.ClientContext(t.Context(), &http.Client{Transport: w})}
		var err error
		if c.provider, err = oidc.NewProvider(c.ctx, apptest.Issuer); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(w.browser(t).get(t, oauth.OpenIDPath).text), &c.published); err != nil || c.published.Requests == nil || *c.published.Requests {
			t.Fatal(err)
		}
		for _, module := range modules {
			t.Run(module.name, func(t *testing.T) {
				c.ctx = oidc.ClientContext(t.Context(), &http.Client{Transport: w})
				module.run(t, c)
			})
			w.Clock.Move(time.Minute)
		}
	})
}
