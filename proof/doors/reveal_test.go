package doors_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// secrets are the sensitive values of the agents of the tests of reveals, and
// revealedFields what an entry says was shown of them.
var (
	secrets        = []string{"523-45-678", "98-765432", "021000021", "77123994", "Zebulon"}
	revealedFields = []any{"directDeposit.accountNumber", "directDeposit.routingNumber", "governmentIdentifier", "w9.signature", "w9.taxpayerIdentifier"}
)

// Each request that returns full values leaves one audit entry that names every
// agent and field of its answer; one that shows only masks leaves none, as CSV
// always does.
func TestRevealsLeaveOneEntry(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		a := newTrail(t, w, "REST")
		registerWithSecrets(t, a.Caller)
		count := len(a.entries(t, "REVEAL"))

		a.readMasked(t, "as CSV", "/agents", "text/csv")
		a.readMasked(t, "W9s as CSV", "/payees/w9s", "text/csv")
		a.queryMasked(t)
		if n := len(a.entries(t, "REVEAL")); n != count {
			t.Errorf("masked reads left %d entries", n-count)
		}
		answer := a.read(t, "/agents", "application/json")
		for _, secret := range secrets {
			if strings.Count(answer, secret) < 3 {
				t.Errorf("GET /agents does not show %q of all agents: %s", secret, answer)
			}
		}
		entries := a.entries(t, "REVEAL")
		if len(entries) != count+1 {
			t.Fatalf("GET /agents left %d entries; want 1", len(entries)-count)
		}
		entry := entries[0].(object)
		var fields []any
		for _, change := range entry["changes"].([]any) {
			fields = append(fields, apptest.At(change, "field"))
		}
		if keys := entry["entityKeys"]; !reflect.DeepEqual(keys, []any{"R1", "R2", "R3"}) || !reflect.DeepEqual(fields, revealedFields) {
			t.Errorf("the entry names %v, %v; want R1 to R3 and %v", keys, fields, revealedFields)
		}
		if entry["surface"] != "REST" || entry["operation"] != "agents" || entry["subject"] != a.client || entry["clientId"] != a.client {
			t.Errorf("the entry is %v", entry)
		}
	})
}

// In a tenant that masks, REST masks too, and leaves no entry, unless the token
// holds read:agents:sensitive.
func TestMaskingTenantRevealsNothing(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		a := newTrail(t, w, "REST")
		registerWithSecrets(t, a.Caller)
		fingerprints := func() int {
			const query = `{ agent(agentCode: "R1") { auditLog { nodes { changes { fingerprint } } } } auditLog { nodes { changes { fingerprint } } } }`
			data := fmt.Sprint(a.Query(t, query, nil))
			return strings.Count(data, "fingerprint:") - strings.Count(data, "fingerprint:<nil>")
		}
		if fingerprints() == 0 {
			t.Error("there are no fingerprints")
		}
		if _, err := directory.Update(t.Context(), w.Store, w.Clock, apptest.Acme, directory.Settings{MaskSensitive: patch.Set(true)}); err != nil {
			t.Fatal(err)
		}
		w.Clock.Move(time.Hour) // what is known of a tenant is read again
		count := len(a.entries(t, "REVEAL"))
		for _, path := range []string{"/agents", "/agents/R1", "/agents/R1/on-date/2026-06-15", "/payees/w9s"} {
			a.readMasked(t, path, path, "application/json")
			a.readMasked(t, path, path, "application/json")
		}
		a.readMasked(t, "as CSV", "/agents", "text/csv")
		if data := a.Query(t, `{ agent(agentCode: "R1") { governmentIdentifier(reveal: true) } }`, nil); apptest.At(data, "agent.governmentIdentifier") != "***-**-6781" {
			t.Errorf("reveal without the scope: %v; want the mask", data)
		}
		all := w.As(apptest.Acme, slices.DeleteFunc(bearer.TenantScopes(), func(s string) bool { return s == "read:agents:sensitive" })...)
		searches(t, w, func(t *testing.T, query string, variables object) {
			data, errs := all.GraphQL(t, query, variables)
			if len(errs) != 1 || errs[0].Code() != "FORBIDDEN" || data != nil {
				t.Errorf("%s: %v %v", query, data, errs)
			}
		})
		const applications = "/agent-onboarding/{tenant}/applications?governmentIdentifier=523-45-6781"
		if answer := all.Send(t, http.MethodGet, applications, nil, nil); answer.Code != http.StatusForbidden {
			t.Errorf("GET %s: %d %s", applications, answer.Code, answer.Body)
		}
		if answer := w.As(apptest.Acme, bearer.TenantScopes()...).Send(t, http.MethodGet, applications, nil, nil); answer.Code != http.StatusOK {
			t.Errorf("GET %s with the scope: %d %s", applications, answer.Code, answer.Body)
		}
		if n := len(a.entries(t, "REVEAL")); n != count {
			t.Errorf("masked reads left %d entries", n-count)
		}
		if n := fingerprints(); n != 0 {
			t.Errorf("%d fingerprints are shown to whom the values are masked", n)
		}
		may := &trail{Caller: w.As(apptest.Acme, "read:agents", "read:agents:sensitive")}
		if answer := may.read(t, "/agents/R1", "application/json"); !strings.Contains(answer, "523-45-6781") {
			t.Errorf("with the scope: %s; want the value", answer)
		}
		if n := len(a.entries(t, "REVEAL")); n != count+1 {
			t.Errorf("a read with the scope left %d entries; want 1", n-count)
		}
	})
}

