package graph_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/date"
)

// known is everything dated, and all that is derived from it.
const known = `query($on: Date, $at: DateTime, $licence: ID!) {
	agents(first: 4, onDate: $on, asKnownAt: $at) { nodes { agentCode asOf isActive payStatus { name } upline { agentCode isActive }
		membership { directUpline { agentCode } level { value } uplineSince levelSince }
		uplineChain(maxDepth: 4) { depth since agent { agentCode payStatus { name } } }
		downline(first: 9) { totalCount edges { depth path node { agentCode isActive } } }
		downlineSummary { totalCount activeCount directCount maxDepth byDepth { key count } byLevel { key count } byPayStatus { key count } expiringCertifications(withinDays: 9) }
		certifications(first: 9) { totalCount nodes { databaseId status effectiveFrom effectiveThrough daysRemaining agent { isActive } } } } }
	trees: agents(first: 4, onDate: $on, asKnownAt: $at) { nodes { downlineTree(maxNodes: 9) { truncated nodes { agentCode parentAgentCode depth directCount downlineCount hasMore agent { isActive } } } } }
	histories: agents(first: 4, onDate: $on, asKnownAt: $at) { nodes {
		payStatusPeriods(first: 9) { totalCount nodes { ...period status { name } agent { isActive } } }
		uplinePeriods(first: 9) { totalCount nodes { ...period uplineAgentCode upline { isActive } } }
		levelPeriods(first: 9) { totalCount nodes { ...period level { value } } }
		certifications(first: 9) { nodes { periods(first: 9) { totalCount nodes { ...period status certification { status } } } } } } }
	active: agents(first: 4, onDate: $on, asKnownAt: $at, filter: {isActive: true}) { totalCount nodes { agentCode } }
	below: agents(first: 4, onDate: $on, asKnownAt: $at, filter: {uplineAgentCode: "A0", payStatus: ["Active"]}) { nodes { agentCode } }
	certifications(first: 4, onDate: $on, asKnownAt: $at, filter: {status: [ACTIVE]}) { totalCount nodes { databaseId status agent { agentCode isActive } } }
	certification(id: $licence, onDate: $on, asKnownAt: $at) { status effectiveFrom }
	team(onDate: $on, asKnownAt: $at) { memberCount roots(first: 4) { totalCount nodes { agentCode isActive } } }
	downlineMembers(first: 4, filter: {agentCode: "A0"}, onDate: $on, asKnownAt: $at) { totalCount nodes { depth descendant { agentCode isActive } } }
	uplineMembers(first: 4, filter: {agentCode: "A3"}, onDate: $on, asKnownAt: $at) { totalCount nodes { depth ancestor { agentCode isActive } } }
}
fragment period on EffectivePeriod { effectiveFrom effectiveThrough isCurrent recordedAt }`

// "Period rows are never physically removed by a later period": what a read
// answered at an instant, asKnownAt that instant answers ever after, for any day.
func TestWhatWasAnsweredIsAnsweredAgain(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		for i, upline := range []string{"", "A0", "A1", "A1"} {
			newAgent(t, c, fmt.Sprint("A", i), upline, "2026-05-01")
		}
		licence := succeed(t, c, upsert, object{"input": object{"agentCode": "A2", "type": "AML", "isResidentCertification": false, "isVerified": true,
			"effectiveFrom": "2026-05-10", "effectiveThrough": "2026-06-20", "initiator": "x"}})
		w.RebuildNow(t, apptest.Acme)
		read := func(on, at any) object {
			return c.Query(t, known, object{"on": on, "at": at, "licence": apptest.At(licence, "result.certification.id")}).(object)
		}
		days := []any{nil, "2026-05-20", "2026-06-20"}
		answers := map[string]object{}
		remember := func() {
			for _, day := range days {
				answers[w.Clock.Now().Format(time.RFC3339Nano)+fmt.Sprint(day)] = read(day, nil)
			}
		}
		w.Clock.Move(time.Second) // stamps of one instant follow one another by microseconds
		remember()
		instants := []time.Time{w.Clock.Now()}
		dice := rand.New(rand.NewPCG(3, 5))
		for range 12 {
			w.Clock.Move(time.Second + time.Duration(dice.IntN(1e6))*time.Microsecond)
			writePeriod(t, c, dice)
			w.RebuildNow(t, apptest.Acme)
			remember()
			instants = append(instants, w.Clock.Now())
		}
		w.Clock.Move(time.Hour)
		differ := 0
		for _, at := range instants {
			for _, day := range days {
				want := answers[at.Format(time.RFC3339Nano)+fmt.Sprint(day)]
				for field, got := range read(day, at.Format(time.RFC3339Nano)) {
					if !same(got, want[field]) {
						t.Fatalf("%s on %v as known at %v:\n%v\nwas answered then:\n%v", field, day, at, got, want[field])
					}
				}
				if !same(read(day, nil), want) {
					differ++
				}
			}
		}
		if differ < len(instants) {
			t.Errorf("only %d answers differ from those of now", differ)
		}
	})
}

