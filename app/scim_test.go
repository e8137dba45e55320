package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/app/scim"
)

// scimAnswer is an answer, read.
type scimAnswer struct {
	status int
	header http.Header
	body   object
}

func (a scimAnswer) id() string {
	id, _ := a.body["id"].(string)
	return id
}

func (a scimAnswer) String() string {
	text, _ := json.Marshal(a.body)
	return fmt.Sprint(a.status, " ", string(text))
}

// provisions is a system that provisions users of acme.
type provisions struct{ *apptest.Caller }

func (p provisions) ask(t apptest.T, method, path, body string, header ...string) scimAnswer {
	t.Helper()
	h := http.Header{"Content-Type": {"application/scim+json; charset=utf-8"}}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	got := p.Send(t, method, scim.Path+"{tenant}/"+path, h, []byte(body))
	a := scimAnswer{status: got.Code, header: got.Header()}
	if got.Body.Len() > 0 {
		if err := json.Unmarshal(got.Body.Bytes(), &a.body); err != nil {
			t.Fatalf("%s %s: %d %s", method, path, got.Code, got.Body)
		}
	}
	return a
}

func onEachProvisioned(t *testing.T, f func(t *testing.T, w *signInWorld, p provisions)) {
	t.Helper()
	onEach(t, func(t *testing.T, w *apptest.World) {
		f(t, &signInWorld{w}, provisions{w.As(apptest.Acme, scim.Scope)})
	})
}

// The requests of Okta's documentation ("SCIM 2.0 protocol reference", its order: look for
// the user, make it, read it, change it, deactivate it, groups).
func TestRFC7644_RequestsOfOkta(t *testing.T) {
	onEachProvisioned(t, func(t *testing.T, w *signInWorld, p provisions) {
		found := p.ask(t, "GET", "Users?filter="+url.QueryEscape(`userName eq "test.user@okta.local"`)+"&startIndex=1&count=100", "")
		if found.status != http.StatusOK || found.body["totalResults"] != 0.0 || len(found.body["Resources"].([]any)) != 0 {
			t.Fatal(found)
		}
		made := p.ask(t, "POST", "Users", `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "test.user@okta.local",
			"name": {"givenName": "Test", "familyName": "User"}, "emails": [{"primary": true, "value": "test.user@okta.local", "type": "work"}],
			"displayName": "Test User", "locale": "en-US", "externalId": "00ujl29u0le5T6Aj10h7", "groups": [], "password": "1mz050nq", "active": true}`)
		if made.status != http.StatusCreated || made.header.Get("Location") != apptest.Issuer+"/scim/v2/acme/Users/"+made.id() || made.header.Get("ETag") == "" || made.body["active"] != true || made.body["password"] != nil {
			t.Fatal(made)
		}
		if again := p.ask(t, "POST", "Users", `{"userName": "TEST.user@okta.local", "active": true}`); again.status != http.StatusConflict || again.body["scimType"] != "uniqueness" {
			t.Error(again)
		}
		if got := p.ask(t, "PUT", "Users/"+made.id(), `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "id": "`+made.id()+`", "userName": "test.user@okta.local",
			"name": {"givenName": "Another", "familyName": "User"}, "emails": [{"primary": true, "value": "another@okta.local", "type": "work"}], "active": true, "groups": []}`); got.status != http.StatusOK || !strings.Contains(got.String(), "another@okta.local") || got.body["externalId"] != nil {
			t.Error(got)
		}
		off := p.ask(t, "PATCH", "Users/"+made.id(), `{"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [{"op": "replace", "value": {"active": false}}]}`)
		if off.status != http.StatusOK || off.body["active"] != false {
			t.Error(off)
		}
		if on := p.ask(t, "PATCH", "Users/"+made.id(), `{"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [{"op": "replace", "value": {"active": true}}]}`); on.body["active"] != true {
			t.Error(on)
		}
		group := p.ask(t, "POST", "Groups", `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "Test SCIMv2", "members": []}`)
		if group.status != http.StatusCreated {
			t.Fatal(group)
		}
		member := `{"value": "` + made.id() + `", "display": "test.user@okta.local"}`
		for _, step := range []struct {
			operations string
			members    int
		}{
			{`{"op": "replace", "value": {"id": "` + group.id() + `", "displayName": "Test SCIMv2"}}`, 0},
			{`{"op": "add", "path": "members", "value": [` + member + `]}`, 1},
			{`{"op": "add", "path": "members", "value": [` + member + `]}`, 1},
			{`{"op": "remove", "path": "members[value eq \"` + made.id() + `\"]"}`, 0},
			{`{"op": "replace", "path": "members", "value": [` + member + `]}`, 1},
			{`{"op": "remove", "path": "members"}`, 0},
			{`{"op": "add", "path": "members", "value": [` + member + `]}`, 1},
		} {
			got := p.ask(t, "PATCH", "Groups/"+group.id(), `{"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [`+step.operations+`]}`)
			if got.status != http.StatusOK || len(got.body["members"].([]any)) != step.members {
				t.Errorf("%s: %s", step.operations, got)
			}
		}
		if got := w.rolesOf(t, "test.user@okta.local"); got != "Test SCIMv2" {
			t.Errorf("the user's roles: %s", got)
		}
		if got := p.ask(t, "DELETE", "Groups/"+group.id(), ""); got.status != http.StatusNoContent || w.rolesOf(t, "test.user@okta.local") != "" {
			t.Error(got)
		}
	})
}

