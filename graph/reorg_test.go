package graph_test

import (
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/graph"
)

const (
	reorg = `mutation($input: ReorgApplyInput!, $dryRun: Boolean) { result: reorgApply(input: $input, dryRun: $dryRun) {
		moves { agent { agentCode asOf } fromUpline { agentCode } toUpline { agentCode } subtreeSize upline { ...set } level { ...set } }
		affectedAgentCount maxDepthBefore maxDepthAfter applied userErrors { code field details } } }` + changeSet
	diff = `query($root: String, $from: Date!, $to: Date!, $most: Int, $after: String) { diff: hierarchyDiff(rootAgentCode: $root, fromDate: $from, toDate: $to, maxChanges: $most, afterAgentCode: $after) {
		fromDate toDate hasMore totals { added removed moved levelChanged } added { agentCode asOf upline { agentCode } } removed { agentCode asOf upline { agentCode } }
		moved { agent { agentCode asOf } fromUpline { agentCode asOf } toUpline { agentCode asOf } effectiveFrom initiator }
		levelChanged { agent { agentCode asOf } fromLevel toLevel effectiveFrom } } }`
)

// A change that says nothing of dryRun is made: the argument has one default, false.
func TestDryRunHasOneDefault(t *testing.T) {
	defaults := 0
	for _, f := range graph.Schema().Mutation.Fields {
		if a := f.Arguments.ForName("dryRun"); a != nil {
			defaults++
			equal(t, f.Name, a.Type.String()+" = "+a.DefaultValue.String(), "Boolean! = false")
		}
	}
	if defaults < 10 {
		t.Errorf("only %d mutations have a dry run", defaults)
	}
}

// plantTeam registers TOP, A and B below it, A1 below A, A11 below A1, all with
// level 10, and A2 below A, who starts on June 1.
func plantTeam(t *testing.T, c *apptest.Caller) {
	t.Helper()
	for _, a := range [][3]string{{"TOP", "", "2025-01-01"}, {"A", "TOP", "2025-01-01"}, {"B", "TOP", "2025-01-01"},
		{"A1", "A", "2025-01-01"}, {"A11", "A1", "2025-01-01"}, {"A2", "A", "2026-06-01"}} {
		newAgent(t, c, a[0], a[1], a[2])
	}
}

func move(code string, more object) object {
	more["agentCode"] = code
	return more
}

func reorgInput(moves ...any) object {
	return object{"input": object{"effectiveFrom": "2026-07-01", "initiator": "hr", "moves": append([]any{}, moves...)}}
}

// "By default nothing is changed: say dryRun false"; a dry run answers what the
// write then answers.
func TestReorgApply(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		plantTeam(t, c)
		const read = `{ uplinePeriods { nodes { id } } levelPeriods { nodes { id } } hierarchyBuild { version } }`
		before := c.Query(t, read, nil)
		variables := reorgInput(move("A1", object{"newUplineAgentCode": "B", "newLevel": 20}), move("B", object{"newUplineAgentCode": nil}), move("A2", object{"newLevel": 10}))
		variables["dryRun"] = true
		preview := succeed(t, c, reorg, variables)
		equal(t, "rows after dry runs", c.Query(t, read, nil), before)
		equal(t, "a dry run is not applied", apptest.At(preview, "result.applied"), false)
		variables["dryRun"] = false
		result := succeed(t, c, reorg, variables)
		equal(t, "applied", apptest.At(result, "result.applied"), true)
		apptest.At(preview, "result").(object)["applied"] = true
		equal(t, "the answer of the dry run", preview, result)

		equal(t, "who", apptest.Each(result, "result.moves", "agent"), list(object{"agentCode": "A1", "asOf": "2026-07-01"},
			object{"agentCode": "B", "asOf": "2026-07-01"}, object{"agentCode": "A2", "asOf": "2026-07-01"}))
		equal(t, "from", apptest.Each(result, "result.moves", "fromUpline.agentCode"), list("A", "TOP", "A"))
		equal(t, "to a root", apptest.At(result, "result.moves.1.toUpline"), nil)
		equal(t, "sizes", apptest.Each(result, "result.moves", "subtreeSize"), list(number("2"), number("1"), number("1")))
		equal(t, "what was omitted", list(apptest.At(result, "result.moves.1.level"), apptest.At(result, "result.moves.2.upline")), list(nil, nil))
		equal(t, "the new level", apptest.At(result, "result.moves.0.level.after.1.value"), "20")
		equal(t, "the new upline", apptest.At(result, "result.moves.0.upline.after.1.value"), "B")
		equal(t, "affected, depths", list(apptest.At(result, "result.affectedAgentCount"), apptest.At(result, "result.maxDepthBefore"), apptest.At(result, "result.maxDepthAfter")),
			list(number("3"), number("3"), number("2")))
	})
}

// What is refused is named by its place among the arguments.
func TestReorgApplyNamesTheMove(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		plantTeam(t, c)
		refused := func(name string, variables object, code string, field ...any) any {
			t.Helper()
			variables["dryRun"] = false
			data := c.Query(t, reorg, variables)
			equal(t, name+": code", apptest.At(data, "result.userErrors.0.code"), code)
			equal(t, name+": field", apptest.At(data, "result.userErrors.0.field"), any(field))
			return apptest.At(data, "result.userErrors.0.details")
		}
		refused("nobody", reorgInput(move("NOBODY", object{"newLevel": 10})), "UNKNOWN_AGENT", "input", "moves", "0", "agentCode")
		refused("level null", reorgInput(move("A", object{"newLevel": nil})), "NULL_NOT_ALLOWED", "input", "moves", "0", "newLevel")
		refused("no moves", reorgInput(), "REQUIRED", "input", "moves")
		details := refused("below its downline", reorgInput(move("B", object{"newUplineAgentCode": nil}), move("A", object{"newUplineAgentCode": "A11"})),
			"CIRCULAR_HIERARCHY", "input", "moves", "1", "newUplineAgentCode")
		equal(t, "details", details, object{"cycle": list("A", "A11", "A1"), "onDate": "2026-07-01"})
	})
}

