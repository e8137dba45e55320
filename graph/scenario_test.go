package graph_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

const (
	scenarioCreate = `mutation($in: ScenarioCreateInput!) { result: scenarioCreate(input: $in) { applied userErrors { code field } scenario { id lastModified } } }`
	scenarioUpdate = `mutation($in: ScenarioUpdateInput!) { result: scenarioUpdate(input: $in) { applied userErrors { code field } scenario { id name description state lastModified lastModifiedBy sharedWith moves { agentCode newUplineAgentCode isNewRoot newLevel newPayStatus } } } }`
	scenarioApply  = `mutation($in: ScenarioApplyInput!, $try: Boolean! = false) { result: scenarioApply(input: $in, dryRun: $try) { applied userErrors { code field } changedSince { agent { agentCode } lastModifiedBy }
		scenario { state } affectedAgentCount moves { agent { agentCode uplineChain(maxDepth: 9) { agent { agentCode } } } fromUpline { agentCode } toUpline { agentCode } } } }`
	// evaluation is all that a scenario says of what it would do.
	evaluation = `query($id: ID!) { scenario(id: $id) {
		evaluation { conflicts { code field } versions affectedAgentCount maxDepthBefore maxDepthAfter premium moves { agent { agentCode } fromUpline { agentCode } uplines { agentCode } followerCount
			followers { agentCode } level levelNeeded premium upline { before { effectiveFrom value } after { effectiveFrom value } } levelChange { operations { kind } } payStatus { operations { kind } } } } } }`
	consequences = `query($id: ID!) { scenario(id: $id) { authorizations { gained lost rows { agentCode product jurisdiction status } } hierarchy(rootAgentCode: "A0", maxDepth: 20) { agent { agentCode } uplineAgentCode depth downlineCount }
		difference(onDate: "2026-08-01") { totals { added removed moved levelChanged } moved { agent { agentCode } fromUpline { agentCode } toUpline { agentCode } } levelChanged { agent { agentCode } fromLevel toLevel } } } }`
	// standing is the agency itself, to compare with.
	standing = `{ agents(first: 20, onDate: "2026-08-01") { nodes { agentCode membership { directUplineCode level { value } } payStatus { name } uplineChain(maxDepth: 9) { agent { agentCode } } } }
		salesAuthorizations(onDate: "2026-08-01", first: 100, status: AUTHORIZED) { nodes { agentCode product jurisdiction } } }`
)

// tried asks of moves that are not kept what a query asks of a scenario.
func tried(query string) string {
	return strings.NewReplacer("($id: ID!)", "($moves: [ReorgMoveInput!]!)", "scenario(id: $id)", `scenarioTrial(effectiveFrom: "2026-08-01", moves: $moves)`).Replace(query)
}

// newScenario keeps a scenario from 2026-08-01 on, and returns its id and version.
func newScenario(t *testing.T, c *apptest.Caller, in object) (id, version string) {
	t.Helper()
	in["effectiveFrom"] = "2026-08-01"
	if in["name"] == nil {
		in["name"] = "Spring"
	}
	made := c.Query(t, scenarioCreate, object{"in": in})
	if apptest.At(made, "result.applied") != true {
		t.Fatal(made)
	}
	return apptest.At(made, "result.scenario.id").(string), apptest.At(made, "result.scenario.lastModified").(string)
}

// people is what an agency is, by agent.
type people map[string]struct {
	upline, level, status string
	chain                 []string
}

