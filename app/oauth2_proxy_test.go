package app_test

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/app/clientstest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// untilRefresh is how long to wait until the proxy surely asks for another token before it lets
// anybody through: a session is older than --cookie-refresh=1s only when a whole second of the
// clock is, since the proxy cuts the time of day to seconds first (SessionState.Age).
const untilRefresh = 2100 * time.Millisecond

// oauth2-proxy, unchanged, lets through to a page who signs in at Upline, and tells it who
// that is; it asks again with its refresh token, and lets nobody through who is Pending by now.
func TestOAuth2Proxy(t *testing.T) {
	offline := clientstest.Modules(t, "oauth2-proxy", "tool")
	program := filepath.Join(t.TempDir(), "oauth2-proxy")
	clientstest.Run(t, "oauth2-proxy", offline, "go", "build", "-o", program, "github.com/oauth2-proxy/oauth2-proxy/v7")
	w, issuer := servedHere(t)
	page := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(answer, "the page, for %s", r.Header.Get("X-Forwarded-Email"))
	}))
	defer page.Close()
	address := dbtest.FreeAddress(t)
	proxy := "http://" + address
	client := identity.NewClient{ID: "proxy", TenantID: &w.World.Tenants[apptest.Acme].ID, Secret: portalSecret, Scopes: []string{"read:agents"}, RedirectURIs: []string{proxy + "/oauth2/callback"}}
	if err := app.Operator(w.Store).AddClient(t.Context(), client, w.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	running := exec.CommandContext(t.Context(), program, "--provider=oidc", "--oidc-issuer-url="+issuer, "--client-id=proxy", "--client-secret="+portalSecret, "--redirect-url="+proxy+"/oauth2/callback",
		"--upstream="+page.URL, "--http-address="+address, "--cookie-secret=0123456789abcdef0123456789abcdef", "--cookie-secure=false", "--cookie-refresh=1s", "--email-domain=*",
		"--code-challenge-method=S256", "--skip-provider-button", "--scope=openid email profile", "--insecure-oidc-allow-unverified-email") // an administrator gives addresses, which nobody verifies
	running.Stdout, running.Stderr = t.Output(), t.Output()
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = running.Process.Signal(os.Interrupt)
		_ = running.Wait()
	})
	person := newPerson(t)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if answer, err := http.Get(proxy + "/ping"); err == nil {
			_ = answer.Body.Close()
			break
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	if text := person.signIn(proxy+"/", "not the password"); strings.Contains(text, "the page") || !strings.Contains(text, `role="alert"`) {
		t.Fatalf("with a wrong password: %s", text)
	}
	const through = "the page, for " + anaEmail
	if text := person.signIn(proxy+"/", anaPassword); text != through {
		t.Fatalf("%s", text)
	}
	time.Sleep(untilRefresh)
	if text := person.get(proxy + "/again"); text != through {
		t.Errorf("later: %s", text)
	}
	ana := identity.UserInput{Status: patch.Set(identity.Pending)}
	if _, _, err := w.Identity.UpdateUser(w.Context(t, apptest.Acme, bearer.TenantScopes()...), "ana", ana); err != nil {
		t.Fatal(err)
	}
	time.Sleep(untilRefresh)
	if text := person.get(proxy + "/again"); strings.Contains(text, "the page") {
		t.Errorf("who is Pending now gets %s", text)
	}
}

// person is somebody with a browser that follows redirects and keeps cookies.
type person struct {
	t      *testing.T
	client *http.Client
	last   *http.Response
}

func newPerson(t *testing.T) *person {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t: t, client: &http.Client{Jar: jar}}
}

func (p *person) answer(r *http.Response, err error) string {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	p.last = r
	return string(text)
}

func (p *person) get(address string) string {
	p.t.Helper()
	return p.answer(p.client.Get(address))
}

var formOfPage = regexp.MustCompile(`action="([^"]*)">\s*<input type="hidden" name="form_token" value="([^"]*)">`)

// signIn opens a page, types ana's name and a password into the form that comes, and agrees
// to what is asked then.
func (p *person) signIn(address, password string) string {
	p.t.Helper()
	text := p.get(address)
	for _, what := range []string{"sign-in", "continue"} {
		form := formOfPage.FindStringSubmatch(text)
		if form == nil || strings.Contains(text, `role="alert"`) {
			return text
		}
		to, err := p.last.Request.URL.Parse(html.UnescapeString(form[1]))
		if err != nil {
			p.t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, to.String(), strings.NewReader(url.Values{"form_token": {form[2]}, "username": {"ana"}, "password": {password}, "do": {what}}.Encode()))
		if err != nil {
			p.t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", to.Scheme+"://"+to.Host)
		text = p.answer(p.client.Do(r))
	}
	return text
}
