package app_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/problem"
)

// The whole way: from a client to the provider and back, with a code for the client; a
// user who is known is linked by the e-mail address, once, and by the subject from then on.
func TestSignInWithAProvider(t *testing.T) {
	onEachProvider(t, func(t *testing.T, w *signInWorld, p *idp) {
		w.provide(t, p, "idp")
		b := w.browser(t)
		asked := b.leave(t, authorizePath("scope", "openid email read:agents"), "idp")
		for name, want := range map[string]string{"client_id": idpClient, "response_type": "code", "scope": "openid profile email",
			"code_challenge_method": "S256", "redirect_uri": apptest.Issuer + "/oauth2/callback/acme/idp"} {
			if asked.Get(name) != want {
				t.Errorf("%s: %s", name, asked.Get(name))
			}
		}
		if len(asked.Get("state")) != 43 || len(asked.Get("nonce")) != 43 || len(asked.Get("code_challenge")) != 43 {
			t.Errorf("asked with %v", asked)
		}
		answer := b.arrive(t, "idp", p.signs("c1", asked))
		back := answer.back(t)
		if !strings.HasPrefix(answer.Header.Get("Location"), webCallback) || back.Get("iss") != apptest.Issuer || back.Get("state") != "xyz & ü" {
			t.Fatalf("%d %s", answer.StatusCode, answer.Header.Get("Location"))
		}
		got := w.exchange(t, "code", back.Get("code"))
		if got.Scope != "openid email read:agents" || w.reads(t, got.Access) != http.StatusOK {
			t.Errorf("%+v", got)
		}
		w.Clock.Move(time.Minute)
		p.set(func() {
			p.claims = func(c jwt.MapClaims) { c["email"], c["preferred_username"] = "another@acme.example", "another" }
		})
		if b := w.browser(t); b.enters(t, p, "idp", oauth.SignInPath+"?tenant=acme&next=/playground/acme/").Header.Get("Location") != "/playground/acme/" {
			t.Error("the workbench's way does not lead on")
		} else if text := b.get(t, oauth.SessionPath).text; !strings.Contains(text, `"username":"ana"`) {
			t.Errorf("signed in as %s", text)
		}
		if b.get(t, authorizePath("prompt", "none")).back(t).Get("code") == "" {
			t.Error("the session does not count")
		}
	})
}

