package doors_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
)

// ofIdentity reports whether a mutation is about users, roles, clients or keys.
func ofIdentity(mutation string) bool {
	return slices.ContainsFunc([]string{"user", "viewer", "tenant", "role", "client", "apiKey", "signInProvider"}, func(prefix string) bool { return strings.HasPrefix(mutation, prefix) })
}

// identitySteps has every mutation of the area, in an order in which all are
// possible, with what its audit entry and its events say. A refused one, and the
// ones marked as changing nothing, leave neither.
var identitySteps = []struct{ mutation, entry, events string }{
	{`roleCreate(input: {name: "Payroll", scopes: ["read:agents"]}) { applied }`, "Role [Payroll] [scopes]", ""},
	{`roleCreate(input: {name: "Payroll", scopes: ["read:agents"]}) { applied }`, "", ""},
	{`roleUpdate(input: {name: "Payroll", description: "Pays"}) { applied }`, "Role [Payroll] [description]", ""},
	{`roleUpdate(input: {name: "Payroll", description: "Pays", scopes: ["read:agents"]}) { applied }`, "", ""},
	{`roleUpdate(input: {name: "Agent", description: "x"}) { applied }`, "", ""},
	{`userCreate(input: {username: "Ana", password: "Tulip-bucket-91", email: "ana@acme.example", roles: ["Payroll"]}) { applied }`,
		"User [Ana] [status password email roles]", "UserCreated"},
	{`userCreate(input: {username: "ben", status: APPROVED}) { applied }`, "User [ben] [status]", "UserApproved UserCreated"},
	{`userCreate(input: {username: "ANA"}) { applied }`, "", ""},
	{`userCreate(input: {username: "eve", password: "password1"}) { applied }`, "", ""},
	{`userUpdate(input: {username: "ana", roles: ["Agent"]}) { applied }`, "User [Ana] [roles]", "UserUpdated"},
	{`userUpdate(input: {username: "ana", roles: ["Agent"], email: "ana@acme.example", status: PENDING}) { applied }`, "", ""},
	{`userUpdate(input: {username: "ana"}) { applied }`, "", ""},
	{`userUpdate(input: {username: "ana", status: APPROVED, password: "Cedar-window-402"}) { applied }`, "User [Ana] [password status]", "UserApproved UserUpdated"},
	{`userUpdate(input: {username: "ana", status: PENDING}) { applied }`, "User [Ana] [status]", "UserUpdated"},
	{`userSessionsEnd(input: {username: "ana"}) { applied }`, "", ""},
	{`userSessionsEnd(input: {username: "nobody"}) { applied }`, "", ""},
	{`viewerSessionsEnd { applied }`, "", ""},
	{`tenantSettingsUpdate(input: {name: "Acme Life", minPasswordLength: 15}) { applied }`, "Tenant [acme] [name minPasswordLength]", ""},
	{`tenantSettingsUpdate(input: {name: "Acme Life"}) { applied }`, "", ""},
	{`tenantSettingsUpdate(input: {name: null, maxPageSize: 20}) { applied }`, "", ""},
	{`tenantSettingsUpdate(input: {timeZone: "Mars/Olympus", maxPageSize: 101}) { applied }`, "", ""},
	{`roleDelete(input: {name: "Payroll"}) { applied }`, "Role [Payroll] []", ""},
	{`roleDelete(input: {name: "Agent"}) { applied }`, "", ""},
	{`clientCreate(input: {name: "crm", scopes: ["read:agents"]}) { applied }`, "Client [acme.crm] [scopes secret]", ""},
	{`clientCreate(input: {name: "crm", scopes: ["read:agents"]}) { applied }`, "", ""},
	{`clientUpdate(input: {clientId: "acme.crm", description: "CRM", isDisabled: false}) { applied }`, "Client [acme.crm] [description]", ""},
	{`clientUpdate(input: {clientId: "acme.crm", description: "CRM", scopes: ["read:agents"]}) { applied }`, "", ""},
	{`clientRotateSecret(input: {clientId: "acme.crm"}) { applied }`, "Client [acme.crm] [secret]", ""},
	{`apiKeyCreate(input: {clientId: "acme.crm", name: "k", scopes: ["read:agents"]}) { applied apiKey { id } }`, "ApiKey [#key] [clientId name scopes]", ""},
	{`apiKeyRevoke(input: {id: "#key"}) { applied }`, "ApiKey [#key] [revokedAt]", ""},
	{`apiKeyRevoke(input: {id: "#key"}) { applied }`, "", ""},
	{`clientDocumentsAdd(input: {clientId: "acme.crm", manifest: {h1: "{ viewer { subject } }"}}) { applied }`, "Client [acme.crm] [documents]", ""},
	{`clientDocumentsAdd(input: {clientId: "acme.crm", manifest: {h1: "{ viewer { subject } }"}}) { applied }`, "", ""},
	{`clientDocumentsAdd(input: {clientId: "acme.crm", manifest: {h2: "{ nothing }"}}) { applied }`, "", ""},
	{`clientUpdate(input: {clientId: "acme.crm", trustedDocuments: LOG}) { applied }`, "Client [acme.crm] [trustedDocuments]", ""},
	{`clientDocumentsRemove(input: {clientId: "acme.crm", documentIds: ["h1"]}) { applied }`, "Client [acme.crm] [documents]", ""},
	{`clientDelete(input: {clientId: "acme.crm"}) { applied }`, "Client [acme.crm] []", ""},
	{`signInProviderCreate(input: {name: "okta", issuer: "https://acme.okta.example", clientId: "0oa1", clientSecret: "Sealed-secret-1", domains: ["acme.example"], roles: [{group: "sales", role: "Recruiter"}]}) { applied }`,
		"SignInProvider [okta] [label domains clientSecret roles clientId issuer]", ""},
	{`signInProviderCreate(input: {name: "okta", issuer: "https://acme.okta.example", clientId: "0oa1"}) { applied }`, "", ""},
	{`signInProviderCreate(input: {name: "no", issuer: "http://10.0.0.1", clientId: ""}) { applied }`, "", ""},
	{`signInProviderUpdate(input: {name: "okta", label: "Okta", domains: ["acme.example"]}) { applied }`, "SignInProvider [okta] [label]", ""},
	{`signInProviderUpdate(input: {name: "okta", label: "Okta", groupsClaim: null}) { applied }`, "", ""},
	{`signInProviderUpdate(input: {name: "okta", clientSecret: null, isDisabled: true}) { applied }`, "SignInProvider [okta] [isDisabled clientSecret]", ""},
	{`signInProviderDelete(input: {name: "okta"}) { applied }`, "SignInProvider [okta] []", ""},
	{`signInProviderDelete(input: {name: "okta"}) { applied }`, "", ""},
}

