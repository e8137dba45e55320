package doors_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
)

// limited is a tenant with records of every kind outside of a downline, umbra's,
// and a user who sees the downline only.
type limited struct {
	*foreign
	admin, caller *apptest.Caller
	user          *identity.User
}

// outside are texts of the records outside. The reference data of umbra is not
// among them: everybody in the tenant reads it.
var outside = []string{"umbra1", "umbra2", "umbra-alias", "umbra-licence", "umbra street", "umbra@", "umbra-4711", "umbra-4712", "umbra-0815", "umbra.user"}

// leaksOutside reports what of the records outside an answer has in it.
func leaksOutside(answer []byte) string {
	text := strings.ToLower(string(answer))
	for _, canary := range outside {
		if strings.Contains(text, canary) {
			return canary
		}
	}
	return ""
}

// own are the agents whom the user sees: itself first.
var own = []string{"SEER", "MINE1", "MINE2"}

// newLimited adds a downline to umbra: SEER, the user, reports to ABOVE, who is
// outside.
func newLimited(t *testing.T, w *apptest.World) *limited {
	t.Helper()
	l := &limited{foreign: newForeign(t, w), admin: w.As(apptest.Umbra, allScopes...)}
	send := func(method, path string, body object) {
		t.Helper()
		body["initiator"] = "hr"
		if status, _, answer := l.admin.REST(t, method, path, body); status >= http.StatusMultipleChoices {
			t.Fatalf("%s %s: %d %s", method, path, status, answer)
		}
	}
	above := ""
	for _, code := range append([]string{"ABOVE"}, own...) {
		agent := object{"agentCode": code, "firstName": "Ana", "lastName": "Mine", "status": "Umbra status", "teams": object{"default": object{"level": 777}}, "email": strings.ToLower(code) + "@mine.example",
			"homeAddress": object{"line1": "Mine street", "jurisdiction": "UM-BR"}, "w9": object{"name": "Mine", "taxClassification": "Individual"}}
		if code == "ABOVE" {
			agent["lastName"] = "Umbra1-above"
		}
		send("POST", "/agents", agent)
		if above != "" {
			send("POST", "/teams/default/assigned-uplines", object{"agentCode": code, "uplineAgentCode": above, "effectiveFrom": "2026-06-01"})
		}
		above = code
	}
	send("POST", "/agents/MINE1/aliases", object{"identifier": "mine-alias"})
	send("POST", "/certifications", object{"agentCode": "MINE1", "type": "UMBRATYPE", "jurisdiction": "UM-BR", "providerCompany": "UMBRACO",
		"identifier": "mine-licence", "isResidentCertification": true, "isVerified": true})
	send("PATCH", "/agents/MINE2/tags", object{"tags": []any{object{"operation": "Assign", "tag": "Umbra tag"}}})
	apptest.CreateApplication(t, l.admin, object{"recruiterAgentCode": "MINE1", "firstName": "Re", "lastName": "Cruit", "emailAddress": "recruit@mine.example"})
	made := l.admin.Query(t, `mutation($scopes: [String!]!) { roleCreate(input: {name: "Everything below", scopes: $scopes, limitedToDownline: true}) { applied role { limitedToDownline } } }`,
		object{"scopes": bearer.GrantableScopes()})
	if apptest.At(made, "roleCreate.role.limitedToDownline") != true {
		t.Fatalf("%v", made)
	}
	w.RebuildNow(t, apptest.Umbra)
	l.user = w.AddUser(t, apptest.Umbra, "seer", "SEER", "Everything below")
	l.caller = w.AsUser(t, apptest.Umbra, l.user)
	return l
}

// For a limited user, what is outside of the downline is "not found" for every
// root field of the schema, and no write reaches it.
func TestLimitedUserOverGraphQL(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		l := newLimited(t, w)
		before, schema := l.state(t), w.Graph.Schema()
		for _, root := range []*ast.Definition{schema.Query, schema.Mutation} {
			for _, field := range root.Fields {
				if !strings.HasPrefix(field.Name, "__") {
					l.tryField(t, schema, root, field)
				}
			}
		}
		l.tryNodesOutside(t)
		if after := l.state(t); after != before {
			t.Errorf("the limited user changed what is outside:\n%s\nwas\n%s", after, before)
		}
	})
}

