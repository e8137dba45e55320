package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
)

// Whoever was above others and is deleted takes what was known of it along. What the others
// were answered of the days before stays, or names the deleted upline; it gets no better.
func TestDeletionBettersNobody(t *testing.T) {
	for seed := range *ledgers {
		onEach(t, func(t *testing.T, w *apptest.World) { deletesSome(t, w, rand.New(rand.NewPCG(13, uint64(seed)))) })
	}
}

func deletesSome(t *testing.T, w *apptest.World, dice *rand.Rand) {
	c := w.As(apptest.Acme, append(slices.Clone(apptest.Agency), "business-insights:queries:execute")...)
	c.Query(t, `mutation { productCreate(input: {code: "TERM", name: "Term"}) { applied }
		productRuleApply(input: {product: "TERM", rule: "Above", requiresActiveStatus: true, minimumLevel: 20, uplineDepth: 2, effectiveFrom: "2026-01-01"}) { applied } }`, nil)
	const agents = 7
	for i := range agents {
		upline := ""
		if i > 0 {
			upline = fmt.Sprint("A", dice.IntN(i))
		}
		newAgent(t, c, fmt.Sprint("A", i), upline, "2026-05-01")
		if dice.IntN(3) > 0 {
			succeed(t, c, applyLevel, object{"input": object{"agentCode": fmt.Sprint("A", i), "level": 20, "effectiveFrom": "2026-05-01", "initiator": "x"}})
		}
	}
	days, instants := []any{"2026-05-02", "2026-05-25", "2026-06-14"}, []any{nil}
	for range 6 {
		w.Clock.Move(time.Minute)
		writePeriod(t, c, dice) // of A0 to A3
		instants = append(instants, w.Clock.Now().Add(time.Second).Format(time.RFC3339Nano))
	}
	w.Clock.Move(time.Hour)
	broken := 0
	for i := range agents - 1 {
		gone := fmt.Sprint("A", 1+(i+dice.IntN(2))%(agents-1))
		was := answersOfChains(t, c, days, instants)
		deleted := c.Query(t, `mutation($in: AgentDeleteInput!) { m: agentDelete(input: $in) { applied } }`, object{"in": object{"agentCode": gone, "newUplineAgentCode": "A0"}})
		if apptest.At(deleted, "m.applied") != true {
			continue // gone already, or A0 would be above itself
		}
		w.Clock.Move(time.Second)
		is := answersOfChains(t, c, days, instants)
		for question, before := range was {
			after, there := is[question]
			switch {
			case question.agent == gone && there:
				t.Errorf("%v of %s, who was deleted, is answered", question, gone)
			case question.agent == gone || same(before, after):
			case !slices.Contains(after.reasons, "UPLINE_DELETED") || after.good:
				t.Errorf("%v was %+v, and is %+v since %s was deleted", question, before, after, gone)
			default:
				broken++
			}
		}
	}
	if broken == 0 {
		t.Error("no chain was broken")
	}
}

type chainQuestion struct {
	agent, about string
	day, at      any
}

type chainAnswer struct {
	good    bool
	reasons []string
	through string
}

// answersOfChains answers about each agent what depends on its uplines.
func answersOfChains(t *testing.T, c *apptest.Caller, days, instants []any) map[chainQuestion]chainAnswer {
	t.Helper()
	all := map[chainQuestion]chainAnswer{}
	for _, day := range days {
		for _, at := range instants {
			data := c.Query(t, `query($on: Date, $at: DateTime) { salesAuthorizations(products: ["TERM"], jurisdictions: ["US-TX"], onDate: $on, asKnownAt: $at, first: 50) { nodes { agentCode status through reasons { code } } } }`, object{"on": day, "at": at})
			for _, row := range apptest.At(data, "salesAuthorizations.nodes").([]any) {
				answer := chainAnswer{good: apptest.At(row, "status") == "AUTHORIZED", through: fmt.Sprint(apptest.At(row, "through"))}
				for _, why := range apptest.At(row, "reasons").([]any) {
					answer.reasons = append(answer.reasons, apptest.At(why, "code").(string))
				}
				all[chainQuestion{apptest.At(row, "agentCode").(string), "authorization", day, at}] = answer
			}
		}
		for i := range 7 {
			agent := fmt.Sprint("A", i)
			data, errs := c.GraphQL(t, `query($p: JSON) { insight(slug: "eligibility", parameters: $p) { rows } }`, object{"p": object{"agentCode": agent, "onDate": day}})
			if len(errs) > 0 {
				continue // it was deleted
			}
			var answer chainAnswer
			for _, row := range apptest.At(data, "insight.rows").([]any) {
				answer.through += fmt.Sprint(apptest.At(row, "agentCode"), apptest.At(row, "isEligible"), " ")
				answer.reasons = append(answer.reasons, fmt.Sprint(apptest.At(row, "reason")))
			}
			all[chainQuestion{agent, "eligibility", day, nil}] = answer
		}
	}
	return all
}