// Who is whom: linked by a verified address or one of the provider's domains, never to a
// user who is somebody else there; made only where the agency says so.
func TestProviderSubjects(t *testing.T) {
	claims := func(edits ...any) func(jwt.MapClaims) {
		return func(c jwt.MapClaims) {
			for i := 0; i < len(edits); i += 2 {
				if c[edits[i].(string)] = edits[i+1]; edits[i+1] == nil {
					delete(c, edits[i].(string))
				}
			}
		}
	}
	onEachProvider(t, func(t *testing.T, w *signInWorld, p *idp) {
		w.provide(t, p, "links")
		ctx := w.Context(t, apptest.Acme, bearer.TenantScopes()...)
		if _, err := w.Identity.CreateUser(ctx, identity.UserInput{Username: "pia", Email: patch.Set("pia@acme.example"), Status: patch.Set(identity.Pending)}); err != nil {
			t.Fatal(err)
		}
		for _, try := range []struct {
			name, provider string
			claims         func(jwt.MapClaims)
			who            string
			says           string
		}{
			{"an address that nobody has", "links", claims("email", "nobody@acme.example"), "", "No user of this agency"},
			{"an address without a word of it", "links", claims("email_verified", nil), "", "No user of this agency"},
			{"a name, which proves nothing", "links", claims("email", nil, "preferred_username", "ana"), "", "No user of this agency"},
			{"the address", "links", claims(), "ana", ""},
			{"another subject with the address of then", "links", claims("sub", "00u2"), "", "somebody else at the provider"},
			{"a domain of the provider", "makes", claims("email_verified", nil), "ana", ""},
			{"another domain", "makes", claims("sub", "00u3", "email", "ana@acme.example.evil.example", "email_verified", nil, "preferred_username", "ana"), "", "Another user has this username"},
			{"somebody new", "makes", claims("sub", "00u4", "email", "new@acme.example", "preferred_username", "new.person"), "new.person", ""},
			{"the same again", "makes", claims("sub", "00u4", "email", "moved@acme.example"), "new.person", ""},
			{"somebody without a name", "makes", claims("sub", "00u5", "email", "plain@acme.example", "preferred_username", nil), "plain@acme.example", ""},
			{"a name that is a client's", "makes", claims("sub", "00u6", "email", nil, "preferred_username", "web"), "", "An API client has this id"},
			{"a name of other letters", "makes", claims("sub", "00u7", "email", nil, "preferred_username", "аna"), "", "letters"},
			{"a Pending user", "makes", claims("sub", "00u8", "email", "pia@acme.example"), "", "not approved"},
			{"another provider than that of the domain, linked before", "links", claims("sub", "00u1"), "", "another sign-in provider"},
			{"another provider than that of the domain", "links", claims("sub", "00u9", "email", "new@acme.example"), "", "another sign-in provider"},
			{"a domain that none of two has", "links", claims("sub", "00u9", "email", "x@elsewhere.example"), "", "give the provider its domains"},
			{"a name that is an address elsewhere", "makes", claims("sub", "00u9", "email", nil, "preferred_username", "x@elsewhere.example"), "", "not its own"},
		} {
			p.set(func() { p.claims = try.claims })
			if try.name == "a domain of the provider" {
				w.provide(t, p, "makes", func(in *identity.ProviderInput) {
					in.CreatesUsers, in.Domains = patch.Set(true), patch.Set([]string{"Acme.Example"})
				})
			}
			b := w.browser(t)
			answer := b.enters(t, p, try.provider, oauth.SignInPath+"?tenant=acme")
			session := b.get(t, oauth.SessionPath).text
			if try.who != "" && !strings.Contains(session, `"username":"`+try.who+`"`) || try.who == "" && (session != "" || !strings.Contains(answer.text, try.says)) {
				t.Errorf("%s: %d %s %s", try.name, answer.StatusCode, session, answer.text)
			}
		}
		if got := w.rolesOf(t, "new.person"); got != "" {
			t.Errorf("a new user has roles: %s", got)
		}
	})
}

// Groups give roles and take them away at each sign-in; roles that no group gives stay.
func TestGroupsGiveRoles(t *testing.T) {
	onEachProvider(t, func(t *testing.T, w *signInWorld, p *idp) {
		w.provide(t, p, "idp", func(in *identity.ProviderInput) {
			in.GroupsClaim = patch.Set("/realm_access/roles")
			in.Roles = patch.Set([]identity.GroupRole{{Group: "sales", Role: "Recruiter"}, {Group: "reports", Role: "Analyst"}, {Group: "boss", Role: "Administrator"}, {Group: "Sales Managers", Role: "Analyst"}})
		})
		for _, try := range []struct {
			groups   any
			userInfo map[string]any
			want     string
			refused  bool
		}{
			{[]string{"sales", "reports", "unknown"}, nil, "Analyst Manager Recruiter", false},
			{[]string{"reports"}, nil, "Analyst Manager", false},
			{nil, map[string]any{"sub": "00u1", "realm_access": map[string]any{"roles": []string{"sales"}}}, "Manager Recruiter", false},
			{nil, map[string]any{"sub": "00other", "realm_access": map[string]any{"roles": []string{"boss"}}}, "Manager Recruiter", true},
			{"Sales Managers", nil, "Analyst Manager", false},
			{nil, map[string]any{"sub": "00u1"}, "Manager", false},
			{[]string{"boss"}, nil, "Administrator Manager", false},
			{[]string{}, nil, "Administrator Manager", true}, // the last administrator
			{[]any{7, "SALES", "sales "}, nil, "Administrator Manager", true},
		} {
			p.set(func() {
				p.userInfo = try.userInfo
				p.claims = func(c jwt.MapClaims) {
					if try.groups != nil {
						c["realm_access"] = map[string]any{"roles": try.groups}
					}
				}
			})
			answer := w.browser(t).enters(t, p, "idp", authorizePath())
			if got := w.rolesOf(t, "ana"); got != try.want || (answer.StatusCode == http.StatusBadRequest) != try.refused {
				t.Errorf("%v, %v: %d %s", try.groups, try.userInfo, answer.StatusCode, got)
			}
		}
		p.set(func() {
			p.claims = func(c jwt.MapClaims) {
				c["_claim_names"] = map[string]any{"/realm_access/roles": "src1"}
				c["_claim_sources"] = map[string]any{"src1": map[string]any{"endpoint": "https://graph.example/me/groups"}}
			}
		})
		if answer := w.browser(t).enters(t, p, "idp", authorizePath()); answer.StatusCode != http.StatusBadRequest || !strings.Contains(answer.text, "more groups than") {
			t.Errorf("groups that are elsewhere: %d", answer.StatusCode)
		}
	})
}