// none is an empty list of an answer.
var none = []any{}

// writePeriod applies a period to a random history. A cycle is refused and
// changes nothing.
func writePeriod(t *testing.T, c *apptest.Caller, dice *rand.Rand) {
	t.Helper()
	from := date.Of(2026, time.May, 1).AddDays(dice.IntN(60))
	input := object{"agentCode": fmt.Sprint("A", dice.IntN(4)), "effectiveFrom": from.String(), "initiator": "x"}
	if dice.IntN(3) > 0 {
		input["effectiveThrough"] = from.AddDays(dice.IntN(20)).String()
	}
	switch dice.IntN(4) {
	case 0:
		input["status"] = []string{"Active", "Suspended"}[dice.IntN(2)]
		succeed(t, c, applyStatus, object{"input": input})
	case 1:
		input["level"] = []int{10, 20}[dice.IntN(2)]
		succeed(t, c, applyLevel, object{"input": input})
	case 2:
		input["uplineAgentCode"] = []any{nil, "A0", "A2"}[dice.IntN(3)]
		c.Query(t, applyUpline, object{"input": input})
	default:
		input["type"], input["isResidentCertification"], input["isVerified"] = "AML", false, true
		input["status"] = []string{"ACTIVE", "EXPIRED"}[dice.IntN(2)]
		succeed(t, c, upsert, object{"input": input})
	}
}