// Every change of a user, a role, a client or a key leaves one audit entry with
// the names of what changed, never a value or a fingerprint of one, and a change
// of a user its events; what changed nothing leaves neither.
func TestIdentityChangesAreAudited(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, allScopes...)
		tried, key := map[string]bool{}, ""
		for _, step := range identitySteps {
			name := step.mutation[:strings.IndexAny(step.mutation, "( ")]
			tried[name] = true
			before := apptest.Writes(t, c)
			var answer any
			got := emitted(t, w, func() {
				answer = c.Query(t, "mutation { m: "+strings.ReplaceAll(step.mutation, "#key", key)+" }", nil)
			})
			if id, ok := apptest.At(answer, "m.apiKey.id").(string); ok {
				key = id
			}
			if got != step.events {
				t.Errorf("%s: events %q; want %q", step.mutation, got, step.events)
			}
			after := apptest.Writes(t, c)
			entry := ""
			if len(after) > len(before) {
				entry = after[0]
			}
			if want := strings.ReplaceAll(step.entry, "#key", key); entry != want || len(after)-len(before) > 1 || apptest.At(answer, "m.applied") != (want != "") {
				t.Errorf("%s: entry %q, %v; want %q", step.mutation, entry, answer, want)
			}
		}
		fitSchemas(t, w)
		for _, field := range w.Graph.Schema().Mutation.Fields {
			if ofIdentity(field.Name) && !tried[field.Name] {
				t.Errorf("%s is not among the steps", field.Name)
			}
		}
	})
}

