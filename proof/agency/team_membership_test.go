package agency_test

import (
	"slices"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/patch"
)

func (w *agentWorld) membership(code string, in agency.MembershipUpdate) ([]record.Change, error) {
	in.Initiator = "edit"
	return w.UpdateMembership(w.ctx, "default", code, in, false)
}

// "body { membership: { directUpline, level }, initiator }; either membership
// property may be omitted to keep it" (Endpoints, Agents); "effective today".
func TestMembershipUpdate(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		long, yesterday := agentToday.AddDays(-100), agentToday.AddDays(-1)
		w.register(since(newcomer("U1"), long))
		w.register(since(newcomer("U2"), long))
		in := since(under("U1", "A1"), long)
		in.Teams[0].Level = new(10)
		w.register(in)

		builds := w.count("SELECT changed_version FROM hierarchy_build WHERE tenant_id = $1", w.tenantID())
		at := w.later()
		changes, err := w.membership("A1", agency.MembershipUpdate{DirectUpline: patch.Set("U2")})
		w.must(nil, err)
		equal(t, "a rebuild is asked for", w.count("SELECT changed_version FROM hierarchy_build WHERE tenant_id = $1", w.tenantID()), builds+1)
		equal(t, "one change", len(changes), 1)
		equal(t, "upline", w.uplineHistory("A1"), []string{span("U1", long, &yesterday), span("U2", agentToday, nil)})
		equal(t, "the omitted level is kept", w.levelHistory("A1"), []string{span("10", long, nil)})
		equal(t, "lastModified", w.agent("A1").LastModified.UTC(), at)

		w.later()
		w.must(w.membership("A1", agency.MembershipUpdate{Level: patch.Set(20)}))
		equal(t, "level", w.levelHistory("A1"), []string{span("10", long, &yesterday), span("20", agentToday, nil)})
		equal(t, "the omitted upline is kept", len(w.uplineHistory("A1")), 2)

		w.unchanged(func() {
			changes, err := w.membership("A1", agency.MembershipUpdate{DirectUpline: patch.Set("U2"), Level: patch.Set(20)})
			w.must(nil, err)
			equal(t, "the same values change nothing", []bool{changes[0].Changed, changes[1].Changed}, []bool{false, false})
			equal(t, "the history is shown", []int{len(changes[0].After), len(changes[1].After)}, []int{2, 2})
			changes, err = w.membership("A1", agency.MembershipUpdate{})
			w.must(nil, err)
			equal(t, "nothing sent", len(changes), 0)
		})

		at = w.later()
		changes, err = w.membership("A1", agency.MembershipUpdate{DirectUpline: patch.Null[string](), Level: patch.Set(20)})
		w.must(nil, err)
		equal(t, "upline null is a root", w.uplineHistory("A1"), []string{span("U1", long, &yesterday), span("-", agentToday, nil)})
		equal(t, "one of two changed", []bool{changes[0].Changed, changes[1].Changed}, []bool{true, false})
		equal(t, "lastModified", w.agent("A1").LastModified.UTC(), at)
	})
}

// A change from today on goes to tomorrow's change: "open-ended".
func TestMembershipUpdateRemovesTheFuture(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("U1"))
		w.register(newcomer("U2"))
		w.register(under("U1", "A1"))
		w.must(w.applyUpline("A1", new("U2"), agentToday.AddDays(10), nil))
		w.unchanged(func() {
			changes, err := w.membership("A1", agency.MembershipUpdate{DirectUpline: patch.Set("U1")})
			w.must(nil, err)
			equal(t, "the current value changes nothing", changes[0].Changed, false)
		})
		w.must(w.membership("A1", agency.MembershipUpdate{DirectUpline: patch.Null[string]()}))
		equal(t, "upline", w.uplineHistory("A1"), []string{span("-", agentToday, nil)})
	})
}