// The instant is given once, at the root, and inherited by everything below;
// asKnownAt echoes it. Reads of two instants in one request do not mix.
func TestKnowledgeIsInherited(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		before := w.Clock.Now().Add(-time.Microsecond)
		c := family(t, w)
		w.Clock.Move(time.Second) // stamps of one instant follow one another by microseconds
		then := w.Clock.Now()
		w.Clock.Move(time.Hour)
		succeed(t, c, applyStatus, object{"input": object{"agentCode": "MID", "status": "Active", "effectiveFrom": "2026-03-01", "initiator": "x"}})
		succeed(t, c, applyUpline, object{"input": object{"agentCode": "LOW", "uplineAgentCode": "TOP", "effectiveFrom": "2026-01-01", "initiator": "x"}})
		w.RebuildNow(t, apptest.Acme)
		const fields = `{ agentCode asKnownAt upline { agentCode asKnownAt isActive certifications { nodes { asKnownAt status } } }
			membership { level { value } uplineSince } uplineChain { agent { asKnownAt } } payStatusPeriods { nodes { agent { asKnownAt } } } uplinePeriods { nodes { effectiveFrom } }
			downlineTree { build { version } nodes { agent { asKnownAt } } } }`
		ask := func(at any) any {
			t.Helper()
			return c.Query(t, `query($at: DateTime) { then: agent(agentCode: "LOW", asKnownAt: $at) `+fields+` now: agent(agentCode: "LOW") `+fields+`
				team(asKnownAt: $at) { asKnownAt roots { nodes { asKnownAt } } } certifications(asKnownAt: $at) { nodes { asKnownAt agent { asKnownAt } } }
				nobody: agent(agentCode: "NOBODY", asKnownAt: $at) { agentCode } }`, object{"at": at})
		}
		instant := then.Format(time.RFC3339Nano)
		data := ask(then.In(time.FixedZone("", 3600)).Format(time.RFC3339Nano))
		for path, want := range map[string]any{
			"then.asKnownAt": instant, "then.upline.agentCode": "MID", "then.upline.asKnownAt": instant, "then.upline.isActive": false,
			"then.upline.certifications.nodes.0.asKnownAt": instant, "then.membership.uplineSince": "2025-01-01", "then.uplineChain.1.agent.asKnownAt": instant,
			"then.payStatusPeriods.nodes.0.agent.asKnownAt": instant, "then.downlineTree.build": nil, "then.downlineTree.nodes.0.agent.asKnownAt": instant,
			"then.uplinePeriods.nodes.1.effectiveFrom": "2026-09-01", "now.uplinePeriods.nodes.1.effectiveFrom": "2026-01-01",
			"now.asKnownAt": nil, "now.upline.agentCode": "TOP", "now.membership.uplineSince": "2026-01-01", "now.uplineChain.1": nil,
			"team.asKnownAt": instant, "team.roots.nodes.0.asKnownAt": instant,
			"certifications.nodes.0.asKnownAt": instant, "certifications.nodes.0.agent.asKnownAt": instant, "nobody": nil,
		} {
			if got := apptest.At(data, path); got != want {
				t.Errorf("%s is %v, want %v", path, got, want)
			}
		}
		equal(t, "the build of now is named", apptest.At(data, "now.downlineTree.build") != nil, true)

		for _, at := range []any{before.Format(time.RFC3339Nano), "0001-01-01T00:00:00Z"} {
			data = ask(at)
			equal(t, "an agent before it was registered", apptest.At(data, "then"), nil)
			equal(t, "roots", apptest.At(data, "team.roots.nodes"), none)
			equal(t, "certifications", apptest.At(data, "certifications.nodes"), none)
		}
		for _, at := range []any{"2026-06-16T00:00:00Z", "9999-12-31T23:59:59Z"} {
			data = ask(at)
			equal(t, "as will be known", apptest.At(data, "then"), apptest.At(data, "now"))
		}
	})
}

// asKnownAt is a condition on rows of the caller's tenant, and refused where it
// cannot be answered.
func TestKnowledgeOfOthers(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := family(t, w)
		id := apptest.At(c.Query(t, `{ certifications { nodes { id } } }`, nil), "certifications.nodes.0.id")
		at := w.Clock.Now().Format(time.RFC3339)
		data := w.As(apptest.Umbra).Query(t, `query($id: ID!, $at: DateTime) { agent(agentCode: "LOW", asKnownAt: $at) { agentCode }
			certification(id: $id, asKnownAt: $at) { id } agents(asKnownAt: $at) { nodes { id } } team(asKnownAt: $at) { memberCount } }`, object{"id": id, "at": at})
		equal(t, "another tenant", data, object{"agent": nil, "certification": nil, "agents": object{"nodes": none}, "team": object{"memberCount": number("0")}})

		_, errs := c.GraphQL(t, `query($at: DateTime) { downlineMembers(asKnownAt: $at) { nodes { depth } } }`, object{"at": at})
		equal(t, "the whole hierarchy of then", len(errs) == 1 && errs[0].Code() == "BAD_USER_INPUT", true)
		_, errs = c.GraphQL(t, `{ agent(agentCode: "LOW", asKnownAt: "yesterday") { id } }`, nil)
		equal(t, "no instant", len(errs) == 1 && errs[0].Code() == "BAD_USER_INPUT", true)
	})
}