// The User record keeps the promises of every record: If-Match, and an
// Idempotency-Key that makes a user once.
func TestUserConditionsAndKeys(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, allScopes...)
		send := func(method, path, body string, header http.Header) (int, http.Header) {
			r := c.Send(t, method, "/identity-management/{tenant}/users"+path, header, []byte(body))
			return r.Code, r.Header()
		}
		key := http.Header{"Idempotency-Key": {"k-1"}}
		for range 2 {
			if status, h := send("POST", "", `{"username": "ana", "password": "Tulip-bucket-91"}`, key); status != 201 || h.Get("Location") == "" {
				t.Errorf("with a key: %d", status)
			}
		}
		// Nothing is kept of a password: with another one it is the same request.
		if status, h := send("POST", "", `{"username": "ana", "password": "Tulip-bucket-92"}`, key); status != 201 || h.Get("Idempotency-Replayed") != "true" {
			t.Errorf("the key with another password: %d", status)
		}
		if status, _ := send("POST", "", `{"username": "ana", "password": "Tulip-bucket-91", "status": "Pending"}`, key); status != 422 {
			t.Errorf("the key with another request: %d", status)
		}
		_, h := send("GET", "/ana", "", nil)
		tag := h.Get("ETag")
		w.Clock.Move(time.Minute)
		if status, _ := send("PATCH", "/ana", `{"status": "Approved"}`, http.Header{"If-Match": {tag}}); status != 200 || tag == "" {
			t.Errorf("as it was read: %d, ETag %q", status, tag)
		}
		if status, _ := send("PATCH", "/ana", `{"status": "Pending"}`, http.Header{"If-Match": {tag}}); status != 412 {
			t.Errorf("after a change: %d", status)
		}
	})
}

// From a user to its agent and back; each way needs the scope of where it leads,
// and so do global ids. Whose token it is says viewer.user, for users only.
func TestUserInTheGraph(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		all := w.As(apptest.Acme, allScopes...)
		for _, code := range []string{"A1", "A2"} {
			apptest.Register(t, all, code, object{})
		}
		for _, u := range []string{`"ana", agentCode: "A1"`, `"second", agentCode: "A1"`, `"ben"`} {
			all.Query(t, `mutation { userCreate(input: {username: `+u+`, roles: ["Agent"]}) { applied } }`, nil)
		}
		data := all.Query(t, `{ users { nodes { username agent { agentCode users { username } } roles { name userCount } } } agents { nodes { agentCode users { username } } } viewer { user { username } } }`, nil)
		text, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"agents":{"nodes":[{"agentCode":"A1","users":[{"username":"ana"},{"username":"second"}]},{"agentCode":"A2","users":[]}]},"users":{"nodes":[` +
			`{"agent":{"agentCode":"A1","users":[{"username":"ana"},{"username":"second"}]},"roles":[{"name":"Agent","userCount":3}],"username":"ana"},` +
			`{"agent":null,"roles":[{"name":"Agent","userCount":3}],"username":"ben"},` +
			`{"agent":{"agentCode":"A1","users":[{"username":"ana"},{"username":"second"}]},"roles":[{"name":"Agent","userCount":3}],"username":"second"}]},"viewer":{"user":null}}`
		if string(text) != want {
			t.Errorf("got\n%s\nwant\n%s", text, want)
		}
		for query, scopes := range map[string][]string{
			`{ users { nodes { agent { agentCode } } } }`: {"read:users"}, `{ agents { nodes { users { username } } } }`: {"read:agents"}} {
			if _, errs := w.As(apptest.Acme, scopes...).GraphQL(t, query, nil); len(errs) == 0 || errs[0].Code() != "FORBIDDEN" {
				t.Errorf("%s with %v: %+v", query, scopes, errs)
			}
		}
		ids := all.Query(t, `{ user(username: "ana") { id } role(name: "Agent") { id } }`, nil)
		for path, typeName := range map[string]string{"user.id": "User", "role.id": "Role"} {
			ask := func(c *apptest.Caller) any {
				return apptest.At(c.Query(t, `query($id: ID!) { node(id: $id) { __typename } }`, object{"id": apptest.At(ids, path)}), "node.__typename")
			}
			if shown, hidden := ask(all), ask(w.As(apptest.Acme, "read:agents")); shown != typeName || hidden != nil {
				t.Errorf("node of a %s: %v, and without its scope %v", typeName, shown, hidden)
			}
		}
	})
}