// Passwords off: nobody signs in with one, what began with one ends at once, the last
// provider stays, and the operator has a way back.
func TestPasswordsOff(t *testing.T) {
	onEachProvider(t, func(t *testing.T, w *signInWorld, p *idp) {
		set := func(on bool) error {
			_, err := directory.Update(context.WithoutCancel(t.Context()), w.Store, w.Clock, apptest.Acme, directory.Settings{PasswordSignIn: patch.Set(on)})
			w.Clock.Move(11 * time.Second)
			return err
		}
		if err := set(false); !problem.Has(err, problem.NotApplicable) {
			t.Errorf("without a provider: %v", err)
		}
		w.provide(t, p, "idp")
		b := w.browser(t)
		before := w.exchange(t, "code", b.code(t, "scope", "read:agents"))
		if err := set(false); err != nil {
			t.Fatal(err)
		}
		if w.reads(t, before.Access) != http.StatusUnauthorized || b.get(t, oauth.SessionPath).StatusCode != http.StatusNoContent || w.refresh(t, before.Refresh).Error != "invalid_grant" {
			t.Error("what began with a password goes on")
		}
		if page := b.get(t, authorizePath()); strings.Contains(page.text, `type="password"`) || !strings.Contains(page.text, "Sign in with Provider idp") {
			t.Errorf("the page: %s", page.text)
		}
		if answer := w.browser(t).signIn(t, authorizePath(), "ana", anaPassword); answer.StatusCode != http.StatusForbidden {
			t.Errorf("a password: %d", answer.StatusCode)
		}
		ctx := w.Context(t, apptest.Acme, bearer.TenantScopes()...)
		if _, _, err := w.Identity.UpdateProvider(ctx, "idp", identity.ProviderInput{IsDisabled: patch.Set(true)}); !problem.Has(err, problem.ReferenceInUse) {
			t.Errorf("disabling the last provider: %v", err)
		}
		if err := w.Identity.DeleteProvider(ctx, "idp"); !problem.Has(err, problem.ReferenceInUse) {
			t.Errorf("deleting the last provider: %v", err)
		}
		if w.browser(t).enters(t, p, "idp", authorizePath()).back(t).Get("code") == "" {
			t.Error("the provider does not let in")
		}
		if err := set(true); err != nil { // upline tenant update acme --password-sign-in
			t.Fatal(err)
		}
		if answer := w.browser(t).signIn(t, authorizePath(), "ana", anaPassword); answer.back(t).Get("code") == "" {
			t.Error("no way back")
		}
	})
}