// tryField asks for a root field with the keys of what is outside, and without
// any.
func (l *limited) tryField(t *testing.T, schema *ast.Schema, root *ast.Definition, field *ast.FieldDefinition) {
	t.Helper()
	all, required := object{}, object{}
	for _, a := range field.Arguments {
		if v := l.argument(schema, field.Name, a.Name, a.Type); v != nil {
			all[a.Name] = v
			if a.Type.NonNull {
				required[a.Name] = v
			}
		}
	}
	for _, variables := range []object{all, required} {
		answer := ask(t, l.caller, schema, root, field, variables)
		if canary := leaksOutside(answer); canary != "" {
			t.Errorf("%s(%v) answers with %s: %s", field.Name, variables, canary, answer)
		}
		if field.Name == "viewerSessionsEnd" || field.Name == "presetCreate" { // which take nobody's name
			continue
		}
		if root.Name == "Mutation" && !strings.Contains(string(answer), `"code":`) {
			t.Errorf("%s(%v) was not refused: %s", field.Name, variables, answer)
		}
	}
}

// tryNodesOutside asks for objects outside by their global ids.
func (l *limited) tryNodesOutside(t *testing.T) {
	t.Helper()
	ofAgents := []string{"Agent", "Alias", "Certification", "CertificationPeriod", "W9Period", "PayStatusPeriod", "UplinePeriod", "LevelPeriod", "User", "Application", "AuditEntry"}
	const document = `query($id: ID!) { node(id: $id) { __typename id } nodes(ids: [$id]) { id } }`
	tried := map[string]bool{}
	for _, id := range l.globalIDs {
		kind, _ := apptest.At(l.admin.Query(t, document, object{"id": id}), "node.__typename").(string)
		if !slices.Contains(ofAgents, kind) {
			continue
		}
		tried[kind] = true
		if data := l.caller.Query(t, document, object{"id": id}); apptest.At(data, "node") != nil || apptest.At(data, "nodes.0") != nil {
			t.Errorf("%s %s outside: %v", kind, id, data)
		}
	}
	if len(tried) < 10 {
		t.Errorf("only %v were tried", tried)
	}
}

// The same over REST: on every documented path, with the keys of what is outside.
func TestLimitedUserOverREST(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		l := newLimited(t, w)
		before := l.state(t)
		doc, operations := documented(t, l.caller)
		for _, op := range operations {
			path, named := l.fill(t, op)
			var body any
			if op.RequestBody != nil {
				body = doc.body(t, l.foreign, op.RequestBody.Content["application/json"].Schema)
			}
			status, header, answer := sendTo(t, l.caller, op.method, path, body)
			what := op.method + " " + op.path
			if canary := leaksOutside(append(answer, header.Get("Location")...)); canary != "" {
				t.Errorf("%s answers with %s: %d %s", what, canary, status, answer)
			}
			isOfAgent := strings.Contains(path, "/UMBRA1") || strings.Contains(path, "/umbra.user") || strings.Contains(op.path, "/aliases/{") ||
				strings.Contains(op.path, "/certifications/{") || strings.Contains(op.path, "/applications/{")
			switch {
			case status >= http.StatusInternalServerError:
				t.Errorf("%s: %d %s", what, status, answer)
			case isOfAgent && status != http.StatusNotFound && status != http.StatusForbidden:
				t.Errorf("%s: %d %s; want 404", what, status, answer)
			case op.method != http.MethodGet && status < http.StatusBadRequest:
				t.Errorf("%s was not refused: %d %s", what, status, answer)
			case op.method == http.MethodGet && isOfAgent:
				l.likeNobody(t, op.path, path, status, answer)
			}
			if op.method == http.MethodGet && !named && strings.HasPrefix(path, "/agency-management/") {
				l.tryFiltersOutside(t, path)
			}
		}
		if after := l.state(t); after != before {
			t.Errorf("the limited user changed what is outside:\n%s\nwas\n%s", after, before)
		}
	})
}