// A 304 and an answer to HEAD show nothing, and leave no entry.
func TestAnswersWithoutABodyRevealNothing(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		a := newTrail(t, w, "REST")
		registerWithSecrets(t, a.Caller)
		const path = "/agency-management/{tenant}/agents/R1"
		tag := a.Send(t, http.MethodGet, path, nil, nil).Header().Get("ETag")
		count := len(a.entries(t, "REVEAL"))
		if answer := a.Send(t, http.MethodGet, path, http.Header{"If-None-Match": {tag}}, nil); answer.Code != http.StatusNotModified {
			t.Fatalf("If-None-Match %s: %d", tag, answer.Code)
		}
		if answer := a.Send(t, http.MethodHead, path, nil, nil); answer.Code != http.StatusOK {
			t.Fatalf("HEAD: %d", answer.Code)
		}
		if n := len(a.entries(t, "REVEAL")); n != count {
			t.Errorf("they left %d entries", n-count)
		}
	})
}

// The answer that is replayed for an Idempotency-Key is a request that returns
// full values too: it leaves its entry, and a tenant that masks since then does
// not give the values out again.
func TestReplayedAnswersAreReveals(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		a := newTrail(t, w, "REST")
		body := `{"agentCode":"R1","firstName":"Ana","lastName":"Diaz","status":"Active","governmentIdentifier":"523-45-6781","teams":{"default":{"level":10}},"initiator":"hr"}`
		post := func(c *apptest.Caller) (int, string) {
			header := http.Header{"Idempotency-Key": {"k1"}, "Content-Type": {"application/json"}}
			answer := c.Send(t, http.MethodPost, "/agency-management/{tenant}/agents", header, []byte(body))
			return answer.Code, answer.Body.String()
		}
		for n := 1; n <= 2; n++ {
			if status, answer := post(a.Caller); status != http.StatusCreated || !strings.Contains(answer, "523-45-6781") {
				t.Fatalf("%d %s", status, answer)
			}
			entries := a.entries(t, "REVEAL")
			if len(entries) != n {
				t.Fatalf("answered %d times: %d entries", n, len(entries))
			}
			if e := entries[0].(object); !reflect.DeepEqual(e["entityKeys"], []any{"R1"}) || e["operation"] != "agentRegister" || e["surface"] != "REST" || e["subject"] != a.client {
				t.Errorf("the entry of answer %d is %v", n, e)
			}
		}
		if _, err := directory.Update(t.Context(), w.Store, w.Clock, apptest.Acme, directory.Settings{MaskSensitive: patch.Set(true)}); err != nil {
			t.Fatal(err)
		}
		w.Clock.Move(time.Hour / 2)
		if status, answer := post(a.Caller); status != http.StatusForbidden || strings.Contains(answer, "523-45-6781") {
			t.Errorf("the tenant masks: %d %s", status, answer)
		}
		if n := len(a.entries(t, "REVEAL")); n != 2 {
			t.Errorf("%d entries in the end", n)
		}
	})
}