// stand reads the agency, with who may sell.
func stand(t *testing.T, c *apptest.Caller) (people, map[string]bool) {
	t.Helper()
	data := c.Query(t, standing, nil)
	all, may := people{}, map[string]bool{}
	for _, a := range apptest.At(data, "agents.nodes").([]any) {
		one := all[""]
		one.upline, one.level, one.status = fmt.Sprint(apptest.At(a, "membership.directUplineCode")), fmt.Sprint(apptest.At(a, "membership.level.value")), fmt.Sprint(apptest.At(a, "payStatus.name"))
		for _, u := range apptest.At(a, "uplineChain").([]any) {
			one.chain = append(one.chain, apptest.At(u, "agent.agentCode").(string))
		}
		all[apptest.At(a, "agentCode").(string)] = one
	}
	for _, s := range apptest.At(data, "salesAuthorizations.nodes").([]any) {
		may[fmt.Sprint(apptest.At(s, "agentCode"), " ", apptest.At(s, "product"), " ", apptest.At(s, "jurisdiction"))] = true
	}
	return all, may
}

// For random moves in a random agency: what a scenario says that it would do is what it
// does when it is applied, and saying it changes nothing. What is refused is refused for
// the reasons that it named.
func TestScenarioDoesWhatItSays(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		random := rand.New(rand.NewPCG(39, 2))
		succeed(t, c, `mutation { result: providerCompanyUpsert(input: {code: "ACO", name: "A"}) { applied userErrors { code field message } } }`, nil)
		var codes []string
		for i := range 9 {
			upline := ""
			if i > 0 {
				upline = codes[random.IntN(len(codes))]
			}
			code := fmt.Sprint("A", i)
			newAgent(t, c, code, upline, "2026-01-01")
			codes = append(codes, code)
			succeed(t, c, `mutation($in: ProductionRecordUpsertInput!) { result: productionRecordUpsert(input: $in) { applied userErrors { code field message } } }`,
				object{"in": object{"agentCode": code, "providerCompany": "ACO", "policyNumber": code, "placedOn": "2026-02-01", "annualPremium": fmt.Sprint(int(1)<<i, ".00"), "initiator": "x"}})
			if i%2 == 0 {
				succeed(t, c, `mutation($in: CertificationUpsertInput!) { result: certificationUpsert(input: $in) { applied userErrors { code field message } } }`,
					object{"in": object{"agentCode": code, "type": "LIFE", "jurisdiction": "US-TX", "isResidentCertification": true, "isVerified": true, "status": "ACTIVE", "effectiveFrom": "2026-01-01"}})
			}
		}
		for _, m := range []string{`productCreate(input: {code: "TERM", name: "Term"})`, `productRuleApply(input: {product: "TERM", rule: "Licence", jurisdictions: ["US-TX"], certificationTypes: ["LIFE"], uplineDepth: 1, requiresActiveStatus: true, effectiveFrom: "2026-01-01"})`} {
			succeed(t, c, "mutation { result: "+m+" { applied userErrors { code field message } } }", nil)
		}
		w.RebuildNow(t, apptest.Acme)
		applied, refused, shifted := 0, 0, 0
		for range 30 {
			w.Clock.Move(time.Minute)
			var moves []any
			for _, at := range random.Perm(len(codes))[:1+random.IntN(4)] {
				move := object{"agentCode": codes[at]}
				switch to := random.IntN(len(codes) + 2); {
				case to < len(codes):
					move["newUplineAgentCode"] = codes[to]
				case to == len(codes):
					move["newUplineAgentCode"] = nil
				default:
					move["newLevel"] = 20
				}
				if random.IntN(4) == 0 {
					move["newPayStatus"] = []string{"Active", "Suspended"}[random.IntN(2)]
				}
				moves = append(moves, move)
			}
			before, could := stand(t, c)
			trial := apptest.At(c.Query(t, tried(evaluation), object{"moves": moves}), "scenarioTrial")
			id, version := newScenario(t, c, object{"moves": moves})
			says := apptest.At(c.Query(t, evaluation, object{"id": id}), "scenario.evaluation")
			versions := slices.DeleteFunc(slices.Clone(apptest.At(says, "versions").([]any)), func(v any) bool { return v == version })
			equal(t, "the versions of what is not kept", apptest.At(trial, "evaluation.versions"), any(versions))
			for _, name := range []string{"conflicts", "affectedAgentCount", "maxDepthBefore", "maxDepthAfter", "premium", "moves"} {
				equal(t, name+" of what is not kept", apptest.At(trial, "evaluation."+name), apptest.At(says, name))
			}
			input := object{"in": object{"id": id, "versions": apptest.At(says, "versions"), "initiator": "x"}}
			if conflicts := apptest.At(says, "conflicts").([]any); len(conflicts) > 0 {
				refused++
				result := apptest.At(c.Query(t, scenarioApply, input), "result")
				equal(t, "refusals", apptest.At(result, "userErrors"), any(conflicts))
				after, can := stand(t, c)
				equal(t, "the agency after a refusal", []any{after, can}, []any{before, could})
				continue
			}
			would := apptest.At(c.Query(t, consequences, object{"id": id}), "scenario")
			equal(t, "consequences of what is not kept", apptest.At(c.Query(t, tried(consequences), object{"moves": moves}), "scenarioTrial"), would)
			still, may := stand(t, c)
			equal(t, "the agency after it was evaluated", []any{still, may}, []any{before, could})
			dry := apptest.At(c.Query(t, scenarioApply, object{"in": input["in"], "try": true}), "result")
			result := apptest.At(c.Query(t, scenarioApply, input), "result")
			if apptest.At(result, "applied") != true || apptest.At(dry, "applied") != false {
				t.Fatalf("%v\n%v", dry, result)
			}
			equal(t, "a dry run", apptest.At(dry, "moves"), apptest.At(result, "moves"))
			equal(t, "affected agents", apptest.At(says, "affectedAgentCount"), apptest.At(result, "affectedAgentCount"))
			applied++
			w.RebuildNow(t, apptest.Acme)
			after, can := stand(t, c)
			checkSaid(t, says, before, after)
			shifted += checkConsequences(t, would, before, after, could, can)
		}
		if applied < 5 || refused < 3 || shifted < 3 {
			t.Errorf("%d were applied, %d refused, %d authorizations changed: the test shows too little", applied, refused, shifted)
		}
	})
}

