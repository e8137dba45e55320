package graph_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
)

// values is every field of an agent and of what belongs to it that has no period, the
// reference data that it shows, and the lists, orders, groups and searches that go by these.
// (When something was last modified is of now.)
const values = `query($at: DateTime) {
	agents(first: 20, asKnownAt: $at, orderBy: [{field: LAST_NAME}, {field: AGENT_CODE}]) { totalCount
		groups(by: [LEVEL, TAG], first: 9) { keys { by value label } count }
		nodes { agentCode firstName middleName lastName commonName displayName email birthDate gender npn customerId isDedicated startDate governmentIdentifier
		homeAddress { ...address } businessAddress { ...address } cellPhone { ...phone } homePhone { ...phone } businessPhone { ...phone } fax { ...phone }
		payStatus { name description } membership { level { value name description isEnabled } } upline { agentCode displayName }
		payee { w9 { name taxClassification taxpayerIdentifier } directDeposit { bankName accountHolderName accountNumber } isPayable }
		certifications(first: 5) { nodes { databaseId note isVerified isResidentCertification status type { code name } } }
		aliases(first: 5) { nodes { identifier providerCompany { code name } } } tags { name description color } createdAt createdBy } }
	smiths: agents(first: 20, asKnownAt: $at, filter: {lastName: "Smith"}) { totalCount nodes { agentCode } }
	gold: agents(first: 20, asKnownAt: $at, filter: {tag: ["GOLD"]}) { nodes { agentCode } }
	named: agents(first: 20, asKnownAt: $at, filter: {query: "smi"}) { totalCount nodes { agentCode } }
	called: agents(first: 20, asKnownAt: $at, filter: {query: "5550100"}) { totalCount nodes { agentCode } }
	known: agents(first: 20, asKnownAt: $at, filter: {or: [{query: "sam test"}, {query: "x2"}], not: {query: "v4"}}, orderBy: [{field: AGENT_CODE}]) { totalCount nodes { agentCode } }
	noted: certifications(first: 20, asKnownAt: $at) { totalCount nodes { note agent { lastName } } }
	one: agent(agentCode: "V1", asKnownAt: $at) { lastName homeAddress { city } }
}
fragment address on Address { line1 city jurisdiction { code name } postalCode }
fragment phone on Phone { countryCode areaCode phoneNumber }`

var ledgers = flag.Int("ledgers", 1, "random agencies of the tests of what was known and of deletions, each with a seed of its own")

// What anybody was told at an instant, asKnownAt that instant tells ever after, for every
// field: what was changed, added and deleted since changes nothing in it. (Only an agent or a
// certification that is deleted is gone from every instant, with all that was kept of it.)
// And whoever takes the changes back, the last one first, sees each answer again.
func TestEveryValueIsAsKnown(t *testing.T) {
	for seed := range *ledgers {
		onEach(t, func(t *testing.T, w *apptest.World) { knowsALedger(t, w, rand.New(rand.NewPCG(7, uint64(seed)))) })
	}
}

