package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/app/scim"
)

// attack is a request that must change nothing. Its path and body name what there is by
// {ann}, {bob}, {group}, {admins}, {theirs} and {theirGroup}; header are pairs.
type attack struct {
	method, path, body string
	header             []string
}

func operations(all string) string { return `{"Operations": [` + all + `]}` }

func patchOf(path, value string) string {
	return operations(fmt.Sprintf(`{"op": "replace", "path": %q, "value": %s}`, path, value))
}

// hostileResources are requests for what is not there, or somebody else's.
var hostileResources = map[string]attack{
	"user 0":                             {method: "DELETE", path: "Users/0"},
	"user -1":                            {method: "DELETE", path: "Users/-1"},
	"a user with a sign":                 {method: "DELETE", path: "Users/+{ann}"},
	"a user with a nought":               {method: "DELETE", path: "Users/0{ann}"},
	"a user with a space":                {method: "DELETE", path: "Users/{ann}%20"},
	"a user as a fraction":               {method: "DELETE", path: "Users/{ann}.0"},
	"a user in hexadecimal":              {method: "DELETE", path: "Users/0x1"},
	"a user of other digits":             {method: "DELETE", path: "Users/%D9%A1"},
	"a user of many digits":              {method: "DELETE", path: "Users/99999999999999999999"},
	"all users by SQL":                   {method: "DELETE", path: "Users/1%20OR%201=1"},
	"a user by name":                     {method: "DELETE", path: "Users/ann"},
	"a user with U+0000":                 {method: "DELETE", path: "Users/{ann}%00"},
	"a pattern of users":                 {method: "DELETE", path: "Users/%25"},
	"a user's child":                     {method: "DELETE", path: "Users/{ann}/groups"},
	"all users":                          {method: "DELETE", path: "Users"},
	"all groups":                         {method: "DELETE", path: "Groups"},
	"a group by name":                    {method: "DELETE", path: "Groups/Sales"},
	"a group with a sign":                {method: "DELETE", path: "Groups/+{group}"},
	"a starter role":                     {method: "DELETE", path: "Groups/{admins}"},
	"a schema":                           {method: "DELETE", path: "Schemas/urn:ietf:params:scim:schemas:core:2.0:User"},
	"what the server says of itself":     {method: "PUT", path: "ServiceProviderConfig", body: `{"bulk": {"supported": true}}`},
	"Bulk":                               {method: "POST", path: "Bulk", body: operations(`{"method": "DELETE", "path": "/Users/{ann}"}`)},
	"Me":                                 {method: "PATCH", path: "Me", body: patchOf("active", "false")},
	"theirs: read":                       {method: "GET", path: "Users/{theirs}"},
	"theirs: replaced":                   {method: "PUT", path: "Users/{theirs}", body: `{"userName": "theirs", "active": false}`},
	"theirs: changed":                    {method: "PATCH", path: "Users/{theirs}", body: patchOf("active", "false")},
	"theirs: deleted":                    {method: "DELETE", path: "Users/{theirs}"},
	"their group: read":                  {method: "GET", path: "Groups/{theirGroup}"},
	"their group: replaced":              {method: "PUT", path: "Groups/{theirGroup}", body: `{"displayName": "Theirs", "members": []}`},
	"their group: changed":               {method: "PATCH", path: "Groups/{theirGroup}", body: patchOf("members", `[{"value": "{ann}"}]`)},
	"their group: deleted":               {method: "DELETE", path: "Groups/{theirGroup}"},
	"their tenant by an encoded path":    {method: "DELETE", path: "..%2Fumbra%2FUsers%2F{theirs}"},
	"another method in a header":         {method: "TRACE", path: "Users/{ann}", header: []string{"X-HTTP-Method-Override", "DELETE"}},
	"an old version":                     {method: "DELETE", path: "Users/{ann}", header: []string{"If-Match", `W/"1"`}},
	"a version of commas":                {method: "DELETE", path: "Users/{ann}", header: []string{"If-Match", ",,"}},
	"a version of U+FFFD":                {method: "DELETE", path: "Users/{ann}", header: []string{"If-Match", "\xff"}},
	"a list of versions that are none":   {method: "DELETE", path: "Users/{ann}", header: []string{"If-Match", `"a", W/"b", c`}},
	"a form":                             {method: "POST", path: "Users", body: "userName=x", header: []string{"Content-Type", "application/x-www-form-urlencoded"}},
	"XML":                                {method: "POST", path: "Users", body: `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><User>&e;</User>`, header: []string{"Content-Type", "application/xml"}},
	"several parts":                      {method: "POST", path: "Users", body: "--b\r\n\r\nx\r\n--b--", header: []string{"Content-Type", "multipart/form-data; boundary=b"}},
	"two types":                          {method: "POST", path: "Users", body: `{"userName": "x"}`, header: []string{"Content-Type", "text/plain, application/json"}},
	"filter: theirs by a number":         {method: "GET", path: `Users?filter=id+eq+{theirs}`},
	"filter: a password":                 {method: "GET", path: `Users?filter=password+pr`},
	"filter: a hash":                     {method: "GET", path: `Users?filter=passwordHash+sw+"a"`},
	"filter: roles":                      {method: "GET", path: `Users?filter=roles+pr`},
	"filter: a column":                   {method: "GET", path: `Users?filter=tenant_id+eq+"2"`},
	"filter: a comment":                  {method: "GET", path: `Users?filter=userName+eq+"a"--`},
	"filter: a list":                     {method: "GET", path: `Users?filter=userName+eq+["a"]`},
	"filter: an object":                  {method: "GET", path: `Users?filter=userName+eq+{}`},
	"filter: an escape that is none":     {method: "GET", path: `Users?filter=userName+eq+"%5Cq"`},
	"filter: a text without end":         {method: "GET", path: `Users?filter=userName+eq+"a%5C"`},
	"filter: half a surrogate":           {method: "GET", path: `Users?filter=userName+eq+"%5Cud800"`},
	"filter: not by itself":              {method: "GET", path: `Users?filter=not`},
	"filter: or by itself":               {method: "GET", path: `Users?filter=or`},
	"filter: brackets of nothing":        {method: "GET", path: `Users?filter=emails[]`},
	"filter: brackets the wrong way":     {method: "GET", path: `Users?filter=emails]value[`},
	"filter: many nots":                  {method: "GET", path: "Users?filter=" + strings.Repeat("not+(", 300)},
	"filter: many nots, closed":          {method: "GET", path: "Users?filter=" + strings.Repeat("not+(", 300) + "active+eq+true" + strings.Repeat(")", 300)},
	"filter: many of both, closed":       {method: "GET", path: "Users?filter=" + strings.Repeat("not+(active+eq+true+and+(", 60) + "id+pr" + strings.Repeat("))", 60)},
	"groups filter: starts with":         {method: "GET", path: `Groups?filter=displayName+sw+"S"`},
	"groups filter: two":                 {method: "GET", path: `Groups?filter=displayName+eq+"S"+or+id+pr`},
	"groups filter: members":             {method: "GET", path: `Groups?filter=members.value+eq+"1"`},
	"groups filter: U+0000 of a pattern": {method: "GET", path: `Groups?filter=displayName+eq+"a%5Cq"`},
}

