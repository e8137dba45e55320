package app_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// Wherever people are shown something, no script runs, nothing is framed, nothing
// is stored (RFC 6749 §10.13, RFC 9700 §4.16).
func TestRFC6749_10_13_PagesAreNotFramed(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		b := w.browser(t)
		w.browser(t).signIn(t, oauth.SignInPath, "ana", anaPassword)
		for name, path := range map[string]string{"sign-in": authorizePath(), "refused": authorizePath("client_id", "x"), "sent back": authorizePath("response_type", "x"),
			"of the workbench": oauth.SignInPath, "signed out": oauth.SignOutPath, "session": oauth.SessionPath} {
			page := b.get(t, path)
			h := page.Header
			policy := h.Get("Content-Security-Policy")
			for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
				if !strings.Contains(policy, part) {
					t.Errorf("%s: the policy lacks %s: %s", name, part, policy)
				}
			}
			if h.Get("X-Frame-Options") != "DENY" || h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" ||
				strings.Contains(policy, "unsafe") || strings.Contains(page.text, "<script") {
				t.Errorf("%s: %v", name, h)
			}
		}
		if policy := b.get(t, authorizePath()).Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "form-action 'self' https://app.example") {
			t.Errorf("a browser would not follow to the client: %s", policy)
		}
	})
}

// RFC 6749 §10.12: nobody is signed in, to a client or out by a form of another
// site: it does not have the token, its browser has another one, or says where the
// form comes from.
func TestRFC6749_10_12_ForgedForms(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		attacker := w.browser(t)
		theirs := attacker.get(t, oauth.SignInPath).token()
		form := func(token string) url.Values {
			return url.Values{"form_token": {token}, "tenant": {apptest.Acme}, "username": {"ana"}, "password": {anaPassword}}
		}
		for _, path := range []string{oauth.SignInPath + "?next=/playground/", authorizePath()} {
			for name, send := range map[string]func(b *browser, ours string) seen{
				"no cookie":         func(_ *browser, ours string) seen { return w.browser(t).post(t, path, form(ours)) },
				"no token":          func(b *browser, _ string) seen { return b.post(t, path, form("")) },
				"another browser's": func(b *browser, _ string) seen { return b.post(t, path, form(theirs)) },
				"by another site":   func(b *browser, ours string) seen { return b.post(t, path, form(ours), "Sec-Fetch-Site", "cross-site") },
				"by a neighbour":    func(b *browser, ours string) seen { return b.post(t, path, form(ours), "Sec-Fetch-Site", "same-site") },
				"by an old browser": func(b *browser, ours string) seen {
					return b.post(t, path, form(ours), "Origin", "https://evil.example")
				},
				"from nowhere":         func(b *browser, ours string) seen { return b.post(t, path, form(ours), "Origin", "null") },
				"as a text":            func(b *browser, ours string) seen { return b.post(t, path, form(ours), "Content-Type", "text/plain") },
				"a query, not a form":  func(b *browser, ours string) seen { return b.get(t, oauth.SignInPath+"?"+form(ours).Encode()) },
				"a token in the query": func(b *browser, ours string) seen { return b.post(t, path+"&form_token="+ours, form("")) },
				"a changed token":      func(b *browser, ours string) seen { return b.post(t, path, form(ours+"x")) },
			} {
				b := w.browser(t)
				answer := send(b, b.get(t, path).token())
				if b.cookie("upline_session") != "" || answer.Header.Get("Location") != "" {
					t.Errorf("%s, %s: signed in: %d", path, name, answer.StatusCode)
				}
			}
		}
		b := w.browser(t)
		b.signIn(t, oauth.SignInPath, "ana", anaPassword, "Sec-Fetch-Site", "same-origin", "Origin", apptest.Issuer)
		secret := b.cookie("upline_session")
		if secret == "" {
			t.Fatal("not signed in")
		}
		ours := b.get(t, oauth.SignOutPath).token()
		for name, send := range map[string]func() seen{
			"a link":    func() seen { return b.get(t, oauth.SignOutPath) },
			"no token":  func() seen { return b.post(t, oauth.SignOutPath, nil) },
			"another's": func() seen { return b.post(t, oauth.SignOutPath, url.Values{"form_token": {theirs}}) },
			"by another site": func() seen {
				return b.post(t, oauth.SignOutPath, url.Values{"form_token": {ours}}, "Sec-Fetch-Site", "cross-site")
			},
		} {
			if send(); b.get(t, oauth.SessionPath).StatusCode != http.StatusOK {
				t.Errorf("%s: signed out", name)
			}
		}
		code := b.code(t)
		got := w.exchange(t, "code", code)
		if out := b.post(t, oauth.SignOutPath, url.Values{"form_token": {ours}}); out.StatusCode != http.StatusOK || b.cookie("upline_session") != "" {
			t.Errorf("signing out: %d", out.StatusCode)
		}
		thief := w.browser(t)
		thief.header.Set("Cookie", "__Host-upline_session="+secret)
		if status := thief.get(t, oauth.SessionPath).StatusCode; status != http.StatusNoContent {
			t.Errorf("the session goes on: %d", status)
		}
		w.Clock.Move(10 * time.Second)
		if again := w.refresh(t, got.Refresh); again.Error != "invalid_grant" || w.reads(t, got.Access) != http.StatusUnauthorized {
			t.Errorf("its tokens go on: %+v", again)
		}
	})
}

