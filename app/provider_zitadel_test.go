package app_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
)

var loginForm = regexp.MustCompile(`name="id" value="([^"]*)"`)

// A provider that others wrote, with a page of its own to sign in at: it is found, tried
// out by the administrator's query, and signs a person in, who becomes a user.
func TestSignInWithZitadel(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := &signInWorld{apptest.New(t, s, apptest.Options{Development: true, Now: time.Now()})}
		w.public(t, "web", apptest.Acme, []string{"read:agents"}, webCallback)
		storage.RegisterClients(storage.WebClient("upline", "a secret at zitadel", apptest.Issuer+oauth.ArrivalPath+"acme/zitadel"))
		var router http.Handler
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { router.ServeHTTP(w, r) }))
		t.Cleanup(server.Close)
		router = exampleop.SetupServer(server.URL, storage.NewStorage(storage.NewUserStore(server.URL)), slog.New(slog.DiscardHandler), false)
		ctx := w.Context(t, apptest.Acme, bearer.TenantScopes()...)
		if _, err := w.Identity.CreateProvider(ctx, identity.ProviderInput{Name: "zitadel", Issuer: server.URL, ClientID: "upline",
			ClientSecret: patch.Set(vault.Secret("a secret at zitadel")), CreatesUsers: patch.Set(true)}); err != nil {
			t.Fatal(err)
		}
		found := w.As(apptest.Acme, "write:users").Query(t, `{ signInProviderCheck(name: "zitadel") { step isOk text } }`, nil)
		for _, step := range apptest.At(found, "signInProviderCheck").([]any) {
			if step.(object)["isOk"] != true {
				t.Errorf("%v", step)
			}
		}
		b := w.browser(t)
		asked := b.leave(t, authorizePath("scope", "openid profile"), "zitadel")
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		var back *url.URL
		person := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
			if strings.HasPrefix(r.URL.String(), apptest.Issuer) {
				back = r.URL
				return http.ErrUseLastResponse
			}
			return nil
		}}
		get := func(method, address string, form url.Values) string {
			t.Helper()
			r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			answer, err := person.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			text, err := io.ReadAll(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		var published struct {
			Authorize string `json:"authorization_endpoint"`
		}
		if err := json.Unmarshal([]byte(get(http.MethodGet, server.URL+oauth.OpenIDPath, nil)), &published); err != nil {
			t.Fatal(err)
		}
		page := get(http.MethodGet, published.Authorize+"?"+asked.Encode(), nil)
		id := loginForm.FindStringSubmatch(page)
		if id == nil {
			t.Fatalf("no page to sign in at: %s", page)
		}
		host, _ := url.Parse(server.URL)
		get(http.MethodPost, server.URL+"/login/username", url.Values{"id": {id[1]}, "username": {"test-user@" + host.Hostname()}, "password": {"verysecure"}})
		if back == nil {
			t.Fatal("the provider does not send back")
		}
		answer := b.get(t, back.RequestURI())
		if got := w.exchange(t, "code", answer.back(t).Get("code")); got.Scope != "openid profile" {
			t.Errorf("%+v", got)
		}
		if text := b.get(t, oauth.SessionPath).text; !strings.Contains(text, `"username":"test-user@`) {
			t.Errorf("signed in as %s", text)
		}
	})
}
