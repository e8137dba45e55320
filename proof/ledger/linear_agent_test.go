package ledger_test

import (
	"math/rand/v2"
	"net/http"
	"strings"

	"github.com/uplinehq/upline/app/apptest"
)

// drawAgent draws what is asked of an agent who comes and goes, beside that of the strand.
func drawAgent(s *strand, dice *rand.Rand) wish {
	a := wish{verb: []string{reads, registers, registers, renames, deletes}[dice.IntN(5)], value: []string{"Ana", "Bo", "Cy"}[dice.IntN(3)], isREST: dice.IntN(2) == 0}
	if a.agent = s.passing(); a.verb == deletes {
		a.value = a.agent
	}
	return a
}

// passing is the code of the agent who comes and goes.
func (s *strand) passing() string { return s.agent + "-P" }

func agentRequest(s *strand, a wish) request {
	code := s.passing()
	path := restOfAcme + "/agents/" + code
	row := func(row any) string {
		return strings.TrimSpace(textOr(apptest.At(row, "agentCode"), "") + " " + textOr(apptest.At(row, "firstName"), ""))
	}
	change := object{"firstName": a.value, "initiator": "linear"}
	named := apptest.Registration(code, "")
	named["firstName"] = a.value
	r := request{body: object{"input": object{"agentCode": code, "firstName": a.value, "initiator": "linear"}}, list: ".data.result.agent", row: row}
	switch {
	case a.isREST && a.verb == reads:
		return request{method: http.MethodGet, path: path, list: ".", row: row}
	case a.isREST && a.verb == registers:
		return request{method: http.MethodPost, path: restOfAcme + "/agents", body: named, list: ".", row: row}
	case a.isREST && a.verb == renames:
		return request{method: http.MethodPatch, path: path, body: change, list: ".", row: row}
	case a.isREST:
		return request{method: http.MethodDelete, path: path}
	case a.verb == reads:
		return request{graphQL: `query($code: String!) { agent(agentCode: $code) { agentCode firstName } }`, body: object{"code": code}, list: ".data.agent", row: row}
	case a.verb == registers:
		named["teams"] = []any{object{"membership": object{"level": 10}}}
		r.graphQL = `mutation($input: AgentRegisterInput!) { result: agentRegister(input: $input) { applied userErrors { code } agent { agentCode firstName } } }`
		r.body = object{"input": named}
	case a.verb == renames:
		r.graphQL = `mutation($input: AgentUpdateInput!) { result: agentUpdate(input: $input) { applied userErrors { code } agent { agentCode firstName } } }`
	default:
		return request{graphQL: `mutation($code: String!) { result: agentDelete(input: {agentCode: $code}) { applied userErrors { code } } }`, body: object{"code": code}}
	}
	return r
}
