package doors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store"
)

// rivals are writers on the same few agents, their certifications and team.
type rivals struct {
	w             *apptest.World
	c             *apptest.Caller
	agents        []string
	certification string
}

const (
	rivalRounds  = 25
	rivalWriters = 4
)

// Concurrent writers on the same agent, certification or team never produce an
// overlap, a cycle, a lost update or a deadlock that reaches the client.
func TestConcurrentWriters(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		x := newRivals(t, w)
		var wg sync.WaitGroup
		for i := range rivalWriters {
			wg.Go(func() { x.history(t, rand.New(rand.NewPCG(uint64(i), 7))) })
		}
		owners := x.owners()
		for name := range owners {
			wg.Go(func() { x.own(t, name, owners[name]) })
		}
		wg.Wait()
		x.noOverlap(t)
		x.noCycle(t)
		report, err := w.Audit.Verify(w.Context(t, apptest.Acme), audit.Head{})
		if err != nil || report.Broken() || report.Entries+report.Unlinked < rivalRounds*rivalWriters {
			t.Errorf("audit trail: %+v, %v", report, err)
		}
	})
}

func newRivals(t *testing.T, w *apptest.World) *rivals {
	t.Helper()
	x := &rivals{w: w, c: w.As(apptest.Acme)}
	for i := range 5 {
		code := fmt.Sprintf("A%d", i)
		x.agents = append(x.agents, code)
		x.send(t, http.MethodPost, "/agents", object{"agentCode": code, "firstName": code, "lastName": "Crowd", "status": "Active",
			"startDate": "2025-01-01T12:00:00Z", "teams": object{"default": object{"level": 10}}})
	}
	x.send(t, http.MethodPost, "/tags", object{"name": "Busy"})
	made := x.send(t, http.MethodPost, "/certifications", object{"agentCode": "A0", "type": "LIFE", "jurisdiction": "US-TX",
		"isResidentCertification": true, "isVerified": false})
	x.certification = fmt.Sprint(made["id"])
	return x
}

// send makes a change that must be accepted, or refused for a reason of the
// field: any other answer reached the client by mistake.
func (x *rivals) send(t *testing.T, method, path string, body object) (answer object) {
	t.Helper()
	if body == nil {
		body = object{}
	}
	body["initiator"] = "rivals"
	status, _, text := x.c.REST(t, method, path, body)
	if status >= http.StatusInternalServerError || status == http.StatusConflict {
		t.Errorf("%s %s: %d %s", method, path, status, text)
	}
	_ = json.Unmarshal(text, &answer)
	return answer
}

// history changes histories at random.
func (x *rivals) history(t *testing.T, dice *rand.Rand) {
	t.Helper()
	for range rivalRounds {
		agent, other := x.agents[dice.IntN(len(x.agents))], x.agents[dice.IntN(len(x.agents))]
		period := object{"agentCode": agent, "effectiveFrom": fmt.Sprintf("2026-%02d-%02d", 1+dice.IntN(12), 1+dice.IntN(28))}
		if dice.IntN(2) == 0 {
			period["effectiveThrough"] = "2026-12-31"
		}
		var path string
		switch dice.IntN(6) {
		case 0:
			path, period["status"] = "/payees/assigned-statuses", []string{"Active", "Suspended"}[dice.IntN(2)]
		case 1:
			path, period["uplineAgentCode"] = "/teams/default/assigned-uplines", other
		case 2:
			path, period["level"] = "/teams/default/assigned-levels", []int{10, 20}[dice.IntN(2)]
		case 3:
			path, period["w9"] = "/payees/w9s", object{"name": agent, "taxClassification": "Individual", "taxpayerIdentifier": fmt.Sprint(100000000 + dice.IntN(3))}
		case 4:
			path, period["status"] = "/certifications/"+x.certification+"/history", []string{"Active", "Expired"}[dice.IntN(2)]
			delete(period, "agentCode")
		case 5:
			x.c.Query(t, `mutation($i: ReorgApplyInput!) { reorgApply(input: $i, dryRun: false) { applied userErrors { code } } }`, object{"i": object{
				"effectiveFrom": period["effectiveFrom"], "initiator": "rivals",
				"moves": []any{object{"agentCode": agent, "newUplineAgentCode": other}}}})
			continue
		}
		x.send(t, http.MethodPost, path, period)
	}
}

