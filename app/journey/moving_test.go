package journey

import (
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// Readers of every list, of both doors, while agents with all that belongs to them
// come and go: each answer is without an error, and its rows are as many as it says.
func TestReadersWhileRowsComeAndGo(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *store.Store) {
		w := newWorld(t, db, apptest.Options{})
		s := newScene(t, w)
		s.follows("https://example.com/stays") // the one whose deliveries the readers ask for
		var (
			writers, readers sync.WaitGroup
			done             atomic.Bool
		)
		for range 2 {
			writers.Go(func() {
				for range 15 {
					s.comesAndGoes()
				}
			})
			reader := newSweeper(t, w, apptest.Acme)
			reader.moving = true
			readers.Go(func() {
				for !done.Load() && !t.Failed() {
					reader.connections()
					reader.rest()
					reader.owned()
				}
			})
		}
		writers.Wait()
		done.Store(true)
		readers.Wait()
		sweep(t, w)
	})
}

// owned reads what names an agent in a place where there is always one.
func (s *sweeper) owned() {
	s.Helper()
	s.query(`{ agents(first: %d) { nodes { agentCode uplineChain { depth agent { agentCode } } certifications(first: 5) { totalCount nodes { type { code name } agent { agentCode } } }
			w9Periods(first: 5) { totalCount nodes { agent { agentCode } } } aliases(first: 5) { totalCount nodes { agent { agentCode } } } membership { level { value name } } } }
		certificationPeriods(first: %d) { totalCount nodes { certification { type { code name } agent { agentCode } } } }
		tagAssignments(first: %d) { totalCount nodes { agent { agentCode } tag { name color } } }
		licenseExpirations(withinDays: 365, first: %d) { agent { agentCode } certification { type { code } agent { agentCode } } } }`, 50, nil)
}

// comesAndGoes registers an agent, gives it all that an agent can have, and takes
// everything away again.
func (s *scene) comesAndGoes() {
	s.Helper()
	code, kind, tag, name := s.agent(everything()), unique("KIND"), unique("Tag "), unique("user")
	s.rest("POST", "/certification-types", object{"code": kind, "name": kind, "category": "License", "initiator": "hr"})
	s.rest("POST", "/tags", object{"name": tag, "initiator": "hr"})
	s.rest("PATCH", "/agents/"+code+"/tags", object{"tags": []any{object{"operation": "Assign", "tag": tag}}, "initiator": "hr"})
	s.rest("POST", "/agents/"+code+"/aliases", object{"identifier": unique("00"), "initiator": "hr"})
	s.rest("POST", "/certifications", object{"agentCode": code, "type": kind, "isResidentCertification": false, "isVerified": true, "status": "Active", "effectiveFrom": "2026-01-01",
		"effectiveThrough": "2026-12-31", "initiator": "hr"})
	s.mutate("roleCreate", object{"name": name, "scopes": []any{"read:agents"}}, "applied")
	s.mutate("userCreate", object{"username": name, "agentCode": code, "roles": []any{name}}, "applied")
	form := application()
	form["recruiterAgentCode"] = code
	s.applies(form)
	hook := s.follows("https://example.com/" + name)
	for _, path := range []string{"/agents/" + code, "/tags/" + escaped(tag), "/certification-types/" + kind} {
		if status, _, answer := s.REST(s, http.MethodDelete, path, nil); !slices.Contains([]int{http.StatusNoContent, http.StatusOK}, status) {
			s.Errorf("DELETE %s: %d %s", path, status, answer)
		}
	}
	s.mutate("userUpdate", object{"username": name, "roles": []any{}}, "applied")
	s.mutate("roleDelete", object{"name": name}, "applied")
	s.mutate("webhookSubscriptionDelete", object{"id": hook}, "applied")
}

// follows subscribes a URL to the end of agents, and returns the id.
func (s *scene) follows(url string) string {
	s.Helper()
	input := object{"url": url, "events": []any{"AgentDeleted"}}
	made := s.mutate("webhookSubscriptionCreate", input, "webhookSubscription { id }")
	return at(made, "webhookSubscription.id").(string)
}