// The requests of Microsoft's documentation ("Develop and plan provisioning for a SCIM
// endpoint in Microsoft Entra ID"): operations with a capital, booleans as texts, paths
// with a filter, groups without their members.
func TestRFC7644_RequestsOfEntra(t *testing.T) {
	onEachProvisioned(t, func(t *testing.T, w *signInWorld, p provisions) {
		made := p.ask(t, "POST", "Users", `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
			"externalId": "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef", "userName": "Test_User_ab6490ee", "active": true,
			"emails": [{"primary": true, "type": "work", "value": "Test_User_fd0ea19b@testuser.com"}], "meta": {"resourceType": "User"},
			"name": {"formatted": "givenName familyName", "familyName": "familyName", "givenName": "givenName"}, "roles": []}`, "Content-Type", "application/json")
		if made.status != http.StatusCreated {
			t.Fatal(made)
		}
		for filter, total := range map[string]float64{`userName eq "Test_User_ab6490ee"`: 1, `externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"`: 1,
			`emails[type eq "work"].value eq "nobody@testuser.com"`: 0, `emails[type eq "work"].value eq "test_user_fd0ea19b@testuser.com"`: 1,
			`emails[type eq "home"].value eq "test_user_fd0ea19b@testuser.com"`: 0, `emails[type eq "work" and value eq "test_user_fd0ea19b@testuser.com"]`: 1, `userName eq "non-existent user"`: 0} {
			got := p.ask(t, "GET", "Users?filter="+url.QueryEscape(filter), "")
			if got.body["totalResults"] != total {
				t.Errorf("%s: %s", filter, got)
			}
		}
		for operations, want := range map[string]string{
			`{"op": "Replace", "path": "emails[type eq \"work\"].value", "value": "updatedEmail@microsoft.com"}, {"op": "Replace", "path": "name.familyName", "value": "updatedFamilyName"}`: "updatedEmail@microsoft.com",
			`{"op": "Add", "path": "externalId", "value": "another-id"}`:                                                                                                                   "another-id",
			`{"op": "Replace", "value": {"emails[type eq \"work\"].value": "pia.new@example.org"}}`:                                                                                        "pia.new@example.org",
			`{"op": "Replace", "path": "userName", "value": "mona.renwick@example.org"}, {"op": "Replace", "path": "emails[type eq \"work\"].value", "value": "mona.renwick@example.org"}`: `"userName":"mona.renwick@example.org"`,
			`{"op": "Replace", "path": "active", "value": "False"}`:                                                                                                                        `"active":false`,
		} {
			if got := p.ask(t, "PATCH", "Users/"+made.id(), `{"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [`+operations+`]}`); got.status != http.StatusOK || !strings.Contains(got.String(), want) {
				t.Errorf("%s: %s", operations, got)
			}
		}
		group := p.ask(t, "POST", "Groups", `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group", "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
			"externalId": "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159", "displayName": "displayName", "meta": {"resourceType": "Group"}}`)
		if got := p.ask(t, "GET", "Groups/"+group.id()+"?excludedAttributes=members", ""); got.status != http.StatusOK || got.body["members"] != nil || got.body["displayName"] != "displayName" {
			t.Error(got)
		}
		if got := p.ask(t, "GET", "Groups?excludedAttributes=members&filter="+url.QueryEscape(`displayName eq "displayName"`), ""); got.body["totalResults"] != 1.0 {
			t.Error(got)
		}
		for _, step := range []struct{ op, roles string }{{"Add", "displayName"}, {"Remove", ""}} {
			got := p.ask(t, "PATCH", "Groups/"+group.id(), `{"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [{"op": "`+step.op+`", "path": "members", "value": [{"$ref": null, "value": "`+made.id()+`"}]}]}`)
			if got.status != http.StatusOK || w.rolesOf(t, "mona.renwick@example.org") != step.roles {
				t.Errorf("%s: %s", step.op, got)
			}
		}
	})
}

