package graph_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

const (
	undo = `mutation($n: Long!, $try: Boolean! = false) { result: changeUndo(input: {sequence: $n, initiator: "boss"}, dryRun: $try) {
		applied userErrors { code field message } undone { entityKey field values { effectiveFrom effectiveThrough old new } } conflicts { sequence field } } }`
	// state is what undo has to restore.
	state = `{ agents(first: 20) { nodes { agentCode firstName lastName email isDedicated homeAddress { line1 city jurisdiction { code } } cellPhone { areaCode phoneNumber }
		payStatusPeriods(first: 20) { nodes { effectiveFrom effectiveThrough status { name } } } levelPeriods(first: 20) { nodes { effectiveFrom effectiveThrough level { value } } }
		uplinePeriods(first: 20) { nodes { effectiveFrom effectiveThrough uplineAgentCode } } payee { directDeposit { bankName accountHolderName accountNumber(reveal: true) } }
		certifications(first: 5) { nodes { type { code } jurisdiction { code } identifier isResidentCertification note isVerified periods(first: 20) { nodes { effectiveFrom effectiveThrough status } } } } aliases(first: 5) { nodes { identifier } } tags { name }
		w9Periods(first: 5) { nodes { effectiveFrom effectiveThrough w9 { name taxClassification address { city } taxpayerIdentifier(reveal: true) signatureDate } } } } }
		agentLevels { value name description isEnabled } tags { name description color } payStatuses { name description isActive sortOrder } roles(first: 50) { nodes { name description scopes limitedToDownline } }
		products { code name isWatched } certificationTypes { code name category requiresJurisdiction } jurisdictions { code name country kind } user(username: "ana") { email roles { name } } }`
)

// latest is the number of the newest change.
func latest(t *testing.T, c *apptest.Caller) any {
	t.Helper()
	return apptest.At(apptest.At(c.Query(t, "{ changes(first: 1) { nodes { sequence } } }", nil), "changes.nodes").([]any)[0], "sequence")
}

