package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// idOf finds the id of a user by name.
func (p provisions) idOf(t *testing.T, username string) string {
	t.Helper()
	found := resourcesOf(p.ask(t, "GET", "Users?filter="+url.QueryEscape(`userName eq "`+username+`"`), ""))
	if len(found) != 1 {
		t.Fatalf("%d users are called %s", len(found), username)
	}
	return found[0]["id"].(string)
}

// Entra renames whom it deletes, in the request that deactivates; and it may ask for what
// cannot be. A leaver has no access afterwards, whatever else the request asks.
func TestLeaversKeepNoAccess(t *testing.T) {
	onEachProvisioned(t, func(t *testing.T, w *signInWorld, p provisions) {
		w.addPerson(t, "boss")
		off := `{"op": "Replace", "path": "active", "value": "False"}`
		for name, leaves := range map[string]struct {
			method, body string
			status       int
			after        string
		}{
			"renamed":           {"PATCH", operations(off + `,{"op": "Replace", "path": "userName", "value": "0f1e2d3c4b5a69788796a5b4c3d2e1f0pia@example.org"}`), 200, "0f1e2d3c4b5a69788796a5b4c3d2e1f0pia@example.org"},
			"a name too long":   {"PATCH", operations(off + `,{"op": "Replace", "path": "userName", "value": "` + strings.Repeat("x", 101) + `"}`), 400, "pia"},
			"another's name":    {"PATCH", operations(`{"op": "Replace", "path": "userName", "value": "boss"},` + off), 409, "pia"},
			"another's id":      {"PATCH", operations(off + `,{"op": "Replace", "path": "id", "value": "0"}`), 400, "pia"},
			"an unknown verb":   {"PATCH", operations(off + `,{"op": "move", "path": "title"}`), 400, "pia"},
			"and a title":       {"PATCH", operations(off + `,{"op": "Replace", "path": "title", "value": "x"}`), 200, "pia"},
			"no path":           {"PATCH", operations(`{"op": "replace", "value": {"active": false, "userName": "boss"}}`), 409, "pia"},
			"replaced":          {"PUT", `{"userName": "boss", "active": false}`, 409, "pia"},
			"replaced, no mail": {"PUT", `{"userName": "pia", "active": "False", "emails": [{"value": "none"}]}`, 400, "pia"},
		} {
			pia := w.AddUser(t, apptest.Acme, "pia", "", "Manager")
			token := w.AsUser(t, apptest.Acme, pia)
			if got := quoted(token.Query(t, `{ viewer { subject } }`, nil)); !strings.Contains(got, `"pia"`) {
				t.Fatal(got)
			}
			path := fmt.Sprint("Users/", pia.ID)
			got := p.ask(t, leaves.method, path, leaves.body)
			if got.status != leaves.status || got.status >= 400 && !strings.Contains(got.String(), "not active any more") {
				t.Errorf("%s: %s", name, got)
			}
			if is := p.ask(t, "GET", path, ""); is.body["active"] != false || is.body["userName"] != leaves.after {
				t.Errorf("%s: %s", name, is)
			}
			if got := token.Send(t, http.MethodGet, "/agency-management/{tenant}/agents", nil, nil); got.Code != http.StatusUnauthorized {
				t.Errorf("%s: the leaver's token is answered by %d", name, got.Code)
			}
			if got := p.ask(t, "DELETE", path, ""); got.status != http.StatusNoContent {
				t.Fatal(got)
			}
		}
		// What is refused for its version, and the last administrator, change nothing.
		admin := fmt.Sprint("Users/", w.AddUser(t, apptest.Acme, "root", "", "Administrator").ID)
		if got := p.ask(t, "PATCH", admin, operations(off+`,{"op": "replace", "path": "userName", "value": "boss"}`)); got.status != http.StatusConflict || p.ask(t, "GET", admin, "").body["active"] != true {
			t.Error(got)
		}
		boss := "Users/" + p.idOf(t, "boss")
		if got := p.ask(t, "PATCH", boss, operations(off), "If-Match", `W/"x"`); got.status != http.StatusPreconditionFailed || p.ask(t, "GET", boss, "").body["active"] != true {
			t.Error(got)
		}
	})
}