// Filters, pages, versions, and what the server says of itself.
func TestRFC7644_3_4_Queries(t *testing.T) {
	onEachProvisioned(t, func(t *testing.T, w *signInWorld, p provisions) {
		for i, name := range []string{"ann", "bob", "cy_d", "dee%"} {
			name = strings.TrimSuffix(name, "%")
			body := `{"userName": "` + name + `", "active": ` + fmt.Sprint(i%2 == 0) + `, "externalId": "e` + fmt.Sprint(i) + `"`
			if i < 2 {
				body += `, "emails": [{"value": "` + name + `@acme.example"}]`
			}
			if got := p.ask(t, "POST", "Users", body+"}"); got.status != http.StatusCreated {
				t.Fatal(got)
			}
		}
		for filter, want := range map[string]string{
			`userName eq "ANN"`: "ann", `USERNAME EQ "ann"`: "ann", `urn:ietf:params:scim:schemas:core:2.0:User:userName eq "bob"`: "bob", `externalId eq "E1"`: "",
			`userName sw "c"`: "cy_d", `userName co "e"`: "dee", `userName ew "b"`: "bob", `userName co "_"`: "cy_d", `userName co "%"`: "", `userName ne "ann"`: "bob cy_d dee",
			`active eq true`: "ann cy_d", `active eq "False"`: "bob dee", `emails pr`: "ann bob", `not (emails pr)`: "cy_d dee", `emails.value co "acme"`: "ann bob",
			`userName eq "ann" or userName eq "bob" and active eq true`: "ann", `(userName eq "ann" or userName eq "bob") and active eq false`: "bob",
			`meta.created gt "2020-01-01T00:00:00Z" and userName sw "d"`: "dee", `meta.lastModified lt "2020-01-01T00:00:00Z"`: "", `not (userName eq "ann") and not (userName eq "bob")`: "cy_d dee",
			`userName gt "bob"`: "cy_d dee", `emails[type eq "work"]`: "ann bob", `userName eq "a\"b"`: "",
		} {
			got := p.ask(t, "GET", "Users?filter="+url.QueryEscape(filter), "")
			var names []string
			resources, _ := got.body["Resources"].([]any)
			for _, one := range resources {
				names = append(names, one.(object)["userName"].(string))
			}
			if got.status != http.StatusOK || strings.Join(names, " ") != want {
				t.Errorf("%s: %d %v, want %s", filter, got.status, names, want)
			}
		}
		for _, filter := range []string{`userName`, `userName eq`, `userName eq ann`, `userName xx "a"`, `password eq "x"`, `userName eq "a" and`, `(userName eq "a"`, `userName eq "a")`, `active gt true`, `active eq "x"`,
			`meta.created eq "yesterday"`, `userName eq "a" userName eq "b"`, `not userName eq "a"`, `emails[value eq "a"`, `emails[groups[value eq "a"]]`, `1 eq 1`, `userName eq "x' OR 1=1 --" or`, `"`, `userName eq "\x00"`,
			`username eq "a"; DROP TABLE identity_user`, strings.Repeat("(", 1500), strings.Repeat("x", 3000)} {
			if got := p.ask(t, "GET", "Users?filter="+url.QueryEscape(filter), ""); got.status != http.StatusBadRequest || got.body["scimType"] != "invalidFilter" || got.body["status"] != "400" {
				t.Errorf("%.40q: %s", filter, got)
			}
		}
		if got := p.ask(t, "GET", "Users?startIndex=2&count=2&attributes=userName", ""); got.body["totalResults"] != 4.0 || got.body["itemsPerPage"] != 2.0 || got.body["startIndex"] != 2.0 ||
			!strings.Contains(got.String(), `"userName":"bob"`) || strings.Contains(got.String(), "active") {
			t.Error(got)
		}
		if got := p.ask(t, "GET", "Users?count=0", ""); got.body["totalResults"] != 4.0 || got.body["itemsPerPage"] != 0.0 {
			t.Error(got)
		}
		for path, want := range map[string]string{"ServiceProviderConfig": `"bulk":{"maxOperations":0,"maxPayloadSize":0,"supported":false}`, "ResourceTypes": `"totalResults":2`, "Schemas": `"totalResults":2`,
			"Schemas/urn:ietf:params:scim:schemas:core:2.0:User": "userName", "ResourceTypes/Group": "Groups"} {
			if got := p.ask(t, "GET", path, ""); got.status != http.StatusOK || !strings.Contains(got.String(), want) {
				t.Errorf("%s: %s", path, got)
			}
		}
		for request, status := range map[string]int{"POST Bulk": 501, "GET Me": 501, "POST .search": 501, "GET Cars": 404, "GET Users/x": 404, "GET Users/999999": 404, "DELETE Users": 405, "POST Users/1": 405, "GET Users/1/x": 404, "GET Schemas/x": 404} {
			method, path, _ := strings.Cut(request, " ")
			if got := p.ask(t, method, path, "{}"); got.status != status || got.body["schemas"].([]any)[0] != "urn:ietf:params:scim:api:messages:2.0:Error" {
				t.Errorf("%s: %s", request, got)
			}
		}
	})
}