// Who made a scenario sees it, and whoever has a role that it is shared with; nobody of
// another agency, and nobody who is limited to a downline, who can move nobody either.
func TestScenarioIsShared(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		newAgent(t, c, "A0", "", "2026-01-01")
		newAgent(t, c, "A1", "A0", "2026-01-01")
		for _, role := range []string{"Planner", "Other"} {
			succeed(t, c, `mutation($in: RoleCreateInput!) { result: roleCreate(input: $in) { applied userErrors { code field message } } }`, object{"in": object{"name": role, "scopes": list("read:agents", "write:agents")}})
		}
		succeed(t, c, `mutation { result: roleCreate(input: {name: "Leader", scopes: ["read:agents", "write:agents"], limitedToDownline: true}) { applied userErrors { code field message } } }`, nil)
		planner, other := w.AsUser(t, apptest.Acme, w.AddUser(t, apptest.Acme, "planner", "", "Planner")), w.AsUser(t, apptest.Acme, w.AddUser(t, apptest.Acme, "other", "", "Other"))
		limited := w.AsUser(t, apptest.Acme, w.AddUser(t, apptest.Acme, "limited", "A1", "Leader"))
		moves := list(object{"agentCode": "A1", "newUplineAgentCode": nil})
		id, version := newScenario(t, c, object{"moves": moves, "sharedWith": list("Leader", "Planner")})
		const read = `query($id: ID!) { scenario(id: $id) { id sharedWith } scenarios(state: DRAFT) { totalCount nodes { id } } }`
		see := func(what string, who *apptest.Caller, want bool) {
			t.Helper()
			data := who.Query(t, read, object{"id": id})
			seen := object{"scenario": nil, "scenarios": object{"totalCount": number("0"), "nodes": []any{}}}
			if want {
				seen = object{"scenario": object{"id": id, "sharedWith": list("Leader", "Planner")}, "scenarios": object{"totalCount": number("1"), "nodes": list(object{"id": id})}}
			}
			equal(t, what, data, any(seen))
		}
		see("its maker", c, true)
		see("a role", planner, true)
		see("another role", other, false)
		see("a limited user", limited, false)
		see("another agency", w.As(apptest.Umbra, bearer.TenantScopes()...), false)
		input := object{"in": object{"id": id, "lastModified": version, "name": "Stolen"}}
		equal(t, "a change by another role", apptest.At(other.Query(t, scenarioUpdate, input), "result.userErrors.0.code"), any("NOT_FOUND"))
		if _, errs := limited.GraphQL(t, scenarioUpdate, input); len(errs) == 0 {
			t.Error("a limited user changes a scenario")
		}
		if _, errs := limited.GraphQL(t, scenarioCreate, object{"in": object{"name": "Mine", "effectiveFrom": "2026-08-01", "moves": moves}}); len(errs) == 0 {
			t.Error("a limited user makes a scenario")
		}
		equal(t, "a change by a role", apptest.At(planner.Query(t, scenarioUpdate, input), "result.scenario.lastModifiedBy"), any("planner"))
		equal(t, "premium without the scope for it", apptest.At(planner.Query(t, evaluation, object{"id": id}), "scenario.evaluation.premium"), nil)
		equal(t, "an unknown role", apptest.At(c.Query(t, scenarioCreate, object{"in": object{"name": "S", "effectiveFrom": "2026-08-01", "sharedWith": list("Nobody")}}), "result.userErrors"),
			any(list(object{"code": "NOT_FOUND", "field": list("input", "sharedWith", "0")})))
	})
}

