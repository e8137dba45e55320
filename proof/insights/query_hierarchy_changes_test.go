package insights_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
)

// Uplines are compared day by day.
func TestHierarchyChanges(t *testing.T) {
	onRandom(t, func(t *rapid.T, w *world, a *random) {
		w.plant(t, a)
		for _, ask := range w.askings(t, a) {
			from := someDay(t)
			through := from.AddDays(rapid.IntRange(0, 120).Draw(t, "days"))
			var want [][]any
			for day := from; day <= through; day++ {
				for _, code := range a.codes {
					was, is := on(a.uplines[code], day-1), on(a.uplines[code], day)
					if was != is && ask.sees(code) && (ask.within(code, day) || ask.within(code, day-1)) {
						want = append(want, []any{day, code, "F " + code, orNull(was), orNull(is), "x"})
					}
				}
			}
			w.holds(t, ask, "hierarchy-changes", parameters{"from": from.String(), "through": through.String()}, want)
		}
	})
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// move gives B a direct upline for some days, recorded a minute after what was
// recorded before.
func (w *world) move(t *testing.T, initiator, upline, from, through string) {
	t.Helper()
	w.app.Clock.Move(time.Minute)
	data := w.app.As(apptest.Acme).Query(t, `mutation($input: UplinePeriodApplyInput!) { uplinePeriodApply(input: $input) { applied userErrors { message } } }`,
		map[string]any{"input": map[string]any{"agentCode": "B", "uplineAgentCode": orNull(upline), "effectiveFrom": from, "effectiveThrough": orNull(through), "initiator": initiator}})
	if apptest.At(data, "uplinePeriodApply.applied") != true {
		t.Fatal(data)
	}
}

// The initiator of a change is who recorded it, not who recorded others later, which
// write again what they leave of it.
func TestInitiatorsOfHierarchyChanges(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.register(t, "E", "")
		changes := func() string {
			t.Helper()
			var all []string
			for _, row := range w.run(t, "hierarchy-changes", parameters{"scope": "personal", "agentCode": "B", "from": "2026-01-01", "through": "2026-06-15"}).Rows {
				v := row.Values
				all = append(all, fmt.Sprint(v[0], " ", v[3], ">", v[4], " ", v[5]))
			}
			return strings.Join(all, ", ")
		}
		w.move(t, "alice", "D", "2026-01-10", "")
		w.move(t, "bob", "E", "2026-03-01", "")
		equal(t, "shortened", changes(), "2026-01-10 A>D alice, 2026-03-01 D>E bob")
		w.move(t, "carol", "A", "2026-02-01", "2026-02-10")
		equal(t, "split", changes(), "2026-01-10 A>D alice, 2026-02-01 D>A carol, 2026-02-11 A>D carol, 2026-03-01 D>E bob")
		w.move(t, "dave", "A", "2026-03-01", "")
		w.move(t, "erin", "E", "2026-03-01", "")
		equal(t, "recorded anew", changes(), "2026-01-10 A>D alice, 2026-02-01 D>A carol, 2026-02-11 A>D carol, 2026-03-01 D>E erin")
		w.move(t, "frank", "A", "2026-02-20", "")
		w.move(t, "grace", "", "2026-05-01", "")
		equal(t, "nobody", changes(), "2026-01-10 A>D alice, 2026-02-01 D>A carol, 2026-02-11 A>D carol, 2026-02-20 D>A frank, 2026-05-01 A><nil> grace")
	})
}
