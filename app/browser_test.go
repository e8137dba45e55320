package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// The people and clients of the tests of signing in.
const (
	anaPassword = "Tulip-bucket-91"
	webCallback = "https://app.example/callback?keep=1"
	appCallback = "http://127.0.0.1/callback"
	verifier    = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // RFC 7636, appendix B
	challenge   = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

// signInWorld is a server with ana, who is approved and a recruiter, peter, who is
// pending, and public clients of both tenants.
type signInWorld struct{ *apptest.World }

func onEachSignIn(t *testing.T, f func(t *testing.T, w *signInWorld)) {
	t.Helper()
	onEach(t, func(t *testing.T, world *apptest.World) {
		w := &signInWorld{world}
		ctx := w.Context(t, apptest.Acme, bearer.TenantScopes()...)
		for name, status := range map[string]string{"ana": identity.Approved, "peter": identity.Pending} {
			_, err := w.Identity.CreateUser(ctx, identity.UserInput{Username: name, Password: patch.Set(vault.Secret(anaPassword)),
				Status: patch.Set(status), Roles: patch.Set([]string{"Recruiter"})})
			if err != nil {
				t.Fatal(err)
			}
		}
		for id, uris := range map[string][]string{"web": {webCallback}, "desk": {appCallback}, "two": {webCallback, "com.example.app:/cb"}} {
			w.public(t, id, apptest.Acme, []string{"read:agents", "read:users", "agent-onboarding:applications:read"}, uris...)
		}
		w.public(t, "umbra-web", apptest.Umbra, []string{"read:agents"}, webCallback)
		f(t, w)
	})
}

func (w *signInWorld) public(t *testing.T, id, tenantIdentifier string, scopes []string, uris ...string) {
	t.Helper()
	err := app.Operator(w.Store).AddClient(t.Context(), identity.NewClient{ID: id, TenantID: &w.World.Tenants[tenantIdentifier].ID, Public: true,
		RedirectURIs: uris, Scopes: scopes}, w.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
}

// browser keeps cookies and follows nothing.
type browser struct {
	*http.Client
	header http.Header
}

func (w *signInWorld) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{&http.Client{Transport: w, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, http.Header{}}
}

// seen is an answer, read.
type seen struct {
	*http.Response
	text string
}

func (b *browser) send(t *testing.T, method, path, body string, header ...string) seen {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, apptest.Issuer+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if r.Header = b.header.Clone(); method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := b.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return seen{answer, string(text)}
}

func (b *browser) get(t *testing.T, path string) seen {
	t.Helper()
	return b.send(t, http.MethodGet, path, "")
}

func (b *browser) post(t *testing.T, path string, form url.Values, header ...string) seen {
	t.Helper()
	return b.send(t, http.MethodPost, path, form.Encode(), header...)
}

var formToken = regexp.MustCompile(`name="form_token" value="([^"]*)"`)

// token is that of the form on a page.
func (s seen) token() string {
	if found := formToken.FindStringSubmatch(s.text); found != nil {
		return found[1]
	}
	return ""
}

// cookie is the value that a browser has.
func (b *browser) cookie(name string) string {
	issuer, _ := url.Parse(apptest.Issuer)
	for _, c := range b.Jar.Cookies(issuer) {
		if c.Name == "__Host-"+name {
			return c.Value
		}
	}
	return ""
}

// back are the parameters with which the browser is sent back to a client.
func (s seen) back(t *testing.T) url.Values {
	t.Helper()
	to, err := url.Parse(s.Header.Get("Location"))
	if err != nil || s.StatusCode != http.StatusSeeOther {
		t.Fatalf("not sent back: %d %s", s.StatusCode, s.text)
	}
	return to.Query()
}

// authorizePath asks for a code as web does, changed by edits: pairs of a name and
// a value, "-" for none.
func authorizePath(edits ...string) string {
	query := url.Values{"response_type": {"code"}, "client_id": {"web"}, "redirect_uri": {webCallback}, "state": {"xyz & ü"},
		"code_challenge": {challenge}, "code_challenge_method": {"S256"}}
	for i := 0; i < len(edits); i += 2 {
		if query.Set(edits[i], edits[i+1]); edits[i+1] == "-" {
			query.Del(edits[i])
		}
	}
	return oauth.AuthorizePath + "?" + query.Encode()
}

// signIn fills in the form at a path.
func (b *browser) signIn(t *testing.T, path, username, password string, header ...string) seen {
	t.Helper()
	page := b.get(t, path)
	if page.StatusCode != http.StatusOK {
		return page
	}
	return b.post(t, path, url.Values{"form_token": {page.token()}, "tenant": {apptest.Acme}, "username": {username}, "password": {password}, "do": {"sign-in"}}, header...)
}

// code signs ana in to a client, which gets a code.
func (b *browser) code(t *testing.T, edits ...string) string {
	t.Helper()
	path := authorizePath(edits...)
	answer := b.get(t, path)
	switch {
	case answer.StatusCode != http.StatusOK:
	case strings.Contains(answer.text, `value="continue"`):
		answer = b.post(t, path, url.Values{"form_token": {answer.token()}, "do": {"continue"}})
	default:
		answer = b.signIn(t, path, "ana", anaPassword)
	}
	code := answer.back(t).Get("code")
	if code == "" {
		t.Fatalf("no code: %s", answer.Header.Get("Location"))
	}
	return code
}

// tokens is either answer of the token endpoint.
type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	ID      string `json:"id_token"`
	Scope   string `json:"scope"`
	Error   string `json:"error"`
	status  int
}

// exchange sends a request for tokens as web does, changed by edits.
func (w *signInWorld) exchange(t *testing.T, edits ...string) tokens {
	t.Helper()
	form := url.Values{"grant_type": {"authorization_code"}, "client_id": {"web"}, "redirect_uri": {webCallback}, "code_verifier": {verifier}}
	header := []string{}
	for i := 0; i < len(edits); i += 2 {
		switch form.Set(edits[i], edits[i+1]); {
		case edits[i] == "Authorization":
			form.Del(edits[i])
			header = append(header, edits[i], edits[i+1])
		case edits[i+1] == "-":
			form.Del(edits[i])
		}
	}
	answer := w.browser(t).post(t, oauth.TokenPath, form, header...)
	got := tokens{status: answer.StatusCode}
	if err := json.Unmarshal([]byte(answer.text), &got); err != nil {
		t.Fatalf("%d %s", answer.StatusCode, answer.text)
	}
	if answer.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("an answer with tokens may be stored: %v", answer.Header)
	}
	return got
}

func (w *signInWorld) refresh(t *testing.T, token string, edits ...string) tokens {
	t.Helper()
	return w.exchange(t, append([]string{"grant_type", "refresh_token", "refresh_token", token, "redirect_uri", "-", "code_verifier", "-"}, edits...)...)
}

// reads tells the status of reading agents with a token.
func (w *signInWorld) reads(t *testing.T, token string) int {
	t.Helper()
	return w.WithToken(apptest.Acme, token).Send(t, http.MethodGet, "/agency-management/{tenant}/agents", nil, nil).Code
}