// A deleted user leaves nothing behind: whoever gets the name or the address afterwards is
// another user, and no password, role, link, token, or anything that was kept leads there.
// The trail stays, and names who it was.
func TestRFC7644_3_6_DeletedUsersLeaveNothing(t *testing.T) {
	onEachProvider(t, func(t *testing.T, w *signInWorld, idp *idp) {
		p := provisions{w.As(apptest.Acme, "provision:users")}
		w.provide(t, idp, "okta")
		if got := w.browser(t).enters(t, idp, "okta", oauth.SignInPath+"?tenant=acme&next=/playground/acme/"); got.StatusCode >= 400 || !strings.Contains(got.Header.Get("Location"), "/playground/") {
			t.Fatalf("with the provider: %d %s", got.StatusCode, got.text)
		}
		token := w.exchange(t, "code", w.browser(t).code(t)).Access
		ctx := w.Context(t, apptest.Acme, bearer.TenantScopes()...)
		ana, err := w.Identity.User(ctx, "ana")
		if err != nil {
			t.Fatal(err)
		}
		mine := w.AsUser(t, apptest.Acme, ana)
		quoted(mine.Query(t, `mutation { presetCreate(input: {kind: VIEW, subject: "agents", name: "Mine", content: {}}) { preset { id } } }`, nil))
		quoted(mine.Query(t, `mutation { scenarioCreate(input: {name: "Plan", effectiveFrom: "2026-07-01"}) { scenario { id } } }`, nil))
		if got := quoted(mine.Query(t, `{ presets(kind: VIEW) { nodes { name } } scenarios { nodes { name } } }`, nil)); !strings.Contains(got, "Mine") || !strings.Contains(got, "Plan") {
			t.Fatal(got)
		}
		if got := p.ask(t, "DELETE", "Users/"+p.idOf(t, "ana"), ""); got.status != http.StatusNoContent || got.body != nil {
			t.Fatal(got)
		}
		for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
			if got := p.ask(t, method, fmt.Sprint("Users/", ana.ID), `{"userName": "ana", "Operations": [{"op": "replace", "path": "active", "value": true}]}`); got.status != http.StatusNotFound {
				t.Errorf("%s: %s", method, got)
			}
		}
		other := p.ask(t, "POST", "Users", `{"userName": "una", "active": true, "emails": [{"value": "ana@acme.example"}]}`)
		if other.status != http.StatusCreated {
			t.Errorf("another user with the address: %s", other)
		}
		p.ask(t, "DELETE", "Users/"+other.id(), "")
		again := p.ask(t, "POST", "Users", `{"userName": "ana", "externalId": "e1", "active": true}`)
		if again.status != http.StatusCreated || again.id() == fmt.Sprint(ana.ID) || w.rolesOf(t, "ana") != "" {
			t.Fatalf("another user with the name: %s", again)
		}
		if got := w.reads(t, token); got != http.StatusUnauthorized {
			t.Errorf("the earlier user's token: %d", got)
		}
		if got := w.browser(t).signIn(t, authorizePath(), "ana", anaPassword); got.StatusCode != http.StatusForbidden || !strings.Contains(got.text, "The sign-in failed") {
			t.Errorf("the earlier user's password: %d", got.StatusCode)
		}
		if got := w.browser(t).enters(t, idp, "okta", oauth.SignInPath+"?tenant=acme&next=/playground/acme/"); strings.Contains(got.Header.Get("Location"), "/playground/") {
			t.Error("the earlier user's link to the provider leads to the new user")
		}
		if _, _, err := w.Identity.UpdateUser(ctx, "ana", identity.UserInput{Roles: patch.Set([]string{"Manager", "Administrator"})}); err != nil {
			t.Fatal(err)
		}
		now, err := w.Identity.User(ctx, "ana")
		if err != nil || now.AgentCode != nil || now.LastSignInAt != nil {
			t.Errorf("%+v, %v", now, err)
		}
		if got := quoted(w.AsUser(t, apptest.Acme, now).Query(t, `{ presets(kind: VIEW) { nodes { name } } scenarios { nodes { name } } }`, nil)); strings.Contains(got, "Mine") || strings.Contains(got, "Plan") || strings.Contains(got, "errors") {
			t.Errorf("the new user sees %s", got)
		}
		if got := strings.Join(apptest.Writes(t, w.As(apptest.Acme, bearer.TenantScopes()...)), "\n"); !strings.Contains(got, "User [ana] []") {
			t.Errorf("the trail does not tell of the deletion:\n%s", got)
		}
	})
}

// A user who is renamed stays the same one: sessions and tokens go on, and what was kept
// stays theirs. Whoever gets the earlier name gets nothing of it.
func TestRenamedUsersStayThemselves(t *testing.T) {
	onEachProvisioned(t, func(t *testing.T, w *signInWorld, p provisions) {
		ana := w.AddUser(t, apptest.Acme, "ana", "", "Administrator")
		mine := w.AsUser(t, apptest.Acme, ana)
		quoted(mine.Query(t, `mutation { scenarioCreate(input: {name: "Plan", effectiveFrom: "2026-07-01"}) { scenario { id } } }`, nil))
		w.Clock.Move(time.Second)
		if got := p.ask(t, "PATCH", fmt.Sprint("Users/", ana.ID), patchOf("userName", `"mona"`)); got.status != http.StatusOK || got.body["userName"] != "mona" {
			t.Fatal(got)
		}
		if got := quoted(mine.Query(t, `{ viewer { subject user { username } } scenarios { nodes { name createdBy } } }`, nil)); !strings.Contains(got, `"subject":"mona"`) || !strings.Contains(got, `{"username":"mona"}`) || !strings.Contains(got, "Plan") {
			t.Errorf("after the new name: %s", got)
		}
		next := w.AddUser(t, apptest.Acme, "ana", "", "Administrator")
		if got := quoted(w.AsUser(t, apptest.Acme, next).Query(t, `{ scenarios { nodes { name } } }`, nil)); strings.Contains(got, "Plan") || strings.Contains(got, "errors") {
			t.Errorf("whoever has the name now sees %s", got)
		}
		reader := w.As(apptest.Acme, bearer.TenantScopes()...)
		for _, name := range []string{"ana", "mona"} {
			if got := quoted(reader.Query(t, `query($name: String!) { changes(filter: {entityType: "User", entityKey: $name}) { nodes { field values { old new } } } }`, object{"name": name})); !strings.Contains(got, `"username"`) {
				t.Errorf("the trail of %s: %s", name, got)
			}
		}
	})
}