// hostileBodies are requests whose bodies are wrong.
var hostileBodies = map[string]attack{
	"user: null":                           {"POST", "Users", `null`, nil},
	"user: a text":                         {"POST", "Users", `"x"`, nil},
	"user: two objects":                    {"POST", "Users", `{"userName": "x"}{"userName": "y"}`, nil},
	"user: nests deeply":                   {"POST", "Users", `{"userName": "x", "a": ` + strings.Repeat("[", 20_000), nil},
	"user: a name twice":                   {"POST", "Users", `{"userName": "x", "userName": "y"}`, nil},
	"user: a name twice, in capitals":      {"POST", "Users", `{"userName": "x", "USERNAME": "y"}`, nil},
	"user: active twice":                   {"PUT", "Users/{ann}", `{"userName": "ann", "active": true, "Active": false}`, nil},
	"user: a name of a number":             {"POST", "Users", `{"userName": 7}`, nil},
	"user: a name of a list":               {"POST", "Users", `{"userName": ["x"]}`, nil},
	"user: no name":                        {"POST", "Users", `{"userName": null}`, nil},
	"user: an empty name":                  {"POST", "Users", `{"userName": ""}`, nil},
	"user: a long name":                    {"POST", "Users", `{"userName": "` + strings.Repeat("x", 300) + `"}`, nil},
	"user: a name with U+0000":             {"POST", "Users", `{"userName": "x\u0000"}`, nil},
	"user: a name with half a surrogate":   {"POST", "Users", `{"userName": "x\ud800"}`, nil},
	"user: a name with a line":             {"POST", "Users", `{"userName": "x\r\nSet-Cookie: a=b"}`, nil},
	"user: a name of a script":             {"POST", "Users", `{"userName": "<script>alert(1)</script>"}`, nil},
	"user: a name from right to left":      {"POST", "Users", `{"userName": "x\u202e"}`, nil},
	"user: a name with a space behind":     {"POST", "Users", `{"userName": "ann "}`, nil},
	"user: a name that is taken":           {"POST", "Users", `{"userName": "ann"}`, nil},
	"user: a name taken in capitals":       {"POST", "Users", `{"userName": "ANN"}`, nil},
	"user: an address that is taken":       {"POST", "Users", `{"userName": "x", "emails": [{"value": "BOB@acme.example"}]}`, nil},
	"user: another's address":              {"PUT", "Users/{ann}", `{"userName": "ann", "emails": [{"value": "bob@acme.example"}]}`, nil},
	"user: an address with a line":         {"PUT", "Users/{ann}", `{"userName": "ann", "emails": [{"value": "a@acme.example\r\nBcc: b@acme.example"}]}`, nil},
	"user: an address with U+0000":         {"PUT", "Users/{ann}", `{"userName": "ann", "emails": [{"value": "a\u0000@acme.example"}]}`, nil},
	"user: an address of a number":         {"PUT", "Users/{ann}", `{"userName": "ann", "emails": [{"value": 7}]}`, nil},
	"user: an external id of a number":     {"PUT", "Users/{ann}", `{"userName": "ann", "externalId": 7}`, nil},
	"user: an external id of a list":       {"PUT", "Users/{ann}", `{"userName": "ann", "externalId": []}`, nil},
	"user: a long external id":             {"PUT", "Users/{ann}", `{"userName": "ann", "externalId": "` + strings.Repeat("x", 5000) + `"}`, nil},
	"user: an external id with U+0000":     {"PUT", "Users/{ann}", `{"userName": "ann", "externalId": "x\u0000"}`, nil},
	"user: an external id that is taken":   {"PUT", "Users/{ann}", `{"userName": "ann", "externalId": "e-bob"}`, nil},
	"user: active of a word":               {"PUT", "Users/{ann}", `{"userName": "ann", "active": "yes"}`, nil},
	"user: active of a list":               {"PUT", "Users/{ann}", `{"userName": "ann", "active": [true]}`, nil},
	"user: active of null":                 {"PATCH", "Users/{ann}", patchOf("active", "null"), nil},
	"user: no name in a PUT of another's":  {"PUT", "Users/{ann}", `{"userName": "bob"}`, nil},
	"patch: operations of an object":       {"PATCH", "Users/{ann}", `{"Operations": {"op": "replace", "path": "active", "value": false}}`, nil},
	"patch: operations of null":            {"PATCH", "Users/{ann}", `{"Operations": null}`, nil},
	"patch: none":                          {"PATCH", "Users/{ann}", `{}`, nil},
	"patch: too many":                      {"PATCH", "Users/{ann}", operations(strings.TrimSuffix(strings.Repeat(`{"op": "replace", "path": "externalId", "value": "e-new"},`, 1001), ",")), nil},
	"patch: op of null":                    {"PATCH", "Users/{ann}", operations(`{"op": null, "path": "active", "value": false}`), nil},
	"patch: op of a list":                  {"PATCH", "Users/{ann}", operations(`{"op": ["replace"], "path": "active", "value": false}`), nil},
	"patch: op twice":                      {"PATCH", "Users/{ann}", operations(`{"op": "test", "OP": "replace", "path": "active", "value": false}`), nil},
	"patch: a path of a list":              {"PATCH", "Users/{ann}", operations(`{"op": "replace", "path": ["active"], "value": false}`), nil},
	"patch: a good one and a bad one":      {"PATCH", "Users/{ann}", operations(`{"op": "replace", "path": "externalId", "value": "e-new"}, {"op": "replace", "path": "userName", "value": "bob"}`), nil},
	"patch: another's name":                {"PATCH", "Users/{ann}", patchOf("userName", `"BOB"`), nil},
	"patch: a client's name":               {"PATCH", "Users/{ann}", patchOf("userName", `"{client}"`), nil},
	"patch: a title, which is not kept":    {"PATCH", "Users/{ann}", patchOf("title", `"x"`), nil},
	"patch: an address of home":            {"PATCH", "Users/{ann}", patchOf(`emails[type eq "home"].value`, `"x@acme.example"`), nil},
	"patch: an unknown attribute":          {"PATCH", "Users/{ann}", operations(`{"op": "add", "value": {"emails[type eq \"other\"].value": "x@acme.example"}}`), nil},
	"patch: a name without a path":         {"PATCH", "Users/{ann}", operations(`{"op": "replace", "value": {"userName": "bob"}}`), nil},
	"patch: a name with its schema":        {"PATCH", "Users/{ann}", patchOf("urn:ietf:params:scim:schemas:core:2.0:User:userName", `"bob"`), nil},
	"patch: an id with its schema":         {"PATCH", "Users/{ann}", patchOf("URN:IETF:PARAMS:SCIM:SCHEMAS:CORE:2.0:USER:ID", `"0"`), nil},
	"patch: the day it was made":           {"PATCH", "Users/{ann}", patchOf("meta.created", `"2000-01-01T00:00:00Z"`), nil},
	"patch: groups":                        {"PATCH", "Users/{ann}", patchOf("groups", `[{"value": "{admins}"}]`), nil},
	"patch: a group by a filter":           {"PATCH", "Users/{ann}", patchOf(`groups[value eq "{admins}"]`, `true`), nil},
	"patch: a path without end":            {"PATCH", "Users/{ann}", patchOf(`emails[type eq "work"`, `"x@acme.example"`), nil},
	"patch: a value of no object":          {"PATCH", "Users/{ann}", operations(`{"op": "replace", "value": [false]}`), nil},
	"patch: another's address by a filter": {"PATCH", "Users/{ann}", patchOf(`emails[type eq "work"].value`, `"bob@acme.example"`), nil},
	"group: no name":                       {"POST", "Groups", `{"displayName": null}`, nil},
	"group: a name of a number":            {"POST", "Groups", `{"displayName": 7}`, nil},
	"group: a long name":                   {"POST", "Groups", `{"displayName": "` + strings.Repeat("x", 5000) + `"}`, nil},
	"group: a name with U+0000":            {"POST", "Groups", `{"displayName": "x\u0000"}`, nil},
	"group: a name twice":                  {"POST", "Groups", `{"displayName": "x", "DisplayName": "y"}`, nil},
	"group: a name that is taken":          {"POST", "Groups", `{"displayName": "sales"}`, nil},
	"group: members of a text":             {"PUT", "Groups/{group}", `{"displayName": "Sales", "members": "{ann}"}`, nil},
	"group: a member of a number":          {"PUT", "Groups/{group}", `{"displayName": "Sales", "members": [{"value": {ann}}]}`, nil},
	"group: a member of null":              {"PUT", "Groups/{group}", `{"displayName": "Sales", "members": [null]}`, nil},
	"group: a member with a sign":          {"PUT", "Groups/{group}", `{"displayName": "Sales", "members": [{"value": "+{ann}"}]}`, nil},
	"group: a member that is a group":      {"PUT", "Groups/{group}", `{"displayName": "Sales", "members": [{"value": "{ann}", "type": "Group"}]}`, nil},
	"group: a member of theirs":            {"PUT", "Groups/{group}", `{"displayName": "Sales", "members": [{"value": "{theirs}"}]}`, nil},
	"group: a name of a number, changed":   {"PUT", "Groups/{group}", `{"displayName": 7, "members": []}`, nil},
	"group: another name":                  {"PUT", "Groups/{group}", `{"displayName": "Administrator", "members": []}`, nil},
	"group: a member by a filter of SQL":   {"PATCH", "Groups/{group}", operations(`{"op": "remove", "path": "members[value eq \"1\" or 1=1]"}`), nil},
	"group: a starter's other name":        {"PATCH", "Groups/{admins}", patchOf("displayName", `"Chiefs"`), nil},
	"group: another's name, with members":  {"PATCH", "Groups/{group}", operations(`{"op": "add", "path": "members", "value": [{"value": "{ann}"}]}, {"op": "replace", "path": "displayName", "value": "AGENT"}`), nil},
	"group: an external id, not kept":      {"PATCH", "Groups/{group}", patchOf("externalId", `"x"`), nil},
	"group: scopes":                        {"PATCH", "Groups/{group}", patchOf("scopes", `["write:users"]`), nil},
	"group: scopes of its members":         {"PATCH", "Groups/{group}", patchOf("members.scopes", `["write:users"]`), nil},
	"group: without a path, of no object":  {"PATCH", "Groups/{group}", operations(`{"op": "add", "value": "members"}`), nil},
	"group: the last administrator":        {"PATCH", "Groups/{admins}", operations(`{"op": "remove", "path": "members"}`), nil},
	"group: the last one, replaced":        {"PUT", "Groups/{admins}", `{"displayName": "Administrator", "members": []}`, nil},
	"user: the last administrator":         {"PATCH", "Users/{root}", patchOf("active", "false"), nil},
	"user: the last one, deleted":          {"DELETE", "Users/{root}", ``, nil},
}

