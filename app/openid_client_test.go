package app_test

import (
	"encoding/json"
	"net/http/httptest"
	"strconv"
	"testing"

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
