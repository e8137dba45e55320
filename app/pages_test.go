package app_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/app/pages/workbench"
	"github.com/uplinehq/upline/app/scim"
	"github.com/uplinehq/upline/graph/playground"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// Whatever a browser is answered, it takes it for nothing else, shows it in no frame, loads
// nothing for it that it does not name, tells nobody where it was, and comes by HTTPS only
// (OWASP ASVS 3.2.1, 3.4.1, 3.4.3 to 3.4.6).
func TestEveryAnswerIsSecured(t *testing.T) {
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{Development: true})
	paths := []string{"/", "/nothing", "/readyz", "/openapi.json", "/problems/validation", "/problems/nothing", "/agency-management/acme/agents", "/agency-management/nobody/agents", "/graphql/acme", "/mcp/acme",
		scim.Path + "acme/Users", "/exports/acme/1", oauth.TokenPath, oauth.RevocationPath, oauth.IntrospectionPath, oauth.UserInfoPath, oauth.KeySetPath, oauth.MetadataPath, oauth.OpenIDPath, oauth.AuthorizePath,
		oauth.SignInPath, oauth.SignOutPath, oauth.SessionPath, oauth.ArrivalPath + "acme/x", oauth.DeparturePath + "acme/x", workbench.Path, playground.Path, "/docs/"}
	for _, path := range paths {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			answer := httptest.NewRecorder()
			w.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader("{}")))
			h := answer.Header()
			policy := h.Get("Content-Security-Policy")
			if h.Get("Strict-Transport-Security") != "max-age=31536000; includeSubDomains" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") == "" || !strings.Contains(policy, "frame-ancestors 'none'") || !strings.Contains(policy, "base-uri 'none'") || !strings.HasPrefix(policy, "default-src '") {
				t.Errorf("%s %s: %d %v", method, path, answer.Code, h)
			}
		}
	}
}

// The root leads to the first page that is switched on, and so does signing in;
// a page that is switched off is not there.
func TestPagesSwitchedOff(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		for _, c := range []struct {
			without        []string
			root, signedIn string
		}{
			{nil, workbench.Path, workbench.Path},
			{[]string{workbench.Path}, playground.Path, playground.Path},
			{[]string{playground.Path}, workbench.Path, workbench.Path},
			{[]string{workbench.Path, playground.Path}, "", oauth.SignOutPath},
		} {
			other := w.switchedOff(t, c.without)
			b := other.browser(t)
			if got := b.get(t, "/").Header.Get("Location"); got != c.root {
				t.Errorf("without %v the root leads to %q", c.without, got)
			}
			if got := b.signIn(t, oauth.SignInPath, "ana", anaPassword).Header.Get("Location"); got != c.signedIn {
				t.Errorf("without %v signing in leads to %q", c.without, got)
			}
			for _, path := range []string{workbench.Path, playground.Path} {
				want := http.StatusOK
				if strings.Contains(strings.Join(c.without, " "), path) {
					want = http.StatusNotFound
				}
				if got := b.get(t, path).StatusCode; got != want {
					t.Errorf("without %v: %s is %d", c.without, path, got)
				}
			}
		}
	})
}

// switchedOff is a server of the same database without some pages.
func (w *signInWorld) switchedOff(t *testing.T, without []string) *signInWorld {
	t.Helper()
	c := w.Config
	c.Without = without
	a, err := app.New(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return &signInWorld{w.Served(a)}
}

// Accounts of a demo are a button each on the sign-in page of people, and nowhere
// else.
func TestAccountsOfADemo(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		if text := w.browser(t).get(t, oauth.SignInPath).text; strings.Contains(text, "demo") {
			t.Errorf("a server that is no demo offers accounts: %s", text)
		}
		c := w.Config
		c.Accounts = []oauth.Account{{Label: "Recruiter: <ana>", Tenant: apptest.Acme, Username: "ana", Password: anaPassword}}
		a, err := app.New(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		b := (&signInWorld{w.Served(a)}).browser(t)
		if text := b.get(t, oauth.SignInPath).text; !strings.Contains(text, "Recruiter: &lt;ana&gt;") || !strings.Contains(text, anaPassword) {
			t.Errorf("the page: %s", text)
		}
		if text := b.get(t, authorizePath()).text; strings.Contains(text, anaPassword) {
			t.Error("a client's sign-in page offers the accounts")
		}
	})
}