// Several providers: a button for each, and the domain of an e-mail address leads to its
// own.
func TestHomeRealm(t *testing.T) {
	onEachProvider(t, func(t *testing.T, w *signInWorld, p *idp) {
		w.provide(t, p, "one", func(in *identity.ProviderInput) { in.Domains = patch.Set([]string{"one.example"}) })
		w.provide(t, newIDP(t, w), "two", func(in *identity.ProviderInput) { in.Domains = patch.Set([]string{"two.example", "two.test"}) })
		_, err := w.Identity.CreateProvider(w.Context(t, apptest.Acme, bearer.TenantScopes()...), identity.ProviderInput{Name: "three", Issuer: p.URL, ClientID: "c", Domains: patch.Set([]string{"TWO.example"})})
		if !problem.Has(err, problem.DuplicateKey) {
			t.Errorf("a domain of two providers: %v", err)
		}
		for _, try := range []struct{ tenant, typed, leads string }{
			{"acme", "a@one.example", "/acme/one"}, {"acme", "A@TWO.test", "/acme/two"}, {"acme", "a@three.example", ""}, {"acme", "ana", ""}, {"nowhere", "a@one.example", ""}, {"umbra", "a@one.example", ""},
		} {
			b := w.browser(t)
			page := b.get(t, oauth.SignInPath)
			answer := b.post(t, oauth.SignInPath, url.Values{"form_token": {page.token()}, "do": {"organisation"}, "tenant": {try.tenant}, "username": {try.typed}})
			found := continueAt.FindStringSubmatch(answer.text)
			if try.leads == "" {
				if found != nil || !strings.Contains(answer.text, "No sign-in of an organisation fits") {
					t.Errorf("%v: %d %s", try, answer.StatusCode, answer.text)
				}
				continue
			}
			if found == nil || !strings.Contains(found[1], url.QueryEscape(try.leads)) || !strings.Contains(found[1], "login_hint="+url.QueryEscape(try.typed)) {
				t.Errorf("%v: %d %s", try, answer.StatusCode, answer.text)
			}
		}
		for name, form := range map[string]url.Values{"no token": {"do": {"provider one"}}, "another's token": {"do": {"provider one"}, "form_token": {"x"}}} {
			b := w.browser(t)
			b.get(t, authorizePath())
			if answer := b.post(t, authorizePath(), form); answer.StatusCode != http.StatusForbidden || continueAt.MatchString(answer.text) {
				t.Errorf("%s: %d", name, answer.StatusCode)
			}
		}
	})
}

// A person who must sign in anew does so at the provider, which says when.
func TestProviderSignsInAnew(t *testing.T) {
	onEachProvider(t, func(t *testing.T, w *signInWorld, p *idp) {
		w.provide(t, p, "idp")
		for name, try := range map[string]struct {
			authTime any
			code     bool
		}{"now": {w.Clock.Now().Unix(), true}, "an hour ago": {w.Clock.Now().Add(-time.Hour).Unix(), false}, "no word of it": {nil, false}} {
			b := w.browser(t)
			b.enters(t, p, "idp", authorizePath())
			path := authorizePath("prompt", "login")
			asked := b.leave(t, path, "idp")
			if asked.Get("prompt") != "login" || asked.Get("max_age") != "0" {
				t.Errorf("asked with %v", asked)
			}
			p.set(func() {
				p.claims = func(c jwt.MapClaims) {
					if try.authTime != nil {
						c["auth_time"] = try.authTime
					}
				}
			})
			answer := b.arrive(t, "idp", p.signs("c-"+rand.Text(), asked))
			p.set(func() { p.claims = nil })
			if (answer.StatusCode == http.StatusSeeOther && answer.back(t).Get("code") != "") != try.code {
				t.Errorf("%s: %d %s", name, answer.StatusCode, answer.text)
			}
		}
	})
}