// Each agent is read as of the date on which it is what the list says, and of a
// change the day and the initiator are told.
func TestHierarchyDiff(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		plantTeam(t, c)
		variables := reorgInput(move("A1", object{"newUplineAgentCode": "B", "newLevel": 20}))
		variables["dryRun"] = false
		succeed(t, c, reorg, variables)
		days := object{"from": "2026-05-01", "to": "2026-07-15"}
		data := c.Query(t, diff, days)
		moved := object{"agent": object{"agentCode": "A1", "asOf": "2026-07-15"}, "fromUpline": object{"agentCode": "A", "asOf": "2026-05-01"},
			"toUpline": object{"agentCode": "B", "asOf": "2026-07-15"}, "effectiveFrom": "2026-07-01", "initiator": "hr"}
		level := func(code string, from, to any, since any) object {
			return object{"agent": object{"agentCode": code, "asOf": "2026-07-15"}, "fromLevel": from, "toLevel": to, "effectiveFrom": since}
		}
		added := object{"agentCode": "A2", "asOf": "2026-07-15", "upline": object{"agentCode": "A"}}
		equal(t, "team", apptest.At(data, "diff"), object{"fromDate": "2026-05-01", "toDate": "2026-07-15", "hasMore": false,
			"totals": object{"added": number("1"), "removed": number("0"), "moved": number("1"), "levelChanged": number("2")}, "added": list(added), "removed": []any{},
			"moved": list(moved), "levelChanged": list(level("A1", number("10"), number("20"), "2026-07-01"), level("A2", nil, number("10"), "2026-06-01"))})

		days["root"] = "A"
		data = c.Query(t, diff, days)
		removed := func(code, upline string) object {
			return object{"agentCode": code, "asOf": "2026-05-01", "upline": object{"agentCode": upline}}
		}
		equal(t, "below A: added", apptest.At(data, "diff.added"), any(list(added)))
		equal(t, "below A: removed with all below", apptest.At(data, "diff.removed"), any(list(removed("A1", "A"), removed("A11", "A1"))))
		equal(t, "below A: where it went", apptest.At(data, "diff.moved"), any(list(moved)))
		days["root"] = "B"
		data = c.Query(t, diff, days)
		equal(t, "below B: where it came from", apptest.At(data, "diff.moved"), any(list(moved)))
		equal(t, "below B: added with all below", apptest.Each(data, "diff.added", "agentCode"), list("A1", "A11"))

		days["root"], days["most"] = "A", 1
		data = c.Query(t, diff, days)
		equal(t, "cut", apptest.At(data, "diff.removed"), any(list(removed("A1", "A"))))
		equal(t, "cut: more", apptest.At(data, "diff.hasMore"), true)
		equal(t, "cut: how many", apptest.At(data, "diff.totals.removed"), number("2"))
		days["after"] = "A1"
		data = c.Query(t, diff, days)
		equal(t, "the rest", apptest.At(data, "diff.removed"), any(list(removed("A11", "A1"))))
		equal(t, "the rest: no more of removed", list(apptest.At(data, "diff.totals.removed"), apptest.At(data, "diff.totals.moved")), list(number("2"), number("1")))
		equal(t, "the same day", apptest.At(c.Query(t, diff, object{"from": "2026-07-15", "to": "2026-07-15"}), "diff.moved"), any([]any{}))
	})
}

// What is wrong with the arguments is an error of the field.
func TestHierarchyDiffRefuses(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		for _, test := range []struct {
			name      string
			variables object
			want      [][2]any
		}{
			{"an unknown root", object{"root": "NOBODY", "from": "2026-01-01", "to": "2026-01-02"}, [][2]any{{"UNKNOWN_AGENT", "rootAgentCode"}}},
			{"the later date first", object{"from": "2026-01-02", "to": "2026-01-01"}, [][2]any{{"OUT_OF_RANGE", "toDate"}}},
			{"both dates and the number", object{"from": "2026-01-02", "to": "2026-01-01", "most": 2001}, [][2]any{{"OUT_OF_RANGE", "toDate"}, {"OUT_OF_RANGE", "maxChanges"}}},
			{"a list of nothing", object{"from": "2026-01-01", "to": "2026-01-02", "most": 0}, [][2]any{{"OUT_OF_RANGE", "maxChanges"}}},
		} {
			_, errs := c.GraphQL(t, `query($root: String, $from: Date!, $to: Date!, $most: Int) {
				hierarchyDiff(rootAgentCode: $root, fromDate: $from, toDate: $to, maxChanges: $most) { hasMore } }`, test.variables)
			var got [][2]any
			for _, e := range errs {
				got = append(got, [2]any{e.Extensions["reason"], e.Extensions["field"].([]any)[0]})
			}
			if len(got) == 2 && got[0] != test.want[0] { // the first is added last
				got[0], got[1] = got[1], got[0]
			}
			equal(t, test.name, got, test.want)
		}
	})
}
