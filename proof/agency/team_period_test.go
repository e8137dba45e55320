package agency_test

import (
	"slices"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/problem"
)

// dated is one of the three histories of an agent; values are texts.
type dated struct {
	name    string
	a, b    string
	apply   func(w *agentWorld, value string, from date.Date, through *date.Date, dryRun bool) (record.Change, error)
	history func(w *agentWorld) []string
	// warns is what every back-dated change of this history warns of, besides
	// BACKDATED_BEFORE_TODAY, and what every change does.
	backdated, always []history.WarningCode
}

func histories() []dated {
	return []dated{
		{"pay status", "Active", "Suspended",
			func(w *agentWorld, v string, from date.Date, through *date.Date, dry bool) (record.Change, error) {
				return w.ApplyPayStatus(w.ctx, record.PeriodInput[string]{AgentCode: "A1", Value: v, EffectiveFrom: from, EffectiveThrough: through, Initiator: "edit"}, dry)
			},
			func(w *agentWorld) []string { return w.statusHistory("A1") },
			[]history.WarningCode{history.AffectsCommissionEligibility}, nil},
		{"agent level", "10", "20",
			func(w *agentWorld, v string, from date.Date, through *date.Date, dry bool) (record.Change, error) {
				level := map[string]int{"10": 10, "20": 20}[v]
				return w.ApplyLevel(w.ctx, "default", record.PeriodInput[int]{AgentCode: "A1", Value: level, EffectiveFrom: from, EffectiveThrough: through, Initiator: "edit"}, dry)
			},
			func(w *agentWorld) []string { return w.levelHistory("A1") }, nil, nil},
		{"direct upline", "U1", "U2",
			func(w *agentWorld, v string, from date.Date, through *date.Date, dry bool) (record.Change, error) {
				return w.ApplyUpline(w.ctx, "default", agency.UplinePeriodInput{AgentCode: "A1", UplineAgentCode: &v, EffectiveFrom: from, EffectiveThrough: through, Initiator: "edit"}, dry)
			},
			func(w *agentWorld) []string { return w.uplineHistory("A1") },
			nil, []history.WarningCode{history.HierarchyRebuildRequired}},
	}
}

// onEachHistory runs a test for each history of agent A1, which starts with
// value a, open-ended, from hundred days ago.
func onEachHistory(t *testing.T, f func(t *testing.T, w *agentWorld, h dated)) {
	t.Helper()
	onEach(t, func(t *testing.T, w *agentWorld) {
		long := agentToday.AddDays(-100)
		w.register(since(newcomer("U1"), long))
		w.register(since(newcomer("U2"), long))
		for _, h := range histories() {
			t.Run(h.name, func(t *testing.T) {
				in := since(under("U1", "A1"), long)
				in.Teams[0].Level = new(10)
				w.register(in)
				f(t, w, h)
				w.must(w.DeleteAgent(w.ctx, "A1", nil, "test"))
			})
		}
	})
}

// The rules of "Effective-dated history rules": the table of its cases, for
// each of an agent's histories. TestApply of internal/history has all of them;
// here it is that what is stored is what was planned.
func TestPeriodsAreStoredByTheHistoryRules(t *testing.T) {
	onEachHistory(t, func(t *testing.T, w *agentWorld, h dated) {
		long := agentToday.AddDays(-100)
		d := agentToday.AddDays
		apply := func(value string, from date.Date, through *date.Date) record.Change {
			t.Helper()
			c, err := h.apply(w, value, from, through, false)
			w.must(nil, err)
			return c
		}
		equal(t, "start", h.history(w), []string{span(h.a, long, nil)})

		c := apply(h.b, d(10), d(20).Ptr())
		equal(t, "split: kinds", kinds(c), []history.Kind{history.Split, history.Added})
		equal(t, "split", h.history(w), []string{span(h.a, long, d(9).Ptr()), span(h.b, d(10), d(20).Ptr()), span(h.a, d(21), nil)})

		apply(h.b, d(5), d(12).Ptr())
		equal(t, "overlap both neighbours", h.history(w), []string{span(h.a, long, d(4).Ptr()), span(h.b, d(5), d(12).Ptr()), span(h.b, d(13), d(20).Ptr()), span(h.a, d(21), nil)})

		c = apply(h.b, d(30), nil)
		equal(t, "shorten: kinds", kinds(c), []history.Kind{history.Shortened, history.Added})

		c = apply(h.b, agentToday, nil)
		equal(t, "replace", h.history(w), []string{span(h.a, long, d(-1).Ptr()), span(h.b, agentToday, nil)})
		equal(t, "replace warns", slices.Contains(warned(c), history.FuturePeriodsRemoved), true)
		equal(t, "before and after", []int{len(c.Before), len(c.After)}, []int{5, 2})
	})
}

// An identical period changes nothing; any other change of a period moves the
// agent's lastModified.
func TestIdenticalPeriodChangesNothing(t *testing.T) {
	onEachHistory(t, func(t *testing.T, w *agentWorld, h dated) {
		for _, p := range []struct {
			from    date.Date
			through *date.Date
		}{{agentToday, agentToday.AddDays(5).Ptr()}, {agentToday.AddDays(20), nil}} {
			at := w.later()
			c, err := h.apply(w, h.b, p.from, p.through, false)
			w.must(nil, err)
			equal(t, "changed", c.Changed, true)
			equal(t, "lastModified", w.agent("A1").LastModified.UTC(), at)
			equal(t, "lastModifiedBy", w.agent("A1").LastModifiedBy, "edit")
			w.unchanged(func() {
				again, err := h.apply(w, h.b, p.from, p.through, false)
				w.must(nil, err)
				equal(t, "changed", again.Changed, false)
				equal(t, "the row there is", *again.PeriodID, *c.PeriodID)
				equal(t, "kinds", slices.Contains(kinds(again), history.Unchanged), true)
			})
		}
	})
}