// A change and its undo leave everything as it was; a dry run tells the same and changes
// nothing.
func TestUndoRestores(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		run := func(mutation, input string, in object) {
			t.Helper()
			succeed(t, c, "mutation($in: "+input+"!) { "+mutation+"(input: $in) { userErrors { code field message } } }", object{"in": in})
			w.RebuildNow(t, apptest.Acme)
			w.Clock.Move(time.Second)
		}
		newAgent(t, c, "A0", "", "2026-01-01")
		newAgent(t, c, "A1", "A0", "2026-01-15")
		newAgent(t, c, "A2", "A1", "2026-01-20")
		w.Clock.Move(time.Second)
		run("tagCreate", "TagCreateInput", object{"name": "GOLD", "description": "of note"})
		run("agentUpdate", "AgentUpdateInput", object{"agentCode": "A1", "email": "a@example.com"})
		run("agentContactUpdate", "AgentContactUpdateInput", object{"agentCode": "A1", "homeAddress": object{"line1": "1 Elm", "city": "Austin", "jurisdiction": "US-TX"}})
		run("agentPayeeUpdate", "AgentPayeeUpdateInput", object{"agentCode": "A1", "directDeposit": object{"country": "US", "accountHolderName": "A", "bankName": "Bank", "accountType": "CHECKING",
			"routingNumber": "021000021", "accountNumber": "12345678"}})
		run("aliasCreate", "AliasCreateInput", object{"agentCode": "A1", "identifier": "X0"})
		run("certificationUpsert", "CertificationUpsertInput", object{"agentCode": "A1", "type": "AML", "isResidentCertification": false, "isVerified": true, "note": "first", "effectiveFrom": "2026-05-10"})
		certification := apptest.At(apptest.At(c.Query(t, "{ certifications { nodes { id } } }", nil), "certifications.nodes").([]any)[0], "id")
		run("roleCreate", "RoleCreateInput", object{"name": "Clerk", "description": "d", "scopes": list("read:agents")})
		run("w9PeriodApply", "W9PeriodApplyInput", object{"agentCode": "A1", "effectiveFrom": "2026-01-15", "w9": object{"name": "Z", "taxClassification": "INDIVIDUAL", "taxpayerIdentifier": "123456789", "signatureDate": "2026-01-02", "address": object{"city": "Austin"}}})
		run("tagCreate", "TagCreateInput", object{"name": "BRONZE", "description": "third", "color": "#CD7F32"})
		run("roleCreate", "RoleCreateInput", object{"name": "Guest", "description": "looks", "scopes": list("read:agents", "read:users"), "limitedToDownline": true})
		run("productCreate", "ProductCreateInput", object{"code": "HEALTH", "name": "Health", "isWatched": true})
		run("agentLevelCreate", "AgentLevelCreateInput", object{"value": 77, "name": "Seventy-seven", "isEnabled": false})
		run("payStatusCreate", "PayStatusCreateInput", object{"name": "Away", "isActive": false, "sortOrder": 7})
		run("certificationTypeCreate", "CertificationTypeCreateInput", object{"code": "CRAFT", "name": "Craft", "category": "TRAINING", "requiresJurisdiction": true})
		run("jurisdictionCreate", "JurisdictionCreateInput", object{"code": "XX-QC", "name": "Québec", "country": "XX", "kind": "Province"})
		run("userCreate", "UserCreateInput", object{"username": "ana", "email": "ana@example.com", "password": "Tulip-bucket-91", "status": "APPROVED", "roles": list("Clerk")})
		alias := apptest.At(apptest.At(c.Query(t, "{ aliases { nodes { id } } }", nil), "aliases.nodes").([]any)[0], "id")
		for _, m := range []struct {
			mutation, input string
			in              object
		}{
			{"agentUpdate", "AgentUpdateInput", object{"agentCode": "A1", "lastName": "Diaz", "email": nil, "isDedicated": true}},
			{"agentContactUpdate", "AgentContactUpdateInput", object{"agentCode": "A1", "homeAddress": object{"city": "Waco"}, "cellPhone": object{"areaCode": "512", "phoneNumber": "5550100"}}},
			{"agentContactUpdate", "AgentContactUpdateInput", object{"agentCode": "A1", "homeAddress": nil}},
			{"payStatusPeriodApply", "PayStatusPeriodApplyInput", object{"agentCode": "A1", "status": "Suspended", "effectiveFrom": "2026-03-01", "effectiveThrough": "2026-03-31"}},
			{"levelPeriodApply", "LevelPeriodApplyInput", object{"agentCode": "A1", "level": 20, "effectiveFrom": "2026-06-01"}},
			{"uplinePeriodApply", "UplinePeriodApplyInput", object{"agentCode": "A2", "uplineAgentCode": "A0", "effectiveFrom": "2026-03-01"}},
			{"uplinePeriodApply", "UplinePeriodApplyInput", object{"agentCode": "A2", "uplineAgentCode": nil, "effectiveFrom": "2026-03-01", "effectiveThrough": "2026-03-31"}},
			{"reorgApply", "ReorgApplyInput", object{"effectiveFrom": "2026-06-01", "moves": list(object{"agentCode": "A1", "newUplineAgentCode": nil}, object{"agentCode": "A0", "newUplineAgentCode": "A1"})}},
			{"reorgApply", "ReorgApplyInput", object{"effectiveFrom": "2026-06-01", "moves": list(object{"agentCode": "A1", "newUplineAgentCode": nil, "newLevel": 20}, object{"agentCode": "A0", "newPayStatus": "Suspended"},
				object{"agentCode": "A2", "newLevel": 30})}},
			{"reorgApply", "ReorgApplyInput", object{"effectiveFrom": "2026-06-01", "moves": list(object{"agentCode": "A0", "newUplineAgentCode": "A1"}, object{"agentCode": "A1", "newUplineAgentCode": nil})}},
			{"agentMembershipUpdate", "AgentMembershipUpdateInput", object{"agentCode": "A2", "membership": object{"directUpline": "A0", "level": 30}}},
			{"agentPayeeUpdate", "AgentPayeeUpdateInput", object{"agentCode": "A1", "directDeposit": object{"country": "US", "accountHolderName": "B", "bankName": "Bank", "accountType": "CHECKING",
				"routingNumber": "021000021", "accountNumber": "87654321"}}},
			{"certificationUpdate", "CertificationUpdateInput", object{"id": certification, "note": nil, "isVerified": false}},
			{"certificationPeriodApply", "CertificationPeriodApplyInput", object{"certificationId": certification, "status": "EXPIRED", "effectiveFrom": "2026-06-01"}},
			{"certificationUpsert", "CertificationUpsertInput", object{"agentCode": "A2", "type": "AML", "isResidentCertification": false, "isVerified": true, "effectiveFrom": "2026-05-10"}},
			{"agentTagsUpdate", "AgentTagsUpdateInput", object{"agentCode": "A1", "tags": list(object{"tag": "GOLD", "operation": "ASSIGN"})}},
			{"aliasCreate", "AliasCreateInput", object{"agentCode": "A1", "identifier": "X1"}},
			{"aliasDelete", "AliasDeleteInput", object{"id": alias}},
			{"agentLevelUpdate", "AgentLevelUpdateInput", object{"value": 10, "name": "Ten", "isEnabled": false}},
			{"tagUpdate", "TagUpdateInput", object{"name": "GOLD", "description": nil, "color": "#FFD700"}},
			{"payStatusUpdate", "PayStatusUpdateInput", object{"name": "Active", "description": "works"}},
			{"w9PeriodApply", "W9PeriodApplyInput", object{"agentCode": "A1", "effectiveFrom": "2026-04-01", "w9": object{"name": "Z", "taxClassification": "LLC_C", "taxpayerIdentifier": "987654321"}}},
			{"agentPayeeUpdate", "AgentPayeeUpdateInput", object{"agentCode": "A1", "w9": object{"name": "Z", "taxClassification": "OTHER", "address": object{"city": "Waco"}}}},
			{"agentRegister", "AgentRegisterInput", object{"agentCode": "A3", "firstName": "A", "lastName": "B", "status": "Active", "startDate": "2026-05-01T12:00:00Z", "initiator": "x", "teams": list(object{"membership": object{"level": 10, "directUpline": "A2"}})}},
			{"tagCreate", "TagCreateInput", object{"name": "SILVER"}},
			{"tagDelete", "TagDeleteInput", object{"name": "BRONZE"}},
			{"roleCreate", "RoleCreateInput", object{"name": "Boss", "description": "d", "scopes": list("read:users")}},
			{"roleDelete", "RoleDeleteInput", object{"name": "Guest"}},
			{"productCreate", "ProductCreateInput", object{"code": "LIFE", "name": "Life"}},
			{"productDelete", "ProductDeleteInput", object{"code": "HEALTH"}},
			{"agentLevelDelete", "AgentLevelDeleteInput", object{"value": 77}},
			{"payStatusDelete", "PayStatusDeleteInput", object{"name": "Away"}},
			{"certificationTypeDelete", "CertificationTypeDeleteInput", object{"code": "CRAFT"}},
			{"jurisdictionDelete", "JurisdictionDeleteInput", object{"code": "XX-QC"}},
			{"roleUpdate", "RoleUpdateInput", object{"name": "Clerk", "description": "other", "scopes": list("read:agents", "write:agents")}},
			{"userUpdate", "UserUpdateInput", object{"username": "ana", "email": "new@example.com", "roles": list("Agent")}},
		} {
			t.Run(m.mutation, func(t *testing.T) {
				was := c.Query(t, state, nil)
				run(m.mutation, m.input, m.in)
				set, n := c.Query(t, state, nil), latest(t, c)
				if same(was, set) {
					t.Fatal("nothing has changed")
				}
				tried := c.Query(t, undo, object{"n": n, "try": true})
				if is := c.Query(t, state, nil); !same(is, set) {
					t.Fatalf("a dry run has left something: %v", is)
				}
				w.Clock.Move(time.Second)
				done := c.Query(t, undo, object{"n": n})
				if apptest.At(done, "result.applied") != true || !same(apptest.At(done, "result.undone"), apptest.At(tried, "result.undone")) {
					t.Fatalf("undone: %v, a dry run told %v", done, tried)
				}
				told := map[string]bool{}
				for _, u := range apptest.At(done, "result.undone").([]any) {
					if field := fmt.Sprint(apptest.At(u, "entityKey"), apptest.At(u, "field")); told[field] {
						t.Errorf("%s is told twice: %v", field, done)
					} else {
						told[field] = true
					}
				}
				w.RebuildNow(t, apptest.Acme)
				w.Clock.Move(time.Second)
				if is := c.Query(t, state, nil); !same(is, was) {
					t.Errorf("after %v: %s", done, firstDifference(encoded(t, is), encoded(t, was)))
				}
				// The undo is a change of its own, which says why, and whose undo is the change.
				reason := apptest.At(apptest.At(c.Query(t, "{ changes(first: 1) { nodes { reason } } }", nil), "changes.nodes").([]any)[0], "reason")
				if want := "Takes back change " + fmt.Sprint(n); reason != want {
					t.Errorf("the reason is %v, want %s", reason, want)
				}
			})
		}
	})
}