// The keys of a provider change while people sign in: the old key counts until the
// provider withdraws it, a new one at once; a clock that is half a minute off is none.
func TestProviderRotatesItsKeys(t *testing.T) {
	onEachProvider(t, func(t *testing.T, w *signInWorld, p *idp) {
		w.provide(t, p, "idp")
		enters := func(name string, want int) {
			t.Helper()
			if answer := w.browser(t).enters(t, p, "idp", authorizePath()); answer.StatusCode != want {
				t.Errorf("%s: %d %s", name, answer.StatusCode, answer.text)
			}
		}
		enters("before", http.StatusSeeOther)
		w.Clock.Move(3 * time.Second)
		b := w.browser(t)
		asked := b.leave(t, authorizePath(), "idp")
		old, kid := p.key, p.kid
		p.set(func() { p.rotate("k2") })
		if answer := b.arrive(t, "idp", p.signs("middle", asked)); answer.StatusCode != http.StatusSeeOther {
			t.Errorf("in the middle: %d %s", answer.StatusCode, answer.text)
		}
		w.Clock.Move(3 * time.Second)
		p.set(func() { p.sign = func(c jwt.MapClaims) string { return p.signed(c, old, kid) } })
		enters("with the withdrawn key", http.StatusBadRequest)
		p.set(func() {
			p.sign = nil
			p.claims = func(c jwt.MapClaims) {
				c["iat"], c["exp"] = w.Clock.Now().Add(30*time.Second).Unix(), w.Clock.Now().Add(-30*time.Second).Unix()
			}
		})
		enters("half a minute off", http.StatusSeeOther)
		p.set(func() {
			p.claims = nil
			p.metadata = func(m map[string]any) { m["token_endpoint_auth_methods_supported"] = []string{"client_secret_basic"} }
		})
		w.Clock.Move(time.Hour)
		enters("after an hour", http.StatusSeeOther)
	})
}