// Versions: a change of another version than that of now is refused (RFC 7644 §3.14).
func TestRFC7644_3_14_Versions(t *testing.T) {
	onEachProvisioned(t, func(t *testing.T, _ *signInWorld, p provisions) {
		made := p.ask(t, "POST", "Users", `{"userName": "ann", "active": true}`)
		tag, path := made.header.Get("ETag"), "Users/"+made.id()
		if got := p.ask(t, "GET", path, "", "If-None-Match", tag); got.status != http.StatusNotModified || got.body != nil {
			t.Error(got)
		}
		off := func(tag string) scimAnswer {
			return p.ask(t, "PATCH", path, `{"Operations": [{"op": "replace", "path": "externalId", "value": "`+fmt.Sprint(time.Now().UnixNano())+`"}]}`, "If-Match", tag)
		}
		if got := off(`W/"x"`); got.status != http.StatusPreconditionFailed {
			t.Error(got)
		}
		first := off(tag)
		if first.status != http.StatusOK || first.header.Get("ETag") == tag {
			t.Error(first)
		}
		if got := off(tag); got.status != http.StatusPreconditionFailed {
			t.Error(got)
		}
		if got := p.ask(t, "DELETE", path, "", "If-Match", tag); got.status != http.StatusPreconditionFailed {
			t.Error(got)
		}
		if got := p.ask(t, "DELETE", path, "", "If-Match", first.header.Get("ETag")); got.status != http.StatusNoContent {
			t.Error(got)
		}
	})
}