// A session has another secret after each sign-in: one that was planted in the
// browser is worth nothing, and the one before ends. It ends after an hour without
// a request and after twelve in any case.
func TestSessions(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		b := w.browser(t)
		issuer, _ := url.Parse(apptest.Issuer)
		b.Jar.SetCookies(issuer, []*http.Cookie{{Name: "__Host-upline_session", Value: "planted", Path: "/", Secure: true}})
		answer := b.signIn(t, oauth.SignInPath, "ana", anaPassword)
		if answer.Header.Get("Location") != "/workbench/" {
			t.Errorf("sent to %s", answer.Header.Get("Location"))
		}
		for _, cookie := range answer.Cookies() {
			if !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/" || cookie.Domain != "" || !strings.HasPrefix(cookie.Name, "__Host-") {
				t.Errorf("a cookie: %s", cookie)
			}
		}
		first := b.cookie("upline_session")
		if first == "planted" || len(first) != 43 {
			t.Fatalf("the session is %q", first)
		}
		b.signIn(t, oauth.SignInPath, "ana", anaPassword)
		if second := b.cookie("upline_session"); second == first {
			t.Error("the secret stays")
		}
		alive := func(secret string) bool {
			other := w.browser(t)
			other.header.Set("Cookie", "__Host-upline_session="+secret)
			return other.get(t, oauth.SessionPath).StatusCode == http.StatusOK
		}
		if alive(first) || alive("planted") || !alive(b.cookie("upline_session")) {
			t.Error("the session before goes on, or the new one does not")
		}
		w.Clock.Move(identity.SessionIdle)
		if alive(b.cookie("upline_session")) {
			t.Error("an idle session goes on")
		}
		b.signIn(t, oauth.SignInPath, "ana", anaPassword)
		var lasted time.Duration
		for ; alive(b.cookie("upline_session")) && lasted < 24*time.Hour; lasted += 30 * time.Minute {
			w.Clock.Move(30 * time.Minute)
		}
		if lasted != identity.SessionLifetime {
			t.Errorf("it lasts for %s", lasted)
		}
		for next, want := range map[string]string{"/playground/?x=1": "/playground/?x=1", "/workbench/acme/agents?day=2026-01-01": "/workbench/acme/agents?day=2026-01-01",
			"//evil.example/playground/": "/workbench/", "https://evil.example": "/workbench/", `/\evil.example`: "/workbench/",
			"/playground/../graphql/acme": "/workbench/", "javascript:alert(1)": "/workbench/", "/playgroundx": "/workbench/"} {
			to := w.browser(t).signIn(t, oauth.SignInPath+"?next="+url.QueryEscape(next), "ana", anaPassword).Header.Get("Location")
			if to != want {
				t.Errorf("next %s leads to %s", next, to)
			}
		}
	})
}

// Another password, and being made Pending, end all sessions and tokens of a user;
// other changes do not.
func TestSessionsEndWithThePassword(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		ctx := w.Context(t, apptest.Acme, bearer.TenantScopes()...)
		for name, test := range map[string]struct {
			change identity.UserInput
			ends   bool
		}{
			"an e-mail address": {identity.UserInput{Email: patch.Set("ana@acme.example")}, false},
			"the same password": {identity.UserInput{Password: patch.Set(vault.Secret(anaPassword))}, true},
			"Pending":           {identity.UserInput{Status: patch.Set(identity.Pending)}, true},
		} {
			if _, _, err := w.Identity.UpdateUser(ctx, "ana", identity.UserInput{Status: patch.Set(identity.Approved)}); err != nil {
				t.Fatal(err)
			}
			b := w.browser(t)
			b.signIn(t, oauth.SignInPath, "ana", anaPassword)
			got, unused := w.exchange(t, "code", b.code(t)), b.code(t)
			if _, _, err := w.Identity.UpdateUser(ctx, "ana", test.change); err != nil {
				t.Fatal(err)
			}
			w.Clock.Move(10 * time.Second)
			session := b.get(t, oauth.SessionPath).StatusCode == http.StatusNoContent
			access := w.reads(t, got.Access) == http.StatusUnauthorized
			refresh := w.refresh(t, got.Refresh).status != http.StatusOK
			code := w.exchange(t, "code", unused).status != http.StatusOK
			if session != test.ends || access != test.ends || refresh != test.ends || code != test.ends {
				t.Errorf("%s: ended are session %t, access token %t, refresh token %t, code %t", name, session, access, refresh, code)
			}
		}
	})
}