// likeNobody holds that what is outside is refused as what does not exist.
func (l *limited) likeNobody(t *testing.T, documented, path string, status int, answer []byte) {
	t.Helper()
	unknown := path
	for key, other := range map[string]string{"UMBRA1": "NOBODY", "umbra.user": "nobody", fmt.Sprint(l.keys["alias"]): "999999", fmt.Sprint(l.keys["certification"]): "999998"} {
		unknown = strings.Replace(unknown, "/"+key, "/"+other, 1)
	}
	if unknown == path || status == http.StatusForbidden {
		return
	}
	otherStatus, _, otherAnswer := sendTo(t, l.caller, http.MethodGet, unknown, nil)
	without := func(body []byte) string {
		var p map[string]any
		_ = json.Unmarshal(body, &p)
		for _, name := range []string{"traceId", "instance"} {
			delete(p, name)
		}
		return fmt.Sprint(p)
	}
	if status != otherStatus || without(answer) != without(otherAnswer) {
		t.Errorf("GET %s: %d %s; of what does not exist %d %s", documented, status, answer, otherStatus, otherAnswer)
	}
}

func (l *limited) tryFiltersOutside(t *testing.T, path string) {
	t.Helper()
	for _, query := range []string{"agentCode=UMBRA1", "agentCodes=UMBRA1", "email=umbra@umbra.example", "npn=umbra1", "identifier=umbra-licence", "uplineAgentCode=UMBRA1", "downlineAgentCode=UMBRA1", "", "pageSize=1"} {
		status, header, answer := sendTo(t, l.caller, http.MethodGet, path+"?"+query, nil)
		_, asked, _ := strings.Cut(query, "=")
		links := strings.ReplaceAll(header.Get("Link"), url.QueryEscape(asked), "") // which keep what was asked
		if canary := leaksOutside(answer); status >= http.StatusInternalServerError || canary != "" || leaksOutside([]byte(links)) != "" {
			t.Errorf("GET %s?%s: %d %s", path, query, status, answer)
		}
	}
}

// A limited user sees all of its downline: what an administrator reads of it.
func TestLimitedUserSeesItsDownline(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		l := newLimited(t, w)
		for _, code := range own {
			for _, path := range []string{"/agents/" + code, "/agents/" + code + "/on-date/2026-06-10", "/agents/" + code + "/aliases", "/certifications?agentCode=" + code,
				"/certifications/history?agentCode=" + code, "/payees/assigned-statuses?agentCode=" + code, "/payees/w9s?agentCode=" + code,
				"/teams/default/assigned-uplines?agentCode=" + code, "/teams/default/downline-members?agentCode=" + code} {
				wantStatus, _, want := l.admin.REST(t, http.MethodGet, path, nil)
				status, _, got := l.caller.REST(t, http.MethodGet, path, nil)
				if status != wantStatus || status != http.StatusOK || !bytes.Equal(got, want) {
					t.Errorf("GET %s: %d %s\nan administrator reads %d %s", path, status, got, wantStatus, want)
				}
			}
		}
		data := l.caller.Query(t, `{ agents(first: 5) { totalCount nodes { agentCode membership { directUplineCode directUpline { agentCode } } uplineChain { agent { agentCode } } } }
			aliases { totalCount } certifications { totalCount } tagAssignments { totalCount } applications { totalCount } users { nodes { username } }
			team { memberCount roots { nodes { agentCode } } } hierarchyBuild { agentCount relationCount }
			tags { name assignedCount } events(first: 100) { nodes { agentCode } } viewer { subject } }`, nil)
		for path, want := range map[string]string{
			"agents.totalCount": "3", "aliases.totalCount": "1", "certifications.totalCount": "1", "tagAssignments.totalCount": "1", "applications.totalCount": "1",
			"team.memberCount": "3", "hierarchyBuild.agentCount": "3", "hierarchyBuild.relationCount": "3", "viewer.subject": "seer",
		} {
			if got := fmt.Sprint(apptest.At(data, path)); got != want {
				t.Errorf("%s is %s, want %s", path, got, want)
			}
		}
		if got := fmt.Sprint(apptest.Each(data, "team.roots.nodes", "agentCode")); got != "[SEER]" {
			t.Errorf("roots %s", got)
		}
		if got := fmt.Sprint(apptest.Each(data, "agents.nodes", "membership.directUplineCode")); got != "[SEER MINE1 ABOVE]" {
			t.Errorf("codes of the direct uplines %s", got)
		}
		if got := fmt.Sprint(apptest.Each(data, "agents.nodes", "membership.directUpline.agentCode")); got != "[SEER MINE1 <nil>]" {
			t.Errorf("direct uplines %s", got)
		}
		for _, code := range apptest.Each(data, "events.nodes", "agentCode") {
			if !slices.Contains(own, fmt.Sprint(code)) {
				t.Errorf("an event about %v", code)
			}
		}
	})
}