// Whatever its maker and those who are asked do to a scenario: each review is what its user said
// last since it was asked, and says whether the moves were others by then; who is asked sees the
// scenario, and nobody else; and who is not asked reviews nothing.
func TestScenarioIsReviewed(t *testing.T) {
	const (
		read   = `query($id: ID!) { scenario(id: $id) { lastModified reviews { username verdict comment isOutdated } } }`
		review = `mutation($in: ScenarioReviewInput!) { result: scenarioReview(input: $in) { applied userErrors { code field } scenario { lastModified } } }`
	)
	type said struct {
		verdict, comment string
		moves            int
	}
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		newAgent(t, c, "A0", "", "2026-01-01")
		newAgent(t, c, "A1", "A0", "2026-01-01")
		succeed(t, c, `mutation($in: RoleCreateInput!) { result: roleCreate(input: $in) { applied userErrors { code field message } } }`, object{"in": object{"name": "Planner", "scopes": list("read:agents")}})
		users := map[string]*apptest.Caller{}
		for _, name := range []string{"ann", "ben", "cid"} {
			users[name] = w.AsUser(t, apptest.Acme, w.AddUser(t, apptest.Acme, name, "", "Planner"))
		}
		moves := []any{[]any{}, list(object{"agentCode": "A1", "newUplineAgentCode": nil}), list(object{"agentCode": "A1", "newLevel": number("20")})}
		id, version := newScenario(t, c, object{"moves": moves[0]})
		random, is, now := rand.New(rand.NewPCG(57, 1)), map[string]said{}, 0
		answered, refused, outdated, back := 0, 0, 0, 0
		for range 60 {
			w.Clock.Move(time.Minute)
			name := slices.Sorted(keys(users))[random.IntN(len(users))]
			switch random.IntN(4) {
			case 0:
				asked := []any{}
				for _, other := range slices.Sorted(keys(users)) {
					one, had := is[other]
					if delete(is, other); random.IntN(3) > 0 {
						if asked = append(asked, other); !had {
							one = said{verdict: "ASKED"}
						}
						is[other] = one
					}
				}
				c.Query(t, scenarioUpdate, object{"in": object{"id": id, "lastModified": version, "reviewers": asked}})
			case 1:
				now = random.IntN(len(moves))
				c.Query(t, scenarioUpdate, object{"in": object{"id": id, "lastModified": version, "moves": moves[now]}})
			default:
				verdict, comment := []string{"ASKED", "COMMENTED", "APPROVED", "DECLINED"}[random.IntN(4)], []string{"", "Fine."}[random.IntN(2)]
				late := random.IntN(4) == 0
				if in := version; late {
					in = "2020-01-01T00:00:00Z"
					equal(t, "a review of another version", len(apptest.At(users[name].Query(t, review, object{"in": object{"id": id, "lastModified": in, "verdict": verdict}}), "result.userErrors").([]any)), 1)
				}
				result := apptest.At(users[name].Query(t, review, object{"in": object{"id": id, "lastModified": version, "verdict": verdict, "comment": comment}}), "result")
				if _, asked := is[name]; !asked {
					refused++
					equal(t, "who is not asked", apptest.At(result, "userErrors.0.code"), any("NOT_FOUND"))
					break
				}
				answered++
				equal(t, "the version after a review", apptest.At(result, "scenario.lastModified"), any(version))
				if undone := apptest.At(result, "applied") == true && random.IntN(3) == 0; undone {
					undo := `mutation($n: Long!) { result: changeUndo(input: {sequence: $n, initiator: "boss"}) { applied userErrors { code field message } } }`
					w.Clock.Move(time.Second)
					succeed(t, c, undo, object{"n": apptest.At(c.Query(t, "{ changes(first: 1) { nodes { sequence } } }", nil), "changes.nodes.0.sequence")})
					back++
					break
				}
				is[name] = said{verdict, comment, now}
			}
			want := []any{}
			for _, other := range slices.Sorted(keys(is)) {
				one := object{"username": other, "verdict": is[other].verdict, "comment": nil, "isOutdated": is[other].verdict != "ASKED" && is[other].moves != now}
				if is[other].comment != "" {
					one["comment"] = is[other].comment
				}
				if one["isOutdated"] == true {
					outdated++
				}
				want = append(want, one)
			}
			data := c.Query(t, read, object{"id": id})
			equal(t, "reviews", apptest.At(data, "scenario.reviews"), any(want))
			version = apptest.At(data, "scenario.lastModified").(string)
			for other, who := range users {
				_, asked := is[other]
				equal(t, other+" sees it", apptest.At(who.Query(t, read, object{"id": id}), "scenario") != nil, asked)
			}
		}
		if answered < 5 || refused < 5 || outdated < 5 || back < 3 {
			t.Errorf("%d answers, %d refusals, %d outdated, %d taken back: the test shows too little", answered, refused, outdated, back)
		}
		equal(t, "nobody of this name", apptest.At(c.Query(t, scenarioCreate, object{"in": object{"name": "S", "effectiveFrom": "2026-08-01", "reviewers": list("nobody")}}), "result.userErrors"),
			any(list(object{"code": "NOT_FOUND", "field": list("input", "reviewers", "0")})))
	})
}