// Every request that is hostile is refused in the form of RFC 7644 §3.12, and changes
// neither users nor groups of any agency.
func TestHostileRequestsOfProvisioning(t *testing.T) {
	onEachProvisioned(t, func(t *testing.T, w *signInWorld, p provisions) {
		umbra := provisions{w.As(apptest.Umbra, scim.Scope)}
		made := func(by provisions, kind, body string) string {
			a := by.ask(t, "POST", kind, body)
			if a.status != http.StatusCreated {
				t.Fatal(a)
			}
			return a.id()
		}
		ann := made(p, "Users", `{"userName": "ann", "active": true, "externalId": "e-ann", "emails": [{"value": "ann@acme.example"}]}`)
		bob := made(p, "Users", `{"userName": "bob", "active": true, "externalId": "e-bob", "emails": [{"value": "bob@acme.example"}]}`)
		root := fmt.Sprint(w.AddUser(t, apptest.Acme, "root", "", "Administrator").ID)
		admins := p.ask(t, "GET", "Groups?filter="+url.QueryEscape(`displayName eq "Administrator"`), "").body["Resources"].([]any)[0].(object)["id"].(string)
		filled := strings.NewReplacer("{client}", clientOf(t, p), "{ann}", ann, "{bob}", bob, "{root}", root, "{admins}", admins,
			"{group}", made(p, "Groups", `{"displayName": "Sales", "members": [{"value": "`+bob+`"}]}`),
			"{theirs}", made(umbra, "Users", `{"userName": "theirs", "active": true}`), "{theirGroup}", made(umbra, "Groups", `{"displayName": "Theirs"}`))
		state := func() string {
			return fmt.Sprint(p.ask(t, "GET", "Users", ""), p.ask(t, "GET", "Groups", ""), umbra.ask(t, "GET", "Users", ""), umbra.ask(t, "GET", "Groups", ""))
		}
		before := state()
		for _, attacks := range []map[string]attack{hostileResources, hostileBodies} {
			for name, a := range attacks {
				got := p.ask(t, a.method, strings.ReplaceAll(filled.Replace(a.path), `"`, "%22"), filled.Replace(a.body), a.header...)
				if got.status != http.StatusNotImplemented && (got.status < 400 || got.status >= 500) {
					t.Errorf("%s: %s", name, got)
				}
				if after := state(); after != before {
					t.Errorf("%s: %s changed\n%s\nto\n%s", name, got, before, after)
					before = after
				}
			}
		}
	})
}

// Whatever a page asks for, there is an answer.
func TestPagesOfProvisioning(t *testing.T) {
	onEachProvisioned(t, func(t *testing.T, _ *signInWorld, p provisions) {
		for _, kind := range []string{"Users", "Groups"} {
			for _, page := range []string{"startIndex=-5", "startIndex=0", "startIndex=9223372036854775807", "startIndex=99999999999999999999", "startIndex=x", "startIndex=2000000000",
				"count=-1", "count=9223372036854775807", "count=x", "count=0", "startIndex=9223372036854775807&count=9223372036854775807",
				"sortBy=password&sortOrder=x", "attributes=" + strings.Repeat("a,", 900), "attributes=,%20,", "excludedAttributes=id,meta,schemas"} {
				if got := p.ask(t, "GET", kind+"?"+page, ""); got.status != http.StatusOK || got.body["totalResults"] == nil {
					t.Errorf("%s?%.60s: %s", kind, page, got)
				}
			}
		}
	})
}