// owners are properties that one writer each changes: path, body and where the
// value is afterwards.
func (x *rivals) owners() map[string]func(value string) (path string, body object) {
	agent := func(part string, body func(value string) object) func(string) (string, object) {
		return func(value string) (string, object) { return "/agents/A0" + part, body(value) }
	}
	return map[string]func(string) (string, object){
		"npn":                    agent("", func(v string) object { return object{"npn": v} }),
		"customerId":             agent("", func(v string) object { return object{"customerId": v} }),
		"homeAddress.city":       agent("/contact", func(v string) object { return object{"homeAddress": object{"city": v}} }),
		"homeAddress.line1":      agent("/contact", func(v string) object { return object{"homeAddress": object{"line1": v}} }),
		"cellPhone.phoneNumber":  agent("/contact", func(v string) object { return object{"cellPhone": object{"phoneNumber": v}} }),
		"directDeposit.bankName": agent("/payee", func(v string) object { d := deposit(); d["bankName"] = v; return object{"directDeposit": d} }),
	}
}

// own changes a property again and again; the last value must be there in the
// end.
func (x *rivals) own(t *testing.T, name string, change func(string) (string, object)) {
	t.Helper()
	for i := range rivalRounds {
		path, body := change(fmt.Sprint("v", i))
		answer := x.send(t, http.MethodPatch, path, body)
		if got := apptest.At(answer, name); got != fmt.Sprint("v", i) {
			t.Errorf("%s is %v right after it became v%d", name, got, i)
		}
	}
}

// noOverlap counts pairs of live periods of one history that share a day.
func (x *rivals) noOverlap(t *testing.T) {
	t.Helper()
	for table, owner := range map[string]string{"agency_pay_status_period": "agent_id", "agency_upline_period": "agent_id", "agency_level_period": "agent_id",
		"agency_w9_period": "agent_id", "agency_certification_period": "certification_id"} {
		var pairs, rows int
		_, err := store.One(x.context(t), x.w.Store, []any{&pairs, &rows}, `SELECT count(*), (SELECT count(*) FROM `+table+` WHERE superseded_at IS NULL)
			FROM `+table+` a JOIN `+table+` b ON b.tenant_id = a.tenant_id AND b.`+owner+` = a.`+owner+` AND b.id > a.id
			WHERE a.superseded_at IS NULL AND b.superseded_at IS NULL AND a.effective_from <= coalesce(b.effective_through, '9999-12-31')
			AND b.effective_from <= coalesce(a.effective_through, '9999-12-31')`)
		if err != nil || pairs != 0 || rows == 0 {
			t.Errorf("%s: %d pairs of %d live periods overlap, %v", table, pairs, rows, err)
		}
	}
}

// noCycle walks up from every agent on every day of the year.
func (x *rivals) noCycle(t *testing.T) {
	t.Helper()
	for month := 1; month <= 12; month++ {
		for day := 1; day <= 28; day += 3 {
			on := fmt.Sprintf("2026-%02d-%02d", month, day)
			data := x.c.Query(t, `query($on: Date) { agents(onDate: $on) { nodes { agentCode uplineChain { depth agent { agentCode } } } } }`, object{"on": on})
			for _, agent := range apptest.At(data, "agents.nodes").([]any) {
				for _, link := range apptest.At(agent, "uplineChain").([]any) {
					if apptest.At(link, "agent.agentCode") == apptest.At(agent, "agentCode") {
						t.Errorf("%v is above itself on %s", apptest.At(agent, "agentCode"), on)
					}
				}
			}
		}
	}
}

func (x *rivals) context(t *testing.T) context.Context {
	t.Helper()
	return x.w.Context(t, apptest.Acme)
}