// checkSaid compares an evaluation with the agency before and after.
func checkSaid(t *testing.T, says any, before, after people) {
	t.Helper()
	affected, premium := map[string]bool{}, 0
	for _, m := range apptest.At(says, "moves").([]any) {
		code := apptest.At(m, "agent.agentCode").(string)
		var chain []string
		for _, u := range apptest.At(m, "uplines").([]any) {
			chain = append(chain, apptest.At(u, "agentCode").(string))
		}
		equal(t, "uplines of "+code, chain, after[code].chain)
		equal(t, "level of "+code, fmt.Sprint(apptest.At(m, "level")), after[code].level)
		needed := "<nil>"
		if len(chain) > 0 && after[chain[0]].level < after[code].level {
			needed = after[code].level
		}
		equal(t, "level needed above "+code, fmt.Sprint(apptest.At(m, "levelNeeded")), needed)
		followers := []any{}
		worth := worthOf(code)
		for _, other := range slices.Sorted(keys(before)) {
			if slices.Contains(before[other].chain, code) && slices.Contains(after[other].chain, code) {
				followers, worth = append(followers, object{"agentCode": other}), worth+worthOf(other)
			}
		}
		equal(t, "followers of "+code, apptest.At(m, "followers"), any(followers))
		equal(t, "premium of "+code, apptest.At(m, "premium"), any(fmt.Sprint(worth, ".00")))
		if !slices.Equal(before[code].chain[:min(1, len(before[code].chain))], chain[:min(1, len(chain))]) { // nothing begins later
			for other, was := range before {
				if other == code || slices.Contains(was.chain, code) {
					affected[other] = true
				}
			}
		}
	}
	for other := range affected {
		premium += worthOf(other)
	}
	equal(t, "affected", fmt.Sprint(apptest.At(says, "affectedAgentCount")), fmt.Sprint(len(affected)))
	equal(t, "premium", apptest.At(says, "premium"), any(fmt.Sprint(premium, ".00")))
}