func TestMembershipRefuses(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("TOP"))
		w.register(under("TOP", "A1"))
		w.unchanged(func() {
			for _, c := range []struct {
				name string
				code string
				in   agency.MembershipUpdate
				want []string
			}{
				{"level null", "A1", agency.MembershipUpdate{Level: patch.Null[int]()}, []string{"NULL_NOT_ALLOWED membership.level"}},
				{"unknown upline", "A1", agency.MembershipUpdate{DirectUpline: patch.Set("NOBODY")}, []string{"UNKNOWN_UPLINE membership.directUpline"}},
				{"unknown level", "A1", agency.MembershipUpdate{Level: patch.Set(11)}, []string{"UNKNOWN_LEVEL membership.level"}},
				{"both", "A1", agency.MembershipUpdate{DirectUpline: patch.Set("NOBODY"), Level: patch.Set(11)}, []string{"UNKNOWN_UPLINE membership.directUpline", "UNKNOWN_LEVEL membership.level"}},
				{"a good upline with a wrong level", "A1", agency.MembershipUpdate{DirectUpline: patch.Null[string](), Level: patch.Set(11)}, []string{"UNKNOWN_LEVEL membership.level"}},
				{"a cycle", "TOP", agency.MembershipUpdate{DirectUpline: patch.Set("A1")}, []string{"CIRCULAR_HIERARCHY membership.directUpline"}},
				{"itself", "TOP", agency.MembershipUpdate{DirectUpline: patch.Set("TOP")}, []string{"CIRCULAR_HIERARCHY membership.directUpline"}},
				{"unknown agent", "NOBODY", agency.MembershipUpdate{Level: patch.Set(10)}, []string{"UNKNOWN_AGENT"}},
			} {
				_, err := w.membership(c.code, c.in)
				equal(t, c.name, problems(err), c.want)
			}
			_, err := w.UpdateMembership(w.ctx, "west", "A1", agency.MembershipUpdate{Initiator: "edit"}, false)
			equal(t, "unknown team", problems(err), []string{"UNKNOWN_TEAM team"})
			_, err = w.UpdateMembership(w.ctx, "default", "A1", agency.MembershipUpdate{Level: patch.Set(10)}, false)
			equal(t, "no initiator", problems(err), []string{"REQUIRED initiator"})
			_, err = w.UpdateMembership(w.ctx, "default", "A1", agency.MembershipUpdate{DirectUpline: patch.Null[string](), Level: patch.Set(30), Initiator: "edit"}, true)
			w.must(nil, err)
		})
	})
}

// "Text is stored without the blanks around it" and "blank text in an optional
// property clears it, as null does", in the codes of every write of a history;
// a blank code of the agent itself is missing.
func TestCodesAreTakenWithoutBlanks(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("U1"))
		in := newcomer("A1")
		in.Teams[0].DirectUpline = new(" U1 ")
		w.register(in)
		equal(t, "of the caller's input nothing changes", *in.Teams[0].DirectUpline, " U1 ")
		equal(t, "registered below", w.uplineHistory("A1"), []string{span("U1", agentToday, nil)})
		in = newcomer("A2")
		in.Teams[0].DirectUpline = new(" ")
		w.register(in)
		equal(t, "registered as a root", w.uplineHistory("A2"), []string{span("-", agentToday, nil)})

		move := func(code, upline string) error {
			_, err := w.Reorganise(w.ctx, agency.Reorganisation{Team: "default", EffectiveFrom: agentToday, Initiator: "x",
				Moves: []agency.Move{{AgentCode: code, NewUpline: patch.Set(upline)}}}, false)
			return err
		}
		for _, c := range []struct {
			name  string
			write func() error
			want  string
		}{
			{"membership, blank", func() error {
				return second(w.membership("A1", agency.MembershipUpdate{DirectUpline: patch.Set("  ")}))
			}, "-"},
			{"membership", func() error {
				return second(w.membership("A1", agency.MembershipUpdate{DirectUpline: patch.Set(" U1\t")}))
			}, "U1"},
			{"period, blank", func() error { return second(w.applyUpline(" A1 ", new(""), agentToday, nil)) }, "-"},
			{"period", func() error { return second(w.applyUpline(" A1 ", new(" U1"), agentToday, nil)) }, "U1"},
			{"reorganisation, blank", func() error { return move(" A1", " ") }, "-"},
			{"reorganisation", func() error { return move("A1 ", "U1 ") }, "U1"},
		} {
			if err := c.write(); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if got := w.uplineHistory("A1"); !slices.Equal(got, []string{span(c.want, agentToday, nil)}) {
				t.Errorf("%s: %v", c.name, got)
			}
		}
		w.must(w.applyLevel(" A1 ", 10, agentToday, nil))
		w.must(w.applyStatus(" A1 ", "Suspended", agentToday, nil))
		w.must(w.ApplyW9(w.ctx, payee.W9PeriodInput{AgentCode: " A1 ", W9: someW9("Ana"),
			EffectiveFrom: agentToday, Initiator: "x"}, false))
		w.unchanged(func() {
			for name, err := range map[string]error{
				"upline": second(w.applyUpline(" ", nil, agentToday, nil)), "level": second(w.applyLevel("", 10, agentToday, nil)),
				"status": second(w.applyStatus("\t", "Active", agentToday, nil)),
				"W9": second(w.ApplyW9(w.ctx, payee.W9PeriodInput{W9: someW9("Ana"),
					EffectiveFrom: agentToday, Initiator: "x"}, false)),
			} {
				equal(t, name, problems(err), []string{"REQUIRED agentCode"})
			}
			equal(t, "move", problems(move(" ", "U1")), []string{"REQUIRED moves.0.agentCode"})
		})
	})
}

func second[T any](_ T, err error) error { return err }