// A write of many agents is taken back as a whole, whichever of its entries is named; so are
// several writes, which one does not change without the others.
func TestUndoTakesBackWholeWrites(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "TOP", "", "2026-01-01")
		newAgent(t, c, "SIDE", "", "2026-01-01")
		var moves, others []any
		for i := range 45 {
			code := fmt.Sprint("A", i)
			newAgent(t, c, code, "TOP", "2026-01-01")
			move := object{"agentCode": code, "newUplineAgentCode": "SIDE"}
			if i%2 == 0 {
				move["newLevel"] = 20
			}
			moves, others = append(moves, move), append(others, object{"agentCode": code, "newPayStatus": "Suspended"})
		}
		w.Clock.Move(time.Second)
		const all = `{ agents(first: 50) { nodes { agentCode uplinePeriods(first: 5) { nodes { effectiveFrom uplineAgentCode } } levelPeriods(first: 5) { nodes { effectiveFrom level { value } } } payStatusPeriods(first: 5) { nodes { effectiveFrom status { name } } } } } }`
		reorganise := func(moves []any) []any {
			t.Helper()
			succeed(t, c, `mutation($moves: [ReorgMoveInput!]!) { reorgApply(input: {effectiveFrom: "2026-06-01", moves: $moves}) { userErrors { code field message } } }`, object{"moves": moves})
			w.RebuildNow(t, apptest.Acme)
			w.Clock.Move(time.Second)
			var numbers []any
			for _, n := range apptest.At(c.Query(t, "{ auditLog(first: 2) { nodes { sequence } } }", nil), "auditLog.nodes").([]any) {
				numbers = append(numbers, apptest.At(n, "sequence"))
			}
			return numbers
		}
		const undoAll = `mutation($n: Long!, $also: [Long!]! = []) { result: changeUndo(input: {sequence: $n, also: $also}) { applied userErrors { code message } undone { entityKey } conflicts { sequence } } }`
		was := c.Query(t, all, nil)
		numbers := reorganise(moves)
		for _, n := range numbers {
			if done := c.Query(t, undo, object{"n": n, "try": true}); len(apptest.At(done, "result.undone").([]any)) != 45+23 {
				t.Errorf("entry %v: %d fields", n, len(apptest.At(done, "result.undone").([]any)))
			}
		}
		also := reorganise(others)[:1]
		set := c.Query(t, all, nil)
		succeed(t, c, `mutation { payStatusPeriodApply(input: {agentCode: "A7", status: "Terminated", effectiveFrom: "2026-06-01"}) { userErrors { code field message } } }`, nil)
		w.Clock.Move(time.Second)
		later := latest(t, c)
		missing := apptest.At(c.Query(t, undoAll, object{"n": numbers[0], "also": list(99999)}), "result.userErrors").([]any)
		if len(missing) != 1 || apptest.At(missing[0], "code") != "NOT_FOUND" {
			t.Errorf("a number of nothing: %v", missing)
		}
		refused := c.Query(t, undoAll, object{"n": numbers[0], "also": also})
		if conflicts := apptest.At(refused, "result.conflicts").([]any); apptest.At(refused, "result.applied") != false || len(conflicts) != 1 || apptest.At(conflicts[0], "sequence") != later {
			t.Errorf("%v, want the conflict %v alone", refused, later)
		}
		if done := c.Query(t, undo, object{"n": later}); apptest.At(done, "result.applied") != true || !same(c.Query(t, all, nil), set) {
			t.Errorf("what is refused has changed something: %v", done)
		}
		w.Clock.Move(time.Second)
		if done := c.Query(t, undoAll, object{"n": numbers[0], "also": also}); apptest.At(done, "result.applied") != true {
			t.Fatalf("%v", apptest.At(done, "result.userErrors"))
		}
		w.RebuildNow(t, apptest.Acme)
		w.Clock.Move(time.Second)
		if is := c.Query(t, all, nil); !same(is, was) {
			t.Errorf("%s", firstDifference(encoded(t, is), encoded(t, was)))
		}
	})
}

