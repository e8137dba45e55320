package ledger_test

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"time"

	"github.com/uplinehq/upline/app/apptest"
)

// step is a request of the ledger: a change with the types of the events it must
// raise, or one that changes nothing and has none.
type step struct {
	method, path string
	body         any
	events       []string
}

// steps returns the requests of a writer, for its nth turn: changes through REST
// and GraphQL, and those that are refused or only tried.
func steps(writer string, n int) []step {
	agent := fmt.Sprintf("C%d", mathrand.IntN(crew))
	name := fmt.Sprintf("%s-%d", writer, n)
	rest := "/agency-management/acme/agents/" + agent
	const update = `mutation($input: AgentUpdateInput!) { agentUpdate(input: $input) { applied userErrors { code } } }`
	return []step{
		{http.MethodPatch, rest, object{"firstName": name, "initiator": "ledger"}, []string{"AgentUpdated"}},
		{http.MethodPost, "/graphql/acme", object{"query": update, "variables": object{"input": object{"agentCode": agent, "lastName": name, "initiator": "ledger"}}}, []string{"AgentUpdated"}},
		{http.MethodPost, rest + "/aliases", object{"identifier": name, "initiator": "ledger"}, []string{"AgentUpdated", "AgentAliasCreated"}},
		{http.MethodPost, "/agency-management/acme/agents", apptest.Registration(name, ""), []string{"AgentCreated"}},
		{http.MethodPost, "/agency-management/acme/agents", apptest.Registration(agent, ""), nil},                                      // it exists
		{http.MethodPost, "/agency-management/acme/agents", apptest.Registration(name+"-x", "NOBODY"), nil},                            // no such upline
		{http.MethodPatch, rest + "/payee?dryRun=true", object{"status": "Suspended", "initiator": "ledger"}, nil},                     // only tried
		{http.MethodPost, rest + "/aliases", object{"identifier": fmt.Sprintf("%s-0", writer), "type": 7, "initiator": "ledger"}, nil}, // no text
	}
}

// write sends requests until the server is gone.
func (l *ledger) write(base, writer string) {
	for n := 0; ; n++ {
		for _, s := range steps(writer, n) {
			if gone := l.send(base, s); gone {
				return
			}
		}
	}
}

// send sends a request with a trace of its own, which its events carry, and
// notes what was answered. Without an answer, or with an error of the server, it
// may be committed or not.
func (l *ledger) send(base string, s step) (gone bool) {
	random := make([]byte, 16)
	_, _ = rand.Read(random)
	trace := hex.EncodeToString(random)
	status, answer, err := remote(l.t.Context(), base, s.method, s.path, http.Header{"Authorization": {"Bearer " + l.token}, "Traceparent": {"00-" + trace + "-00f067aa0ba902b7-01"}}, s.body)
	accepted := status/100 == 2 && !bytes.Contains(answer, []byte(`"applied":false`))
	switch {
	case err != nil:
		return true
	case status >= http.StatusInternalServerError, bytes.HasPrefix(answer, []byte(`{"errors"`)):
		if !bytes.Contains(answer, []byte("UNAVAILABLE")) && !bytes.Contains(answer, []byte("TIMEOUT")) {
			l.t.Errorf("%s %s while the database is away: %d %s", s.method, s.path, status, answer)
		}
		time.Sleep(10 * time.Millisecond)
	case accepted != (s.events != nil):
		l.t.Errorf("%s %s: %d %s", s.method, s.path, status, answer)
	case status == http.StatusCreated && s.body != nil && !l.shows(base, s):
		return true
	default:
		l.mu.Lock()
		defer l.mu.Unlock()
		if s.events == nil {
			l.undone[trace] = true
		} else {
			l.acknowledged[trace] = s.events
		}
	}
	return false
}

// shows reads an agent that was acknowledged: no server may say that there is none. It
// is false when there was no answer.
func (l *ledger) shows(base string, s step) bool {
	made, _ := s.body.(map[string]any)
	code, isAgent := made["agentCode"].(string)
	if !isAgent {
		return true
	}
	status, answer, err := remote(l.t.Context(), base, http.MethodGet, s.path+"/"+code, http.Header{"Authorization": {"Bearer " + l.token}}, nil)
	if err == nil && status < http.StatusInternalServerError && status != http.StatusOK {
		l.t.Errorf("an agent was acknowledged, then: %d %s", status, answer)
	}
	return err == nil
}