func worthOf(code string) int {
	var i int
	_, _ = fmt.Sscanf(code, "A%d", &i)
	return 1 << i
}

func keys[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// checkConsequences does the same of the tree, the comparison and who may sell; it returns
// how many authorizations differ.
func checkConsequences(t *testing.T, would any, before, after people, could, can map[string]bool) int {
	t.Helper()
	for _, n := range apptest.At(would, "hierarchy").([]any) {
		code, below := apptest.At(n, "agent.agentCode").(string), 0
		for _, other := range after {
			if slices.Contains(other.chain, code) {
				below++
			}
		}
		equal(t, "below "+code, fmt.Sprint(apptest.At(n, "downlineCount")), fmt.Sprint(below))
		if depth := fmt.Sprint(slices.Index(after[code].chain, "A0") + 1); code != "A0" && (fmt.Sprint(apptest.At(n, "depth")) != depth || apptest.At(n, "uplineAgentCode") != after[code].upline) {
			t.Errorf("node %v; want %v at %s", n, after[code], depth)
		}
	}
	moved, levels := []any{}, 0
	for _, code := range slices.Sorted(keys(before)) {
		if was, is := before[code], after[code]; was.upline != is.upline {
			moved = append(moved, object{"agent": object{"agentCode": code}, "fromUpline": named(was.upline), "toUpline": named(is.upline)})
		}
		if before[code].level != after[code].level {
			levels++
		}
	}
	equal(t, "moved", apptest.At(would, "difference.moved"), any(moved))
	equal(t, "totals", []any{apptest.At(would, "difference.totals.moved"), apptest.At(would, "difference.totals.levelChanged")}, []any{json.Number(fmt.Sprint(len(moved))), json.Number(fmt.Sprint(levels))})
	var want, got []string
	for one := range can {
		if !could[one] {
			want = append(want, one+" AUTHORIZED")
		}
	}
	for one := range could {
		if !can[one] {
			want = append(want, one+" NOT_AUTHORIZED")
		}
	}
	for _, r := range apptest.At(would, "authorizations.rows").([]any) {
		got = append(got, fmt.Sprint(apptest.At(r, "agentCode"), " ", apptest.At(r, "product"), " ", apptest.At(r, "jurisdiction"), " ", apptest.At(r, "status")))
	}
	slices.Sort(want)
	slices.Sort(got)
	equal(t, "authorizations", got, want)
	return len(want)
}

func named(code string) any {
	if code == "<nil>" {
		return nil
	}
	return object{"agentCode": code}
}

// Two people change a scenario: the second sees what the first wrote, and nothing is lost.
// Whoever applies what was changed since is told what.
func TestScenarioHasVersions(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		for _, code := range []string{"A0", "A1", "A2"} {
			newAgent(t, c, code, map[bool]string{true: "A0"}[code == "A2"], "2026-01-01")
		}
		w.Clock.Move(time.Second)
		id, version := newScenario(t, c, object{"moves": list(object{"agentCode": "A2", "newUplineAgentCode": "A1"})})
		w.Clock.Move(time.Second)
		update := func(version any, more object) any {
			more["id"], more["lastModified"] = id, version
			return apptest.At(c.Query(t, scenarioUpdate, object{"in": more}), "result")
		}
		first := update(version, object{"moves": list(object{"agentCode": "A2", "newUplineAgentCode": nil}, object{"agentCode": "A1", "newLevel": 20})})
		equal(t, "the first", apptest.At(first, "applied"), any(true))
		second := update(version, object{"name": "Autumn"})
		equal(t, "the second", apptest.At(second, "userErrors.0.code"), any("PRECONDITION_FAILED"))
		equal(t, "what the second is shown", apptest.At(second, "scenario"), apptest.At(first, "scenario"))
		again := update(apptest.At(second, "scenario.lastModified"), object{"name": "Autumn", "description": "for all"})
		equal(t, "the second again", []any{apptest.At(again, "applied"), apptest.At(again, "scenario.name"), apptest.At(again, "scenario.moves")},
			[]any{true, "Autumn", apptest.At(first, "scenario.moves")})
		same := update(apptest.At(again, "scenario.lastModified"), object{"name": "Autumn"})
		equal(t, "no change", []any{apptest.At(same, "applied"), apptest.At(same, "scenario.lastModified")}, []any{false, apptest.At(again, "scenario.lastModified")})

		versions := func() any {
			return apptest.At(c.Query(t, evaluation, object{"id": id}), "scenario.evaluation.versions")
		}
		apply := func(versions any) any {
			return apptest.At(c.Query(t, scenarioApply, object{"in": object{"id": id, "versions": versions, "reason": "as planned"}}), "result")
		}
		old := versions()
		w.Clock.Move(time.Second)
		succeed(t, c, `mutation { agentUpdate(input: {agentCode: "A1", lastName: "Diaz", initiator: "zoe"}) { applied userErrors { code field message } } }`, nil)
		late := apply(old)
		equal(t, "changed since", []any{apptest.At(late, "applied"), apptest.At(late, "userErrors.0.code"), apptest.At(late, "changedSince")},
			[]any{false, "PRECONDITION_FAILED", list(object{"agent": object{"agentCode": "A1"}, "lastModifiedBy": "zoe"})})
		old = versions()
		w.Clock.Move(time.Second)
		last := update(apptest.At(again, "scenario.lastModified"), object{"isDiscarded": true})
		equal(t, "discarded", apptest.At(last, "scenario.state"), any("DISCARDED"))
		equal(t, "another version of the scenario", apptest.At(apply(old), "userErrors.0.code"), any("PRECONDITION_FAILED"))
		equal(t, "what was discarded", apptest.At(apply(versions()), "userErrors.0.code"), any("NOT_APPLICABLE"))
		last = update(apptest.At(last, "scenario.lastModified"), object{"isDiscarded": false})
		equal(t, "taken up again", apptest.At(last, "scenario.state"), any("DRAFT"))
		done := apply(versions())
		equal(t, "applied", []any{apptest.At(done, "applied"), apptest.At(done, "scenario.state")}, []any{true, "APPLIED"})
		is := apptest.At(c.Query(t, `query($id: ID!) { scenario(id: $id) { lastModified } }`, object{"id": id}), "scenario.lastModified")
		equal(t, "after it was applied", apptest.At(update(is, object{"name": "Never"}), "userErrors.0.code"), any("NOT_APPLICABLE"))

		var trail []string
		for _, e := range apptest.At(c.Query(t, `{ auditLog(first: 20, filter: {entityType: "Scenario"}) { nodes { operation subject entityKeys changes { field } } } }`, nil), "auditLog.nodes").([]any) {
			var fields []string
			for _, f := range apptest.At(e, "changes").([]any) {
				fields = append(fields, apptest.At(f, "field").(string))
			}
			trail = append(trail, fmt.Sprint(apptest.At(e, "operation"), " ", fields))
			equal(t, "the scenario of an entry", apptest.At(e, "entityKeys"), any(list(id)))
		}
		equal(t, "the audit trail", trail, []string{"scenarioApply [state]", "scenarioUpdate [state]", "scenarioUpdate [state]", "scenarioUpdate [description name]", "scenarioUpdate [moves]", "scenarioCreate [effectiveFrom moves name]"})

		// It is taken back as any change is.
		changes := apptest.At(c.Query(t, `{ changes(first: 20) { nodes { sequence operation field reason } } }`, nil), "changes.nodes").([]any)
		changes = slices.DeleteFunc(changes, func(c any) bool {
			return !strings.HasPrefix(fmt.Sprint(apptest.At(c, "field")), "teams.") || apptest.At(c, "operation") != "scenarioApply"
		})
		equal(t, "what is taken back", len(changes), 2)
		for _, change := range changes {
			equal(t, "why", apptest.At(change, "reason"), any("as planned"))
		}
		w.Clock.Move(time.Second)
		undone := apptest.At(c.Query(t, undo, object{"n": apptest.At(changes[0], "sequence")}), "result")
		equal(t, "taken back", []any{apptest.At(undone, "applied"), apptest.At(undone, "userErrors")}, []any{true, []any{}})
		people, _ := stand(t, c)
		equal(t, "A2 and A1 after it was taken back", []string{people["A2"].upline, people["A1"].level}, []string{"A0", "10"})
	})
}