// Who may provision, and what nobody may.
func TestHostileProvisioning(t *testing.T) {
	onEachProvisioned(t, func(t *testing.T, w *signInWorld, p provisions) {
		made := p.ask(t, "POST", "Users", `{"userName": "ann", "active": true}`)
		for name, other := range map[string]*apptest.Caller{"without the scope": w.As(apptest.Acme, "read:users", "write:users", "read:roles", "write:roles"), "of another tenant": w.As(apptest.Umbra, scim.Scope).In(apptest.Acme),
			"a stranger": w.WithToken(apptest.Acme, "x")} {
			got := other.Send(t, http.MethodGet, scim.Path+"{tenant}/Users", nil, nil)
			if got.Code != http.StatusForbidden && got.Code != http.StatusUnauthorized {
				t.Errorf("%s: %d", name, got.Code)
			}
		}
		umbra := provisions{w.As(apptest.Umbra, scim.Scope)}
		for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
			if got := umbra.ask(t, method, "Users/"+made.id(), `{"userName": "ann", "Operations": [{"op": "replace", "path": "active", "value": false}]}`); got.status != http.StatusNotFound {
				t.Errorf("%s of another tenant's user: %s", method, got)
			}
		}
		group := p.ask(t, "POST", "Groups", `{"displayName": "G"}`)
		theirs := umbra.ask(t, "POST", "Users", `{"userName": "theirs", "active": true}`)
		for name, try := range map[string]struct {
			method, path, body string
			status             int
		}{
			"another tenant's member":     {"PATCH", "Groups/" + group.id(), `{"Operations": [{"op": "add", "path": "members", "value": [{"value": "` + theirs.id() + `"}]}]}`, 400},
			"a member of no number":       {"PATCH", "Groups/" + group.id(), `{"Operations": [{"op": "add", "path": "members", "value": [{"value": "x"}]}]}`, 400},
			"one of two members":          {"PUT", "Groups/" + group.id(), `{"displayName": "G", "members": [{"value": "` + made.id() + `"}, {"value": "999999"}]}`, 400},
			"a starter's name of a group": {"PATCH", "Groups/" + group.id(), `{"Operations": [{"op": "replace", "path": "displayName", "value": "Agent"}]}`, 409},
			"a group's scopes":            {"PATCH", "Groups/" + group.id(), `{"Operations": [{"op": "replace", "path": "scopes", "value": ["write:users"]}]}`, 400},
			"an id":                       {"PATCH", "Users/" + made.id(), `{"Operations": [{"op": "replace", "path": "id", "value": "0"}]}`, 400},
			"groups of a user":            {"PATCH", "Users/" + made.id(), `{"Operations": [{"op": "add", "path": "groups", "value": [{"value": "1"}]}]}`, 400},
			"no operations":               {"PATCH", "Users/" + made.id(), `{"Operations": []}`, 400},
			"an unknown operation":        {"PATCH", "Users/" + made.id(), `{"Operations": [{"op": "move", "path": "active"}]}`, 400},
			"a removal of nothing":        {"PATCH", "Users/" + made.id(), `{"Operations": [{"op": "remove"}]}`, 400},
			"a removed active":            {"PATCH", "Users/" + made.id(), `{"Operations": [{"op": "remove", "path": "active"}]}`, 400},
			"active as a number":          {"PATCH", "Users/" + made.id(), `{"Operations": [{"op": "replace", "path": "active", "value": 1}]}`, 400},
			"an operation as a text":      {"PATCH", "Users/" + made.id(), `{"Operations": ["x"]}`, 400},
			"a path as a number":          {"PATCH", "Users/" + made.id(), `{"Operations": [{"op": "add", "path": 7, "value": 1}]}`, 400},
			"an address that is none":     {"PUT", "Users/" + made.id(), `{"userName": "ann", "emails": [{"value": "x"}]}`, 400},
			"addresses as a text":         {"PUT", "Users/" + made.id(), `{"userName": "ann", "emails": "ann@acme.example"}`, 400},
			"a user without a name":       {"POST", "Users", `{"active": true}`, 400},
			"a name with a space":         {"POST", "Users", `{"userName": "a b"}`, 400},
			"a name that is a client's":   {"POST", "Users", `{"userName": "` + clientOf(t, p) + `"}`, 409},
			"a body that is a list":       {"POST", "Users", `[]`, 400},
			"a body that is none":         {"POST", "Users", `{`, 400},
			"a group without a name":      {"POST", "Groups", `{}`, 400},
			"a group of a starter's name": {"POST", "Groups", `{"displayName": "administrator"}`, 409},
		} {
			if got := p.ask(t, try.method, try.path, try.body); got.status != try.status {
				t.Errorf("%s: %s", name, got)
			}
		}
		if w.rolesOf(t, "ann") != "" {
			t.Error("a change that was refused as a whole was made in part")
		}
		if got := p.ask(t, "POST", "Users", `{"userName": "x"}`, "Content-Type", "text/plain"); got.status != http.StatusUnsupportedMediaType {
			t.Error(got)
		}
		if got := p.ask(t, "POST", "Users", `{"userName": "`+strings.Repeat("x", 2<<20)+`"}`); got.status != http.StatusRequestEntityTooLarge {
			t.Error(got.status)
		}
		roles := p.ask(t, "GET", "Groups?filter="+url.QueryEscape(`displayName eq "Administrator"`), "")
		id := roles.body["Resources"].([]any)[0].(object)["id"].(string)
		if got := p.ask(t, "DELETE", "Groups/"+id, ""); got.status != http.StatusConflict {
			t.Errorf("a starter role: %s", got)
		}
	})
}

func clientOf(t *testing.T, p provisions) string {
	t.Helper()
	id, _ := p.Credentials(t)
	return id
}

// RFC 7644 §3.5.2 wants a request that fails to change nothing: a group whose members cannot
// be set is not there either.
func TestRFC7644_3_5_2_AllOrNothing(t *testing.T) {
	onEachProvisioned(t, func(t *testing.T, w *signInWorld, p provisions) {
		if refused := p.ask(t, "POST", "Groups", `{"displayName": "Half", "members": [{"value": "999999"}]}`); refused.status < 400 {
			t.Fatal(refused)
		}
		if got := p.ask(t, "GET", "Groups?filter="+url.QueryEscape(`displayName eq "Half"`), ""); got.body["totalResults"] != 0.0 {
			t.Error(got)
		}
	})
}
