package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// The cookie is a credential of the GraphQL door alone, for pages of this server.
func TestSessionAsCredential(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		b := w.browser(t)
		b.signIn(t, oauth.SignInPath, "ana", anaPassword)
		ask := func(path string, header ...string) int {
			return b.send(t, http.MethodPost, path, `{"query": "{ agents { totalCount } }"}`, append([]string{"Content-Type", "application/json"}, header...)...).StatusCode
		}
		for name, test := range map[string]struct {
			path   string
			header []string
			status int
		}{
			"from our page":              {"/graphql/acme", []string{"X-Upline-Request", "1", "Sec-Fetch-Site", "same-origin"}, 200},
			"from an old browser":        {"/graphql/acme", []string{"X-Upline-Request", "1", "Origin", apptest.Issuer}, 200},
			"without the header":         {"/graphql/acme", []string{"Sec-Fetch-Site", "same-origin"}, 401},
			"from another site":          {"/graphql/acme", []string{"X-Upline-Request", "1", "Sec-Fetch-Site", "cross-site", "Origin", apptest.Issuer}, 401},
			"from a neighbour":           {"/graphql/acme", []string{"X-Upline-Request", "1", "Sec-Fetch-Site", "same-site"}, 401},
			"from another origin":        {"/graphql/acme", []string{"X-Upline-Request", "1", "Origin", "https://evil.example"}, 401},
			"from nobody knows where":    {"/graphql/acme", []string{"X-Upline-Request", "1"}, 401},
			"beside a bad token":         {"/graphql/acme", []string{"X-Upline-Request", "1", "Sec-Fetch-Site", "same-origin", "Authorization", "Bearer x"}, 401},
			"for another tenant":         {"/graphql/umbra", []string{"X-Upline-Request", "1", "Sec-Fetch-Site", "same-origin"}, 403},
			"for a tenant there is not":  {"/graphql/nowhere", []string{"X-Upline-Request", "1", "Sec-Fetch-Site", "same-origin"}, 403},
			"on REST":                    {"/agency-management/acme/agents", []string{"X-Upline-Request", "1", "Sec-Fetch-Site", "same-origin"}, 401},
			"on REST, in another tenant": {"/agency-management/umbra/agents", []string{"X-Upline-Request", "1", "Sec-Fetch-Site", "same-origin"}, 401},
		} {
			if status := ask(test.path, test.header...); status != test.status {
				t.Errorf("%s: %d; want %d", name, status, test.status)
			}
		}
		// It can do what the roles hold: a Recruiter changes no agent.
		answer := b.send(t, http.MethodPost, "/graphql/acme", `{"query": "mutation { agentDelete(input: {agentCode: \"A1\"}) { applied } }"}`, "Content-Type", "application/json", "X-Upline-Request", "1", "Sec-Fetch-Site", "same-origin")
		if !strings.Contains(answer.text, `"FORBIDDEN"`) {
			t.Errorf("a mutation: %d %s", answer.StatusCode, answer.text)
		}
	})
}

// A request that brings a file needs no preflight: another site can send it, with the
// cookie of a visitor, who may bring in agents. It is nobody's there.
func TestUploadFromAnotherSite(t *testing.T) {
	onEachSignIn(t, func(t *testing.T, w *signInWorld) {
		if _, err := w.Identity.CreateUser(w.Context(t, apptest.Acme, bearer.TenantScopes()...), identity.UserInput{Username: "root", Password: patch.Set(vault.Secret(anaPassword)),
			Status: patch.Set(identity.Approved), Roles: patch.Set([]string{"Administrator"})}); err != nil {
			t.Fatal(err)
		}
		b := w.browser(t)
		b.signIn(t, oauth.SignInPath, "root", anaPassword)
		body := strings.ReplaceAll(`--edge
Content-Disposition: form-data; name="operations"

{"query": "mutation($f: Upload!) { bulkImport(input: {entity: AGENT, file: $f, initiator: \"x\"}, dryRun: false) { createdCount } }", "variables": {"f": null}}
--edge
Content-Disposition: form-data; name="map"

{"0": ["variables.f"]}
--edge
Content-Disposition: form-data; name="0"; filename="rows"

agentCode,firstName,lastName,status
CSRF1,A,B,Active

--edge--
`, "\n", "\r\n")
		for _, test := range []struct {
			name   string
			header []string
			status int
		}{
			{"a form of another site", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, 401},
			{"a form of another site, in an old browser", []string{"Origin", "https://evil.example"}, 401},
			{"a form of a neighbour", []string{"Sec-Fetch-Site", "same-site"}, 401},
			{"a form of our own", []string{"Sec-Fetch-Site", "same-origin", "Origin", apptest.Issuer}, 401},
			{"a script of our own", []string{"X-Upline-Request", "1", "Sec-Fetch-Site", "same-origin"}, 200},
		} {
			answer := b.send(t, http.MethodPost, "/graphql/acme", body, append([]string{"Content-Type", "multipart/form-data; boundary=edge"}, test.header...)...)
			if answer.StatusCode != test.status || strings.Contains(answer.text, `"createdCount":1`) != (test.status == 200) {
				t.Errorf("%s: %d %s", test.name, answer.StatusCode, answer.text)
			}
		}
		if n := count(t, w.World, "agency_agent"); n != 1 {
			t.Errorf("there are %d agents", n)
		}
	})
}

func count(t *testing.T, w *apptest.World, table string) (n int) {
	t.Helper()
	if _, err := store.One(t.Context(), dbtest.Owner(t, w.Store), []any{&n}, "SELECT count(*) FROM "+table); err != nil {
		t.Fatal(err)
	}
	return n
}
