package ledger_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// undoneAgents are as many as a page has.
const undoneAgents = 90

// killedUndo is an agency whose import is taken back by a server that is killed.
type killedUndo struct {
	*testing.T
	url, token string
}

// A server that is killed in the middle of an undo has taken back all of what one import set for
// many agents, or nothing; and the trail has an entry of it, or none.
func TestKilledUndo(t *testing.T) {
	for name, newURL := range map[string]func(testing.TB) string{"sqlite": dbtest.SQLiteURL, "postgres": dbtest.PostgresURL} {
		t.Run(name, func(t *testing.T) {
			k := &killedUndo{T: t, url: newURL(t)}
			k.prepare()
			server := startChild(t, k.url)
			var value string
			_, last := k.read(server)
			began := time.Now()
			if !k.takeBack(server, last) {
				t.Fatal("the import is not taken back")
			}
			takes := time.Since(began)
			cut := 0
			for kill := 0; kill < 12 && cut < 3; kill++ {
				value, last = k.read(server)
				answered := make(chan bool, 1)
				go func() { answered <- k.takeBack(server, last) }()
				time.Sleep(takes * time.Duration(2+kill%6) / 8)
				server.kill()
				applied := <-answered
				server = startChild(t, k.url)
				is, newest := k.read(server)
				if (is != value) != (newest != last) || applied && is == value {
					t.Errorf("the agents have %s and had %s, the last entry is %s and was %s; it was answered: %v", is, value, newest, last, applied)
				}
				if is == value {
					cut++
				}
			}
			if cut == 0 {
				t.Error("no undo was cut short")
			}
			if value, last = k.read(server); !k.takeBack(server, last) {
				t.Error("nothing is taken back after the restart")
			}
			if is, _ := k.read(server); is == value {
				t.Errorf("the agents still have %s", is)
			}
			server.kill()
			s := k.open()
			defer s.Close()
			apptest.Sound(t, s, clock.System{})
		})
	}
}

func (k *killedUndo) open() *store.Store {
	s, err := store.Open(k.Context(), k.url)
	if err != nil {
		k.Fatal(err)
	}
	return s
}

// prepare brings agents in, twice.
func (k *killedUndo) prepare() {
	s := k.open()
	defer s.Close()
	c := apptest.New(k, s, apptest.Options{Now: clock.System{}.Now()}).As(apptest.Acme, allScopes...)
	k.token = c.Token(k)
	for _, customer := range []string{"one", "other"} {
		var file strings.Builder
		file.WriteString("agentCode,firstName,lastName,status,startDate,customerId\n")
		for i := range undoneAgents {
			fmt.Fprintf(&file, "K%d,Ann,Lee,Active,2026-01-01,%s\n", i, customer)
		}
		r := c.Upload(k, `mutation($input: BulkImportInput!) { m: bulkImport(input: $input) { applied userErrors { message } } }`, object{"entity": "AGENT"}, file.String())
		if apptest.At(r.Data, "m.applied") != true {
			k.Fatalf("the import: %v %v", r.Data, r.Errors)
		}
	}
}

// ask sends a document to a server; false if it died meanwhile.
func (k *killedUndo) ask(server *child, document string, variables object) (data any, ok bool) {
	_, answer, err := remote(k.Context(), server.url, http.MethodPost, "/graphql/"+apptest.Acme, http.Header{"Authorization": {"Bearer " + k.token}}, object{"query": document, "variables": variables})
	if err != nil {
		return nil, false
	}
	decoder := json.NewDecoder(strings.NewReader(string(answer)))
	decoder.UseNumber()
	if err := decoder.Decode(&data); err != nil || apptest.At(data, "errors") != nil {
		k.Errorf("%s %v", answer, err)
	}
	return apptest.At(data, "data"), true
}

// read returns the one value that all agents have, and the number of the last entry.
func (k *killedUndo) read(server *child) (value, last string) {
	data, ok := k.ask(server, fmt.Sprintf(`{ agents(first: %d) { nodes { customerId } } auditLog(first: 1, filter: {kind: WRITE}) { nodes { sequence } } }`, undoneAgents), nil)
	all := apptest.Each(data, "agents.nodes", "customerId")
	if !ok || len(all) != undoneAgents {
		k.Fatalf("%d agents", len(all))
	}
	for _, v := range all {
		if v != all[0] {
			k.Fatalf("some agents have %v, some %v: half of an undo", all[0], v)
		}
	}
	return fmt.Sprint(all[0]), fmt.Sprint(apptest.Each(data, "auditLog.nodes", "sequence")[0])
}

// takeBack takes a change back, and reports whether the server said so.
func (k *killedUndo) takeBack(server *child, number string) bool {
	data, ok := k.ask(server, `mutation($n: Long!) { m: changeUndo(input: {sequence: $n}) { applied userErrors { message } conflicts { sequence } } }`, object{"n": json.Number(number)})
	return ok && apptest.At(data, "m.applied") == true
}