// What a person should know before a change, and that a dry run tells the same
// and writes nothing.
func TestPeriodWarningsAndDryRun(t *testing.T) {
	onEachHistory(t, func(t *testing.T, w *agentWorld, h dated) {
		for _, c := range []struct {
			name    string
			value   string
			from    date.Date
			through *date.Date
			want    []history.WarningCode
		}{
			{"from today", h.b, agentToday, agentToday.AddDays(2).Ptr(), nil},
			{"yesterday", h.b, agentToday.AddDays(-1), agentToday.AddDays(-1).Ptr(), append([]history.WarningCode{history.BackdatedBeforeToday}, h.backdated...)},
			{"the same value splits", h.a, agentToday.AddDays(7), nil, []history.WarningCode{history.SplitSameValue}},
			{"open-ended, swallows the future", h.b, agentToday.AddDays(3), nil, []history.WarningCode{history.FuturePeriodsRemoved}},
			{"leaves a hole", h.b, agentToday.AddDays(-200), agentToday.AddDays(-190).Ptr(), append([]history.WarningCode{history.BackdatedBeforeToday}, h.backdated...)},
			{"after a hole", h.b, agentToday.AddDays(-150), agentToday.AddDays(-140).Ptr(), append([]history.WarningCode{history.BackdatedBeforeToday, history.GapBeforePeriod}, h.backdated...)},
		} {
			var preview record.Change
			w.unchanged(func() {
				var err error
				preview, err = h.apply(w, c.value, c.from, c.through, true)
				w.must(nil, err)
			})
			change, err := h.apply(w, c.value, c.from, c.through, false)
			w.must(nil, err)
			want, got := append(slices.Clone(c.want), h.always...), warned(change)
			slices.Sort(want)
			slices.Sort(got)
			equal(t, c.name, got, want)
			preview.PeriodID = change.PeriodID
			equal(t, c.name+": preview", preview, change)
		}
	})
}

func TestPeriodRefuses(t *testing.T) {
	onEachHistory(t, func(t *testing.T, w *agentWorld, h dated) {
		w.unchanged(func() {
			_, err := h.apply(w, h.b, agentToday, agentToday.AddDays(-1).Ptr(), false)
			equal(t, "last day before the first", problems(err), []string{"PERIOD_ENDS_BEFORE_START effectiveThrough"})
		})
	})
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		w.must(w.Register(w.other, newcomer("THEIRS"), false))
		level := record.PeriodInput[int]{AgentCode: "A1", Value: 10, EffectiveFrom: agentToday, Initiator: "edit"}
		upline := agency.UplinePeriodInput{AgentCode: "A1", EffectiveFrom: agentToday, Initiator: "edit"}
		status := record.PeriodInput[string]{AgentCode: "A1", Value: "Active", EffectiveFrom: agentToday, Initiator: "edit"}
		for _, c := range []struct {
			name string
			call func() error
			want string
			kind problem.Category
		}{
			{"level: unknown agent", func() error {
				in := level
				in.AgentCode = "THEIRS"
				_, err := w.ApplyLevel(w.ctx, "default", in, false)
				return err
			}, "UNKNOWN_AGENT agentCode", problem.NotFound},
			{"level: not configured", func() error {
				in := level
				in.Value = 11
				_, err := w.ApplyLevel(w.ctx, "default", in, false)
				return err
			}, "UNKNOWN_LEVEL level", problem.Validation},
			{"level: unknown team", func() error { _, err := w.ApplyLevel(w.ctx, "west", level, false); return err }, "UNKNOWN_TEAM team", problem.NotFound},
			{"level: no initiator", func() error {
				in := level
				in.Initiator = ""
				_, err := w.ApplyLevel(w.ctx, "default", in, false)
				return err
			}, "REQUIRED initiator", problem.Validation},
			{"upline: unknown agent", func() error {
				in := upline
				in.AgentCode = "THEIRS"
				_, err := w.ApplyUpline(w.ctx, "default", in, false)
				return err
			}, "UNKNOWN_AGENT agentCode", problem.NotFound},
			{"upline: not an existing agent", func() error {
				in := upline
				in.UplineAgentCode = new("THEIRS")
				_, err := w.ApplyUpline(w.ctx, "default", in, false)
				return err
			}, "UNKNOWN_UPLINE uplineAgentCode", problem.Validation},
			{"upline: unknown team", func() error { _, err := w.ApplyUpline(w.ctx, "west", upline, false); return err }, "UNKNOWN_TEAM team", problem.NotFound},
			{"upline: no initiator", func() error {
				in := upline
				in.Initiator = ""
				_, err := w.ApplyUpline(w.ctx, "default", in, false)
				return err
			}, "REQUIRED initiator", problem.Validation},
			{"status: unknown agent", func() error {
				in := status
				in.AgentCode = "THEIRS"
				_, err := w.ApplyPayStatus(w.ctx, in, false)
				return err
			}, "UNKNOWN_AGENT agentCode", problem.NotFound},
			{"status: not configured", func() error {
				in := status
				in.Value = "active"
				_, err := w.ApplyPayStatus(w.ctx, in, false)
				return err
			}, "UNKNOWN_STATUS status", problem.Validation},
			{"status: no initiator", func() error {
				in := status
				in.Initiator = ""
				_, err := w.ApplyPayStatus(w.ctx, in, false)
				return err
			}, "REQUIRED initiator", problem.Validation},
		} {
			w.unchanged(func() {
				err := c.call()
				equal(t, c.name, problems(err), []string{c.want})
				equal(t, c.name, categories(err), []problem.Category{c.kind})
			})
		}
	})
}
