package agency_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
)

// spellings of one identifier, none of which may be found anywhere.
var spellings = []string{"523-45-6781", "523456781", "523 45 6781"}

// "W9 records and agent data contain taxpayer identifiers and bank details and
// are treated as highly sensitive" (Authentication, 4): the identifier is in
// plain text in no file of the database, in no error and in no log.
func TestGovernmentIdentifierIsNowhereInPlainText(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(t.Context(), filepath.Join(dir, "upline.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := newAgentWorld(t, s)
	in := newcomer("A1")
	in.GovernmentIdentifier, in.NPN = &spellings[0], patch.Set("plain-to-see")
	w.register(in)
	for _, spelling := range spellings {
		w.must(w.UpdateAgent(w.ctx, "A1", agency.AgentUpdate{GovernmentIdentifier: patch.Set(spelling), Initiator: "edit"}))
		equal(t, "found", w.find(agency.AgentFilter{GovernmentIdentifier: &spelling}), []string{"A1"})
	}

	caller := w.app.As(apptest.Acme)
	const search = `query($id: String) { agents(filter: {governmentIdentifier: $id}) { nodes { agentCode governmentIdentifier } } }`
	data := caller.Query(t, search, map[string]any{"id": spellings[2]})
	equal(t, "masked", apptest.At(data, "agents.nodes.0.governmentIdentifier"), any("***-**-6781"))
	var answers strings.Builder
	for _, send := range []struct{ method, path, body string }{
		{"GET", "/agents?governmentIdentifier=" + spellings[0], ""},
		{"GET", "/agents?pageSize=1000&governmentIdentifier=" + spellings[0], ""},
		{"POST", "/agents", `{"governmentIdentifier": "` + spellings[0] + ` 523-45-6781 523456781"}`},
		{"POST", "/agents", `{"governmentIdentifier": ["` + spellings[0] + `"]}`},
		{"PATCH", "/agents/A1", `{"governmentIdentifier": "` + spellings[0] + `", "firstName": null, "initiator": "x"}`},
		{"PATCH", "/agents/" + spellings[1], `{"firstName": "x", "initiator": "x"}`},
	} {
		r := caller.Send(t, send.method, "/agency-management/{tenant}"+send.path, nil, []byte(send.body))
		if r.Code >= 400 {
			answers.WriteString(r.Body.String())
		} else if send.method != "GET" {
			t.Errorf("%s %s: %d", send.method, send.path, r.Code)
		}
	}
	for _, query := range []string{
		`{ agents(filter: {governmentIdentifier: "` + spellings[0] + `", nonsense: 1}) { totalCount } }`,
		`{ agents(first: 1000, filter: {governmentIdentifier: "` + spellings[0] + `"}) { totalCount } }`,
		`mutation { agentUpdate(input: {agentCode: "A1", governmentIdentifier: "` + spellings[0] + `", firstName: null, initiator: "x"}) { userErrors { message field details } } }`,
	} {
		r := caller.Send(t, "POST", apptest.GraphQLPath, nil, []byte(`{"query": `+quoted(query)+`}`))
		answers.WriteString(r.Body.String())
	}

	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	contents := map[string][]byte{"errors": []byte(answers.String()), "log": []byte(w.app.Logged())}
	var database []byte
	for _, f := range files {
		if contents[f.Name()], err = os.ReadFile(filepath.Join(dir, f.Name())); err != nil {
			t.Fatal(err)
		}
		database = append(database, contents[f.Name()]...)
	}
	equal(t, "another value is found in the files", bytes.Contains(database, []byte("plain-to-see")), true)
	for name, content := range contents {
		if len(content) == 0 && name != "upline.db" {
			t.Errorf("%s is empty: nothing was looked at", name)
		}
		for _, spelling := range spellings {
			if bytes.Contains(content, []byte(spelling)) {
				t.Errorf("%s holds the identifier as %s", name, spelling)
			}
		}
	}
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

// The ciphertext of one agent is not that of another: an identifier cannot be
// moved to another row, nor can two rows be seen to be equal by it.
func TestGovernmentIdentifierIsBoundToItsRow(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		for _, code := range []string{"A1", "A2"} {
			in := newcomer(code)
			in.GovernmentIdentifier = &spellings[0]
			w.register(in)
		}
		equal(t, "ciphertexts", w.count("SELECT count(DISTINCT government_identifier) FROM agency_agent WHERE tenant_id = $1", w.tenantID()), 2)
		w.must(nil, w.store.InTx(w.ctx, copyIdentifier(w.tenantID())))
		if _, err := w.app.Vault.Unseal(w.ctx, w.tenantID(), &w.agent("A2").GovernmentIdentifier); err == nil {
			t.Error("the identifier of A1 was read from the row of A2")
		} else if strings.Contains(err.Error(), "6781") {
			t.Error("the error holds the identifier")
		}
	})
}
