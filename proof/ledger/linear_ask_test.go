package ledger_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"strings"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/date"
)

// The verbs of what is asked.
const (
	reads     = "read"
	applies   = "apply"
	assigns   = "Assign"
	removes   = "Unassign"
	upserts   = "upsert"
	registers = "register"
	renames   = "rename"
	deletes   = "delete"
	noUpline  = "none"
)

// linearUplines are how many agents others are below of: they have no upline themselves, so
// no order of changes makes a cycle.
const linearUplines = 3

func linearUpline(i int) string { return fmt.Sprint("U", i) }

var linearTags = []string{"Mentor", "Veteran"}

// wish is what a client asks of a strand.
type wish struct {
	verb string
	// value is a level, an upline, a tag, a note, a name, or the id of what is deleted.
	value string
	// agent is who is registered or renamed.
	agent string
	// from and through are the days of a period.
	from    date.Date
	through *date.Date
	key     string
	isREST  bool
}

func (a wish) String() string {
	text := a.verb + " " + a.value
	if a.verb == applies {
		text += " " + periodText(a.period())
	}
	if a.key != "" {
		text += " with key " + a.key
	}
	return text
}

// request is how something is asked through a door; graphQL is a document whose variables
// are the body.
type request struct {
	method, path, graphQL string
	body                  any
	trace, key            string
	// list is where the answer has what is there, if it has; a row is told by texts.
	list string
	row  func(row any) string
	// own is the period that was applied, as the answer shows it.
	own func(data any) string
}

// kind is a kind of thing that agents have.
type kind struct {
	name    string
	draw    func(s *strand, dice *rand.Rand) wish
	request func(s *strand, a wish) request
}

var kinds = []kind{
	{"levels", drawPeriod(func(dice *rand.Rand) string { return []string{"10", "20"}[dice.IntN(2)] }), relation{
		path: "/teams/default/assigned-levels", property: "level", mutation: "levelPeriodApply", input: "LevelPeriodApplyInput", list: "levelPeriods", value: "level { value }", at: "level.value"}.request},
	{"uplines", drawPeriod(func(dice *rand.Rand) string {
		if i := dice.IntN(linearUplines + 1); i < linearUplines {
			return linearUpline(i)
		}
		return noUpline
	}), relation{path: "/teams/default/assigned-uplines", property: "uplineAgentCode", mutation: "uplinePeriodApply", input: "UplinePeriodApplyInput", list: "uplinePeriods", value: "upline { agentCode }", at: "upline.agentCode"}.request},
	{"tags", drawTag, tagRequest},
	{"certification", drawCertification, certificationRequest},
	{"registration", drawAgent, agentRequest},
}

// firstDay is the first of the few days on which periods begin, so that they touch, hide
// and repeat each other.
var firstDay = date.Of(2026, 6, 10)

func drawPeriod(value func(dice *rand.Rand) string) func(*strand, *rand.Rand) wish {
	return func(s *strand, dice *rand.Rand) wish {
		a := wish{verb: reads, isREST: dice.IntN(2) == 0}
		if dice.IntN(10) < 3 {
			return a
		}
		a.verb = applies
		if a.isREST && dice.IntN(2) == 0 { // GraphQL takes no keys
			a.key = s.newestKey()
			sum := fnv.New64()
			_, _ = sum.Write([]byte(a.key))
			dice = rand.New(rand.NewPCG(sum.Sum64(), 1)) // the same request for everybody
		}
		a.value, a.from = value(dice), firstDay.AddDays(dice.IntN(12))
		if dice.IntN(8) > 0 {
			a.through = a.from.AddDays(dice.IntN(5)).Ptr()
		}
		return a
	}
}

func drawTag(_ *strand, dice *rand.Rand) wish {
	return wish{verb: []string{reads, assigns, removes}[dice.IntN(3)], value: linearTags[dice.IntN(len(linearTags))], isREST: dice.IntN(2) == 0}
}

func drawCertification(s *strand, dice *rand.Rand) wish {
	a := wish{verb: []string{reads, upserts, upserts, deletes}[dice.IntN(4)], value: fmt.Sprint("note", dice.IntN(3)), isREST: dice.IntN(2) == 0}
	if a.verb == deletes {
		if a.value = s.newestID(); a.value == "" {
			a.verb = reads
		}
	}
	return a
}

// relation are the requests for a dated relation.
type relation struct{ path, property, mutation, input, list, value, at string }