func registerWithSecrets(t *testing.T, c *apptest.Caller) {
	t.Helper()
	for _, n := range []string{"1", "2", "3"} {
		apptest.Register(t, c, "R"+n, object{"governmentIdentifier": "523-45-678" + n,
			"w9":            object{"name": "Ann", "taxClassification": "Individual", "taxpayerIdentifier": "98-765432" + n, "signature": "Zebulon" + n},
			"directDeposit": object{"country": "US", "accountHolderName": "Ann", "accountType": "Checking", "routingNumber": "021000021", "accountNumber": "77123994" + n}})
	}
}

func (a *trail) read(t *testing.T, path, accept string) string {
	t.Helper()
	answer := a.Send(t, http.MethodGet, "/agency-management/{tenant}"+path, http.Header{"Accept": {accept}}, nil)
	if answer.Code != http.StatusOK || !strings.Contains(answer.Body.String(), "R1") {
		t.Fatalf("GET %s: %d %s", path, answer.Code, answer.Body)
	}
	return answer.Body.String()
}

func (a *trail) readMasked(t *testing.T, what, path, accept string) {
	t.Helper()
	masked(t, what, a.read(t, path, accept))
}

func (a *trail) queryMasked(t *testing.T) {
	t.Helper()
	answer := a.Send(t, http.MethodPost, apptest.GraphQLPath, nil, []byte(`{"query": "{ agents { nodes { agentCode governmentIdentifier payee { `+
		`w9 { taxpayerIdentifier signature } directDeposit { routingNumber accountNumber } } } } }"}`))
	masked(t, "GraphQL without reveal", answer.Body.String())
}

func masked(t *testing.T, what, answer string) {
	t.Helper()
	if !strings.Contains(answer, "****") && !strings.Contains(answer, "***-**-") {
		t.Errorf("%s: no mask in %s", what, answer)
	}
	for _, secret := range secrets {
		if strings.Contains(answer, secret) {
			t.Errorf("%s shows %q: %s", what, secret, answer)
		}
	}
}

// searches calls each for every query that finds something by a sensitive value, with the
// value as a variable and in the document. An argument that has the name of a sensitive
// field must be marked as one.
func searches(t *testing.T, w *apptest.World, each func(t *testing.T, query string, variables object)) {
	t.Helper()
	schema, found := w.Graph.Schema(), 0
	isSensitive := func(f *ast.FieldDefinition) bool { return f.Directives.ForName("sensitive") != nil }
	names := map[string]bool{}
	for _, definition := range schema.Types {
		for _, f := range definition.Fields {
			names[f.Name] = names[f.Name] || isSensitive(f) && definition.Kind == ast.Object
		}
	}
	for _, field := range schema.Query.Fields {
		for _, a := range field.Arguments {
			definition := schema.Types[a.Type.Name()]
			if definition.Kind != ast.InputObject {
				continue
			}
			for _, f := range definition.Fields {
				if !names[f.Name] {
					continue
				}
				if !isSensitive(f) {
					t.Errorf("%s.%s is not marked as sensitive", definition.Name, f.Name)
				}
				found++
				filter := object{f.Name: "523-45-6781"}
				each(t, "query($v: "+a.Type.String()+") { "+field.Name+"("+a.Name+": $v) { totalCount } }", object{"v": filter})
				if definition.Fields.ForName("or") != nil {
					inside := object{"not": object{"or": []any{object{}, filter}}}
					each(t, "query($v: "+a.Type.String()+") { "+field.Name+"("+a.Name+": $v) { totalCount } }", object{"v": inside})
					each(t, "{ "+field.Name+"("+a.Name+": {or: {"+f.Name+`: "523-45-6781"}}) { totalCount } }`, nil)
				}
				each(t, "{ ...on Query { "+field.Name+"("+a.Name+": {"+f.Name+`: "523-45-6781"}) { totalCount } } }`, nil)
			}
		}
	}
	if found < 2 {
		t.Errorf("%d searches; agents and applications can be found by a tax id", found)
	}
}