var example = regexp.MustCompile("(?s)```graphql\n(.*?)```(?:\n\n```json\n(.*?)```)?")

// The examples of docs/scenarios.md run, and answer what stands there.
func TestScenarioGuide(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		do := func(mutation string) {
			t.Helper()
			succeed(t, c, "mutation { result: "+mutation+" { applied userErrors { code field message } } }", nil)
		}
		newAgent(t, c, "TOP", "", "2026-01-01")
		for _, code := range []string{"ANN", "BEN", "CID"} {
			newAgent(t, c, code, "TOP", "2026-01-01")
		}
		newAgent(t, c, "DOT", "BEN", "2026-01-01")
		do(`roleCreate(input: {name: "Planner", scopes: ["read:agents", "write:agents"]})`)
		do(`productCreate(input: {code: "TERM-LIFE", name: "Term life"})`)
		do(`productRuleApply(input: {product: "TERM-LIFE", rule: "Licence", jurisdictions: ["US-TX"], certificationTypes: ["LIFE"], uplineDepth: 1, effectiveFrom: "2026-01-01"})`)
		for _, code := range []string{"TOP", "BEN"} {
			do(fmt.Sprintf(`certificationUpsert(input: {agentCode: %q, type: "LIFE", jurisdiction: "US-TX", isResidentCertification: true, isVerified: true, status: ACTIVE, effectiveFrom: "2026-01-01"})`, code))
		}
		do(`providerCompanyUpsert(input: {code: "ACO", name: "A"})`)
		for code, premium := range map[string]string{"BEN": "1000", "DOT": "500"} {
			do(fmt.Sprintf(`productionRecordUpsert(input: {agentCode: %q, providerCompany: "ACO", policyNumber: "P", placedOn: "2026-02-01", annualPremium: %q})`, code, premium))
		}
		w.RebuildNow(t, apptest.Acme)
		text, err := os.ReadFile("../docs/scenarios.md")
		if err != nil {
			t.Fatal(err)
		}
		found := example.FindAllStringSubmatch(string(text), -1)
		if len(found) < 2 {
			t.Fatalf("%d examples", len(found))
		}
		for _, e := range found {
			data := c.Query(t, e[1], nil)
			if e[2] == "" {
				equal(t, e[1], apptest.At(data, "scenarioCreate"), any(object{"applied": true, "scenario": object{"state": "DRAFT"}, "userErrors": []any{}}))
				continue
			}
			decoder := json.NewDecoder(strings.NewReader(e[2]))
			decoder.UseNumber()
			var want any
			if err := decoder.Decode(&want); err != nil {
				t.Fatal(err)
			}
			equal(t, e[1], data, want)
		}
	})
}