func (d relation) request(s *strand, a wish) request {
	const days = " effectiveFrom effectiveThrough"
	var value any = a.value
	switch {
	case a.value == noUpline:
		value = nil
	case d.property == "level":
		value = json.Number(a.value)
	}
	period := object{"agentCode": s.agent, d.property: value, "effectiveFrom": a.from, "effectiveThrough": a.through, "initiator": "linear"}
	switch {
	case a.isREST && a.verb == reads:
		return request{method: http.MethodGet, path: restOfAcme + d.path + "?agentCode=" + s.agent, list: "items", row: periodAt(d.property)}
	case a.isREST:
		return request{method: http.MethodPost, path: restOfAcme + d.path, body: period, own: periodAt(d.property)}
	case a.verb == reads:
		return request{graphQL: `query($code: String!) { agent(agentCode: $code) { ` + d.list + `(first: 100) { nodes { ` + d.value + days + ` } } } }`,
			body: object{"code": s.agent}, list: "data.agent." + d.list + ".nodes", row: periodAt(d.at)}
	default:
		return request{graphQL: `mutation($input: ` + d.input + `!) { result: ` + d.mutation + `(input: $input) { applied userErrors { code } period { ` + d.value + days + ` } changes { after { value` + days + ` } } } }`,
			body: object{"input": period}, list: "data.result.changes.after", row: periodAt("value"),
			own: func(data any) string { return periodAt(d.at)(apptest.At(data, "data.result.period")) }}
	}
}

func periodAt(value string) func(any) string {
	return func(row any) string {
		return textOr(apptest.At(row, value), noUpline) + " " + textOr(apptest.At(row, "effectiveFrom"), "") + " " + textOr(apptest.At(row, "effectiveThrough"), openEnd)
	}
}

const restOfAcme = "/agency-management/acme"

func tagRequest(s *strand, a wish) request {
	itself := func(row any) string { return fmt.Sprint(row) }
	named := func(row any) string { return textOr(apptest.At(row, "name"), "") }
	switch {
	case a.isREST && a.verb == reads:
		return request{method: http.MethodGet, path: restOfAcme + "/tags/assigned?agentCode=" + s.agent, list: "items", row: func(row any) string { return textOr(apptest.At(row, "tag"), "") }}
	case a.isREST:
		return request{method: http.MethodPatch, path: restOfAcme + "/agents/" + s.agent + "/tags", list: "tags", row: itself,
			body: object{"tags": []any{object{"operation": a.verb, "tag": a.value}}, "initiator": "linear"}}
	case a.verb == reads:
		return request{graphQL: `query($code: String!) { agent(agentCode: $code) { tags { name } } }`, body: object{"code": s.agent}, list: "data.agent.tags", row: named}
	default:
		return request{graphQL: `mutation($input: AgentTagsUpdateInput!) { result: agentTagsUpdate(input: $input) { applied userErrors { code } agent { tags { name } } } }`,
			body: object{"input": object{"agentCode": s.agent, "tags": []any{object{"operation": strings.ToUpper(a.verb), "tag": a.value}}, "initiator": "linear"}},
			list: "data.result.agent.tags", row: named}
	}
}

func certificationRequest(s *strand, a wish) request {
	row := func(id string) func(any) string {
		return func(row any) string {
			return strings.TrimSpace(textOr(apptest.At(row, id), "") + " " + textOr(apptest.At(row, "note"), ""))
		}
	}
	input := object{"agentCode": s.agent, "type": "LIFE", "jurisdiction": "US-TX", "isResidentCertification": true, "isVerified": false,
		"effectiveFrom": firstDay, "note": a.value, "initiator": "linear"}
	switch {
	case a.isREST && a.verb == reads:
		return request{method: http.MethodGet, path: restOfAcme + "/certifications?agentCode=" + s.agent, list: "items", row: row("id")}
	case a.isREST && a.verb == upserts:
		return request{method: http.MethodPost, path: restOfAcme + "/certifications", body: input, list: ".", row: row("id")}
	case a.isREST:
		return request{method: http.MethodDelete, path: restOfAcme + "/certifications/" + a.value}
	case a.verb == reads:
		return request{graphQL: `query($code: String!) { certifications(filter: {agentCode: $code}) { nodes { databaseId note } } }`, body: object{"code": s.agent}, list: "data.certifications.nodes", row: row("databaseId")}
	case a.verb == upserts:
		return request{graphQL: `mutation($input: CertificationUpsertInput!) { result: certificationUpsert(input: $input) { applied userErrors { code } certification { databaseId note } } }`,
			body: object{"input": input}, list: ".data.result.certification", row: row("databaseId")}
	default:
		return request{graphQL: `mutation($id: ID!) { result: certificationDelete(input: {id: $id}) { applied userErrors { code } } }`, body: object{"id": a.value}}
	}
}