// A provider that says that somebody has signed out ends their sessions and tokens, and
// nothing else (OpenID Connect Back-Channel Logout §2.6); streams end with them
// (TestStreamsEndWhenCredentialsAreTakenBack).
func TestBackChannelLogout(t *testing.T) {
	const event = "http://schemas.openid.net/event/backchannel-logout"
	onEachProvider(t, func(t *testing.T, w *signInWorld, p *idp) {
		w.provide(t, p, "idp")
		logout := func(edits ...any) string {
			now := w.Clock.Now()
			c := jwt.MapClaims{"iss": p.URL, "aud": idpClient, "iat": now.Unix(), "exp": now.Add(2 * time.Minute).Unix(), "jti": rand.Text(), "sub": "00u1", "sid": "s1",
				"events": map[string]any{event: map[string]any{}}}
			for i := 0; i < len(edits); i += 2 {
				if c[edits[i].(string)] = edits[i+1]; edits[i+1] == nil {
					delete(c, edits[i].(string))
				}
			}
			return p.signed(c, p.key, p.kid)
		}
		send := func(token string) int {
			return w.browser(t).post(t, oauth.DeparturePath+"acme/idp", url.Values{"logout_token": {token}}).StatusCode
		}
		enter := func() (*browser, string) {
			b := w.browser(t)
			return b, w.exchange(t, "code", b.enters(t, p, "idp", authorizePath()).back(t).Get("code")).Access
		}
		b, token := enter()
		byPassword := w.browser(t)
		byPassword.code(t)
		for name, bad := range map[string]string{
			"no token": "", "no text": "x", "an ID token": p.token("n"), "another issuer": logout("iss", "https://evil.example"), "another audience": logout("aud", "another"),
			"no event": logout("events", map[string]any{}), "another event": logout("events", map[string]any{"x": map[string]any{}}), "a nonce": logout("nonce", "n"),
			"no jti": logout("jti", nil), "no exp": logout("exp", nil), "expired": logout("exp", w.Clock.Now().Add(-5*time.Minute).Unix()),
			"old": logout("iat", w.Clock.Now().Add(-6*time.Minute).Unix()), "of the future": logout("iat", w.Clock.Now().Add(6*time.Minute).Unix()),
			"nobody": logout("sub", nil, "sid", nil), "U+0000": logout("sid", "s1\x00"), "a stranger's key": p.signed(jwt.MapClaims{"iss": p.URL}, newECKey(), p.kid),
			"alg none": forged(map[string]any{"alg": "none"}, jwt.MapClaims{"iss": p.URL, "aud": idpClient}, ""),
		} {
			if got := send(bad); got != http.StatusBadRequest {
				t.Errorf("%s: %d", name, got)
			}
		}
		if got := w.browser(t).post(t, oauth.DeparturePath+"umbra/idp", url.Values{"logout_token": {logout()}}).StatusCode; got != http.StatusBadRequest {
			t.Errorf("of another tenant: %d", got)
		}
		for name, other := range map[string]string{"another session": logout("sid", "s2"), "another subject": logout("sub", "00u2")} {
			if got := send(other); got != http.StatusOK || b.get(t, oauth.SessionPath).StatusCode != http.StatusOK {
				t.Errorf("%s: %d", name, got)
			}
		}
		gone := func(name string, b *browser, token string) {
			t.Helper()
			w.Clock.Move(11 * time.Second)
			if b.get(t, oauth.SessionPath).StatusCode != http.StatusNoContent || w.reads(t, token) != http.StatusUnauthorized {
				t.Errorf("%s: the session or its tokens go on", name)
			}
		}
		first := logout("sub", nil)
		if got := send(first); got != http.StatusOK {
			t.Errorf("a session: %d", got)
		}
		gone("a session", b, token)
		w.Clock.Move(2 * time.Minute)
		b, token = enter()
		if got := send(first); got == http.StatusOK && b.get(t, oauth.SessionPath).StatusCode != http.StatusOK {
			t.Error("a replay ends a session that began later")
		}
		if got := send(logout("sid", nil)); got != http.StatusOK {
			t.Errorf("a subject: %d", got)
		}
		gone("a subject", b, token)
		if byPassword.get(t, oauth.SessionPath).StatusCode != http.StatusOK {
			t.Error("a session that began with a password ended, too")
		}
	})
}

// Trying a provider out says what is wrong with it, step by step.
func TestProviderIsTriedOut(t *testing.T) {
	onEachProvider(t, func(t *testing.T, w *signInWorld, p *idp) {
		w.provide(t, p, "idp")
		check := func() string {
			found := w.As(apptest.Acme, "write:users").Query(t, `{ signInProviderCheck(name: "idp") { isOk text } }`, nil)
			text := ""
			for _, step := range apptest.At(found, "signInProviderCheck").([]any) {
				text += strings.TrimSpace(fmt.Sprint(step.(object)["isOk"], " ", step.(object)["text"])) + "|"
			}
			return text
		}
		if got := check(); got != "true|true|true|true As far as it tells without a sign-in.|" {
			t.Error(got)
		}
		for want, change := range map[string]func(){
			"true|true|true|false It refuses them.|": func() { p.serve = answersAll("/token", `{"error":"invalid_client"}`, http.StatusUnauthorized) },
			"false The provider cannot be used at the moment: It publishes no usable keys. Whoever is signed in already is not affected.|": func() { p.keys = nil },
		} {
			keys := p.keys
			p.set(change)
			if got := check(); got != want {
				t.Error(got)
			}
			p.set(func() { p.serve, p.keys = nil, keys })
		}
		if _, errs := w.As(apptest.Acme, "read:users").GraphQL(t, `{ signInProviderCheck(name: "idp") { isOk } }`, nil); len(errs) == 0 {
			t.Error("whoever reads users makes the server ask others")
		}
	})
}

func answersAll(path, text string, status int) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == path {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text))
		}
		return r.URL.Path == path
	}
}