// Within the downline a limited user changes what its scopes allow.
func TestLimitedUserWrites(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		l := newLimited(t, w)
		for _, c := range []struct {
			method, path string
			body         object
			want         int
		}{
			{"PATCH", "/agents/MINE2", object{"firstName": "Bea"}, http.StatusOK},
			{"PATCH", "/agents/MINE1/contact", object{"businessAddress": object{"line1": "New street"}}, http.StatusOK},
			{"POST", "/agents/SEER/aliases", object{"identifier": "seer-alias"}, http.StatusCreated},
			{"PATCH", "/agents/ABOVE", object{"firstName": "Bea"}, http.StatusNotFound},
			{"POST", "/agents", object{"agentCode": "NEW", "firstName": "Bea", "lastName": "New", "status": "Umbra status", "teams": object{"default": object{"level": 777, "directUpline": "SEER"}}}, http.StatusForbidden},
			{"POST", "/teams/default/assigned-uplines", object{"agentCode": "MINE2", "uplineAgentCode": "SEER", "effectiveFrom": "2026-06-02"}, http.StatusForbidden},
			{"DELETE", "/agents/MINE2?initiator=seer", nil, http.StatusForbidden},
			{"POST", "/tags", object{"name": "New tag"}, http.StatusForbidden},
		} {
			var body any // a DELETE has none
			if c.body != nil {
				c.body["initiator"], body = "seer", c.body
			}
			if status, _, answer := l.caller.REST(t, c.method, c.path, body); status != c.want {
				t.Errorf("%s %s: %d %s; want %d", c.method, c.path, status, answer, c.want)
			}
		}
	})
}

// The limit costs no statement, neither of a page nor of a row.
func TestLimitAddsNoStatement(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		l := newLimited(t, w)
		const document = `{ agents(first: 5, filter: {agentCodes: ["SEER", "MINE1", "MINE2"]}) { nodes { agentCode membership { directUpline { agentCode } level { value } } payee { w9 { name } }
			tags { name } downline(first: 5) { nodes { agentCode } } uplineChain { agent { agentCode } } downlineSummary { totalCount } } } }`
		count := func(within *identity.User) int64 {
			ctx := w.Context(t, apptest.Umbra, "read:agents")
			if within != nil {
				ctx = w.ContextOf(t, apptest.Umbra, within)
			}
			ctx, n := store.CountStatements(ctx)
			if r := w.Graph.Execute(ctx, document, "", nil); len(r.Errors) > 0 {
				t.Fatalf("%v", r.Errors)
			}
			return n.Load()
		}
		if with, without := count(l.user), count(nil); with != without {
			t.Errorf("%d statements, %d without the limit", with, without)
		}
	})
}
