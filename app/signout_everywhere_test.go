package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth"
)

// asks sends a GraphQL request with the cookie of a session, as our own pages do.
func (b *browser) asks(t *testing.T, query string) seen {
	t.Helper()
	return b.send(t, http.MethodPost, "/graphql/acme", `{"query": "`+query+`"}`, "Content-Type", "application/json", "X-Upline-Request", "1", "Sec-Fetch-Site", "same-origin")
}

// Who signs out everywhere is signed in nowhere, here neither, and the tokens of
// clients end; an administrator does the same to others. Afterwards people sign in
// as before.
func TestSignOutEverywhere(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		const look = "{ agents { totalCount } }"
		admin := w.As(apptest.Acme, "write:users", "read:users", "read:agents")
		for how, end := range map[string]func(here *browser) any{
			"by oneself": func(here *browser) any {
				return strings.Contains(here.asks(t, "mutation { viewerSessionsEnd { applied } }").text, `"applied":true`)
			},
			"by an administrator": func(*browser) any {
				return apptest.At(admin.Query(t, `mutation { userSessionsEnd(input: {username: "ANA"}) { applied } }`, nil), "userSessionsEnd.applied")
			},
		} {
			here, there := w.browser(t), w.browser(t)
			here.signIn(t, oauth.SignInPath, "ana", anaPassword)
			got := w.exchange(t, "code", there.code(t))
			if here.asks(t, look).StatusCode != 200 || there.asks(t, look).StatusCode != 200 || w.reads(t, got.Access) != 200 {
				t.Fatalf("%s: ana is not signed in", how)
			}
			if end(here) != true {
				t.Errorf("%s: nothing ended", how)
			}
			if here.asks(t, look).StatusCode != 401 || there.asks(t, look).StatusCode != 401 {
				t.Errorf("%s: a session goes on", how)
			}
			if again := w.refresh(t, got.Refresh); again.Error != "invalid_grant" {
				t.Errorf("%s: a client goes on: %+v", how, again)
			}
			if w.Clock.Move(forgotten); w.reads(t, got.Access) != 401 {
				t.Errorf("%s: a token counts", how)
			}
		}
		again := admin.Query(t, `mutation { userSessionsEnd(input: {username: "ana"}) { applied userErrors { code } } }`, nil)
		if apptest.At(again, "userSessionsEnd.applied") != false || len(apptest.At(again, "userSessionsEnd.userErrors").([]any)) != 0 {
			t.Errorf("nowhere signed in: %v", again)
		}
		entries := strings.Join(apptest.Writes(t, admin), "; ")
		if n := strings.Count(entries, "Session [ana]"); n != 6 { // two sign-ins and an end, twice
			t.Errorf("%d entries of sessions: %s", n, entries)
		}
	})
}

// A client has no sessions, nobody ends those of another tenant, and a user who is
// limited to a downline ends its own.
func TestWhoseSessionsEnd(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		for what, c := range map[string]struct {
			caller         *apptest.Caller
			mutation, code string
		}{
			"a client":       {w.As(apptest.Acme, "read:agents"), "viewerSessionsEnd", "NOT_APPLICABLE"},
			"another tenant": {w.As(apptest.Umbra, "write:users"), `userSessionsEnd(input: {username: "ana"})`, "NOT_FOUND"},
		} {
			if got := apptest.At(c.caller.Query(t, "mutation { m: "+c.mutation+" { applied userErrors { code } } }", nil), "m.userErrors.0.code"); got != c.code {
				t.Errorf("%s: %v, want %s", what, got, c.code)
			}
		}
		limited := w.AsUser(t, apptest.Acme, w.AddUser(t, apptest.Acme, "lim", "", "Agent"))
		if data, errs := limited.GraphQL(t, "mutation { viewerSessionsEnd { userErrors { code } } }", nil); len(errs) > 0 {
			t.Errorf("a limited user: %v %v", data, errs)
		}
	})
}
