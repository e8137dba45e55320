package app_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/app/clientstest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// TestLoginLibrary signs somebody in with openid-client, the library of JavaScript
// servers, at a server that listens on this machine, and out again (clients/login.mjs).
// It needs what TestClients needs.
func TestLoginLibrary(t *testing.T) {
	node := clientstest.Node(t, "", "openid-client")
	w := &signInWorld{apptest.New(t, dbtest.SQLite(t), apptest.Options{})}
	_, err := w.Identity.CreateUser(w.Context(t, apptest.Acme, bearer.TenantScopes()...), identity.UserInput{Username: "ana", Password: patch.Set(vault.Secret(anaPassword)),
		Email: patch.Set(anaEmail), Status: patch.Set(identity.Approved), Roles: patch.Set([]string{"Recruiter"})})
	if err != nil {
		t.Fatal(err)
	}
	w.public(t, "web", apptest.Acme, []string{"read:agents"}, "https://portal.example/callback")
	server := httptest.NewServer(w)
	defer server.Close()
	out := clientstest.Run(t, "", []string{"UPLINE_URL=" + server.URL, "UPLINE_ISSUER=" + apptest.Issuer, "UPLINE_USERNAME=ana", "UPLINE_PASSWORD=" + anaPassword,
		"UPLINE_NOW=" + strconv.FormatInt(w.Clock.Now().Unix(), 10)}, node, "login.mjs")
	var learnt struct{ Sub, Email string }
	if err := json.Unmarshal(out, &learnt); err != nil || learnt.Sub == "" || learnt.Email != anaEmail {
		t.Errorf("%v: %s", err, out)
	}
}

// TestPortals signs somebody in to portals that keep a secret, made with the libraries that
// such portals are made with (clients/portals.mjs), unchanged. It needs what TestClients
// needs.
func TestPortals(t *testing.T) {
	for library, path := range map[string]string{"express-openid-connect": "/callback", "passport-openidconnect": "/callback", "@auth/express": "/auth/callback/upline"} {
		t.Run(library, func(t *testing.T) {
			node := clientstest.Node(t, "", library)
			w, url := servedHere(t)
			client := identity.NewClient{ID: "portal", TenantID: &w.World.Tenants[apptest.Acme].ID, Secret: portalSecret, Scopes: []string{"read:agents"},
				RedirectURIs: []string{"http://127.0.0.1" + path}}
			if err := app.Operator(w.Store).AddClient(t.Context(), client, w.Clock.Now()); err != nil {
				t.Fatal(err)
			}
			out := clientstest.Run(t, "", []string{"UPLINE_URL=" + url, "UPLINE_CLIENT_ID=portal", "UPLINE_CLIENT_SECRET=" + portalSecret,
				"UPLINE_USERNAME=ana", "UPLINE_PASSWORD=" + anaPassword}, node, "portals.mjs", library)
			var learnt struct{ Sub, Email string }
			if err := json.Unmarshal(out, &learnt); err != nil || learnt.Sub == "" || learnt.Email != anaEmail {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// servedHere is a server that listens on this machine, under the address that it calls its
// own, with ana.
func servedHere(t *testing.T) (*signInWorld, string) {
	t.Helper()
	w := &signInWorld{apptest.New(t, dbtest.SQLite(t), apptest.Options{Now: time.Now()})}
	_, err := w.Identity.CreateUser(w.Context(t, apptest.Acme, bearer.TenantScopes()...), identity.UserInput{Username: "ana", Password: patch.Set(vault.Secret(anaPassword)),
		Email: patch.Set(anaEmail), Status: patch.Set(identity.Approved), Roles: patch.Set([]string{"Recruiter"})})
	if err != nil {
		t.Fatal(err)
	}
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { handler.ServeHTTP(rw, r) }))
	t.Cleanup(server.Close)
	config := w.App.Config
	config.Issuer = server.URL
	here, err := app.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	handler = here.Handler()
	return w, server.URL
}