// What was changed again is not taken back: the later changes are named.
func TestUndoNamesConflicts(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "A1", "", "2026-01-01")
		w.Clock.Move(time.Second)
		change := func(mutation, input string, in object) any {
			t.Helper()
			succeed(t, c, "mutation($in: "+input+"!) { "+mutation+"(input: $in) { userErrors { code field message } } }", object{"in": in})
			w.Clock.Move(time.Second)
			return latest(t, c)
		}
		name := change("agentUpdate", "AgentUpdateInput", object{"agentCode": "A1", "lastName": "Diaz", "email": "a@example.com"})
		level := change("levelPeriodApply", "LevelPeriodApplyInput", object{"agentCode": "A1", "level": 20, "effectiveFrom": "2026-06-01"})
		again := change("agentUpdate", "AgentUpdateInput", object{"agentCode": "A1", "lastName": "Smith"})
		otherDays := change("levelPeriodApply", "LevelPeriodApplyInput", object{"agentCode": "A1", "level": 30, "effectiveFrom": "2026-03-01", "effectiveThrough": "2026-03-31"})
		refused := c.Query(t, undo, object{"n": name})
		conflicts := apptest.At(refused, "result.conflicts").([]any)
		if len(conflicts) != 1 || apptest.At(conflicts[0], "sequence") != again || apptest.At(refused, "result.applied") != false || len(apptest.At(refused, "result.userErrors").([]any)) != 1 {
			t.Errorf("%v, want the conflict %v", refused, again)
		}
		if got := apptest.At(c.Query(t, `{ agent(agentCode: "A1") { email } }`, nil), "agent.email"); got != "a@example.com" {
			t.Errorf("what is refused changes nothing, e-mail is now %v", got)
		}
		for _, n := range []any{level, otherDays, again, name} { // other days do not stand in the way
			if done := c.Query(t, undo, object{"n": n}); apptest.At(done, "result.applied") != true {
				t.Errorf("%v", done)
			}
			w.Clock.Move(time.Second)
		}
		if got := apptest.At(c.Query(t, `{ agent(agentCode: "A1") { lastName email membership { level { value } } } }`, nil), "agent"); apptest.At(got, "lastName") != "Test" || apptest.At(got, "email") != nil {
			t.Errorf("%v", got)
		}
		change("certificationUpsert", "CertificationUpsertInput", object{"agentCode": "A1", "type": "AML", "isResidentCertification": false, "isVerified": true})
		certification := apptest.At(apptest.At(c.Query(t, "{ certifications { nodes { id } } }", nil), "certifications.nodes").([]any)[0], "id")
		deleted := change("certificationDelete", "CertificationDeleteInput", object{"id": certification}) // "permanently deletes the certification and its history"
		newAgent(t, c, "A2", "A1", "2026-01-01")
		w.Clock.Move(time.Second)
		registered := change("agentDelete", "AgentDeleteInput", object{"agentCode": "A2"})
		change("agentUpdate", "AgentUpdateInput", object{"agentCode": "A1", "lastName": "Low"})
		for n, code := range map[any]string{deleted: "NOT_APPLICABLE", registered: "NOT_APPLICABLE", 0: "OUT_OF_RANGE", 99999: "NOT_FOUND", 1: "PRECONDITION_FAILED"} {
			if wrong := apptest.At(c.Query(t, undo, object{"n": n}), "result.userErrors").([]any); len(wrong) == 0 || apptest.At(wrong[0], "code") != code {
				t.Errorf("%v: %v, want %s", n, wrong, code)
			}
		}
		reader := w.As(apptest.Acme, "read:agents")
		if _, errs := reader.GraphQL(t, undo, object{"n": latest(t, c)}); len(errs) == 0 {
			t.Error("who may only read has taken something back")
		}
	})
}

// firstDifference shows two texts from where they differ.
func firstDifference(a, b []byte) string {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	cut := func(s []byte) []byte { return s[max(at-60, 0):min(at+100, len(s))] }
	return fmt.Sprintf("…%s…, was …%s…", cut(a), cut(b))
}