func knowsALedger(t *testing.T, w *apptest.World, dice *rand.Rand) {
	c := w.As(apptest.Acme)
	for _, name := range []string{"GOLD", "VIP"} {
		succeed(t, c, `mutation($n: String!) { tagCreate(input: {name: $n, initiator: "x"}) { userErrors { code } } }`, object{"n": name})
	}
	for i := range 4 {
		newAgent(t, c, fmt.Sprint("V", i), "", "2026-05-01")
	}
	read := func(at any) object { return c.Query(t, values, object{"at": at}).(object) }
	w.Clock.Move(time.Second)
	instants, answers, changes := []time.Time{w.Clock.Now()}, []object{read(nil)}, []any{latest(t, c)}
	known := func(i int) {
		t.Helper()
		for field, got := range read(instants[i].Format(time.RFC3339Nano)) {
			if !same(got, answers[i][field]) {
				t.Fatalf("%s as known at %v:\n%s\nwas answered then:\n%s", field, instants[i], encoded(t, got), encoded(t, answers[i][field]))
			}
		}
	}
	last := 4
	for range 60 {
		w.Clock.Move(time.Second + time.Duration(dice.IntN(1e6))*time.Microsecond)
		last = writeValue(t, c, dice, last)
		w.Clock.Move(time.Second)
		w.RebuildNow(t, apptest.Acme)
		instants, answers, changes = append(instants, w.Clock.Now()), append(answers, read(nil)), append(changes, latest(t, c))
		known(dice.IntN(len(instants))) // of some, while rows go on being removed
	}
	w.Clock.Move(time.Hour)
	differ := 0
	for i := range instants {
		known(i)
		if !same(answers[i], answers[len(answers)-1]) {
			differ++
		}
	}
	if differ < len(instants)*3/4 {
		t.Errorf("only %d of %d answers differ from the last one", differ, len(instants))
	}
	for i := len(answers) - 1; i > 0; i-- {
		if changes[i] == changes[i-1] {
			continue // it changed nothing
		}
		if done := c.Query(t, undo, object{"n": changes[i]}); apptest.At(done, "result.applied") != true {
			t.Fatalf("change %v is not taken back: %v", changes[i], done)
		}
		w.Clock.Move(time.Second)
		w.RebuildNow(t, apptest.Acme)
		if is := read(nil); !same(is, answers[i-1]) {
			t.Fatalf("without change %v: %s", changes[i], firstDifference(encoded(t, is), encoded(t, answers[i-1])))
		}
	}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// writeValue changes, adds or deletes something. It returns the number for the next new
// agent.
func writeValue(t *testing.T, c *apptest.Caller, dice *rand.Rand, last int) int {
	t.Helper()
	one := func(all ...any) any { return all[dice.IntN(len(all))] }
	agents := apptest.At(c.Query(t, "{ agents { nodes { agentCode aliases { nodes { id } } certifications { nodes { id } } } } }", nil), "agents.nodes").([]any)
	agent := agents[dice.IntN(len(agents))]
	code := apptest.At(agent, "agentCode")
	run := func(mutation, input string, in object) {
		t.Helper()
		in["initiator"] = "x"
		c.Query(t, "mutation($in: "+input+"!) { "+mutation+"(input: $in) { userErrors { code } } }", object{"in": in})
	}
	switch dice.IntN(11) {
	case 0:
		run("agentUpdate", "AgentUpdateInput", object{"agentCode": code, "lastName": one("Smith", "Jones", "李"), "commonName": one(nil, "Sam"), "email": one(nil, "a@example.com"),
			"birthDate": one(nil, "1980-02-29"), "isDedicated": one(true, false), "governmentIdentifier": one(nil, "123-45-6789", "987-65-4321")})
	case 1:
		run("agentContactUpdate", "AgentContactUpdateInput", object{"agentCode": code, "homeAddress": one(nil, object{"line1": "1 Elm", "city": one("Austin", "Waco"), "jurisdiction": "US-TX"}),
			"cellPhone": one(nil, object{"areaCode": "512", "phoneNumber": one("5550100", "5550111")})})
	case 2:
		run("aliasCreate", "AliasCreateInput", object{"agentCode": code, "identifier": one("X1", "X2", "X3")})
	case 3:
		if all := apptest.At(agent, "aliases.nodes").([]any); len(all) > 0 {
			run("aliasDelete", "AliasDeleteInput", object{"id": apptest.At(all[0], "id")})
		}
	case 4:
		run("agentTagsUpdate", "AgentTagsUpdateInput", object{"agentCode": code, "tags": list(object{"tag": one("GOLD", "VIP"), "operation": one("ASSIGN", "UNASSIGN")})})
	case 5:
		run("tagUpdate", "TagUpdateInput", object{"name": one("GOLD", "VIP"), "description": one(nil, "of note"), "color": one("#FFD700", "#000000")})
	case 6:
		run("agentLevelUpdate", "AgentLevelUpdateInput", object{"value": 10, "name": one("Ten", "Zehn"), "description": one(nil, "first")})
	case 7:
		run("agentPayeeUpdate", "AgentPayeeUpdateInput", object{"agentCode": code, "directDeposit": one(nil, object{"country": "US", "accountHolderName": one("A", "B"), "bankName": "Bank",
			"accountType": "CHECKING", "routingNumber": "021000021", "accountNumber": one("12345678", "87654321")})})
	case 8:
		run("certificationUpsert", "CertificationUpsertInput", object{"agentCode": code, "type": "AML", "isResidentCertification": false, "isVerified": one(true, false), "note": one(nil, "first", "second"), "effectiveFrom": "2026-05-01"})
	case 9:
		if all := apptest.At(agent, "certifications.nodes").([]any); len(all) > 0 {
			run("certificationUpdate", "CertificationUpdateInput", object{"id": apptest.At(all[0], "id"), "note": one(nil, "third"), "isVerified": one(true, false)})
		}
	case 10:
		newAgent(t, c, fmt.Sprint("V", last), "", "2026-05-01")
		last++
	}
	return last
}