// Whatever is wrong, the answer is the same: text, status and headers. A Pending
// user is refused like one who does not exist.
func TestRefusalsAreAlike(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		var first string
		for name, test := range map[string][3]string{"a wrong password": {apptest.Acme, "ana", "wrong"}, "no such user": {apptest.Acme, "nobody", anaPassword}, "Pending": {apptest.Acme, "peter", anaPassword},
			"no such tenant": {"nowhere", "ana", anaPassword}, "another tenant": {apptest.Umbra, "ana", anaPassword}, "no password": {apptest.Acme, "ana", ""}, "nothing": {"", "", ""}, "a long password": {apptest.Acme, "ana", strings.Repeat("x", 5000)}} {
			b := w.browser(t)
			token := b.get(t, oauth.SignInPath).token()
			answer := b.post(t, oauth.SignInPath, url.Values{"form_token": {token}, "tenant": {test[0]}, "username": {test[1]}, "password": {test[2]}})
			text := strings.ReplaceAll(strings.ReplaceAll(answer.text, token, "TOKEN"), ` value="`+test[0]+`"`, "")
			text = strings.ReplaceAll(text, " autofocus", "") + strconv.Itoa(answer.StatusCode) + strconv.Itoa(len(answer.Header))
			if first == "" {
				first = text
			}
			if answer.StatusCode != http.StatusForbidden || !strings.Contains(text, "The sign-in failed") || text != first {
				t.Errorf("%s is told apart: %s, not %s", name, text, first)
			}
		}
		if log := w.Logged(); strings.Contains(log, anaPassword) || strings.Contains(log, "nobody") {
			t.Error("the log has what was typed")
		}
	})
}

// Guessing is slowed down, whether there is such a user or not, in the database:
// another process, and one that starts anew, count on. Who is signed in does not
// notice, and a browser that the user signed in with before has a count of its own.
func TestGuessingIsSlowedDown(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		own := w.browser(t)
		own.signIn(t, oauth.SignInPath, "ana", anaPassword)
		guess := func(username string) seen { return w.browser(t).signIn(t, oauth.SignInPath, username, "wrong") }
		for _, username := range []string{"ana", "nobody"} {
			for n := range 6 {
				if status := guess(username).StatusCode; status != http.StatusForbidden {
					t.Fatalf("%s, guess %d: %d", username, n, status)
				}
			}
			locked := guess(username)
			if locked.StatusCode != http.StatusTooManyRequests || locked.Header.Get("Retry-After") != "30" {
				t.Errorf("%s: %d, Retry-After %s", username, locked.StatusCode, locked.Header.Get("Retry-After"))
			}
		}
		// The right password waits, too, in a browser that nobody knows.
		if status := w.browser(t).signIn(t, oauth.SignInPath, "ana", anaPassword).StatusCode; status != http.StatusTooManyRequests {
			t.Errorf("the right password: %d", status)
		}
		if status := own.get(t, oauth.SessionPath).StatusCode; status != http.StatusOK {
			t.Errorf("the session of before: %d", status)
		}
		if answer := own.signIn(t, oauth.SignInPath, "ana", anaPassword); answer.StatusCode != http.StatusSeeOther {
			t.Errorf("in a browser that is known: %d", answer.StatusCode)
		}
		// The wait doubles, up to a quarter of an hour.
		var waits []string
		for range 8 {
			w.Clock.Move(15 * time.Minute)
			guess("ana")
			waits = append(waits, guess("ana").Header.Get("Retry-After"))
		}
		if got := strings.Join(waits, " "); got != "60 120 240 480 900 900 900 900" {
			t.Errorf("waits of %s seconds", got)
		}
		w.Clock.Move(24 * time.Hour)
		if status := w.browser(t).signIn(t, oauth.SignInPath, "ana", anaPassword).StatusCode; status != http.StatusSeeOther {
			t.Errorf("a day later: %d", status)
		}
	})
}

// One address cannot try many accounts, not even between sign-ins of its own.
func TestGuessingFromOneAddress(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		refused := 0
		for n := range 40 {
			status := w.browser(t).signIn(t, oauth.SignInPath, "user"+strconv.Itoa(n), "wrong").StatusCode
			if status == http.StatusTooManyRequests {
				break
			}
			refused++
			if n%5 == 0 {
				w.browser(t).signIn(t, oauth.SignInPath, "ana", anaPassword)
			}
		}
		if refused != 31 {
			t.Errorf("%d were tried", refused)
		}
	})
}
