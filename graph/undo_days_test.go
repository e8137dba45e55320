package graph_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/date"
)

// daysOf are the days that the histories of these tests differ on.
const daysOf = 40

// Whatever periods were stated before, equal neighbours among them, and whatever somebody else
// has stated since: undo of a period leaves every day as if it had never been stated, or is
// refused, for days that were stated again, and changes nothing.
func TestUndoRestoresEveryDay(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		first, _ := date.Parse("2026-01-01")
		agents := 0
		rapid.Check(t, func(r *rapid.T) {
			agents++
			code := fmt.Sprint("D", agents)
			newAgent(t, c, code, "", "2026-01-01")
			var days [daysOf]string
			for d := range days {
				days[d] = "Active"
			}
			state := func() (is [daysOf]string) {
				data := c.Query(t, `query($code: String!) { agent(agentCode: $code) { payStatusPeriods(first: 50) { nodes { effectiveFrom effectiveThrough status { name } } } } }`, object{"code": code})
				for _, p := range apptest.At(data, "agent.payStatusPeriods.nodes").([]any) {
					for d := range is {
						day := first.AddDays(d).String()
						if through, _ := apptest.At(p, "effectiveThrough").(string); apptest.At(p, "effectiveFrom").(string) <= day && (through == "" || through >= day) {
							is[d], _ = apptest.At(p, "status.name").(string)
						}
					}
				}
				return is
			}
			type stated struct {
				from, through int
				value         string
				number        any
			}
			apply := func(days *[daysOf]string, s stated) {
				for d := s.from; d <= s.through; d++ {
					days[d] = s.value
				}
			}
			write := func(label string) stated {
				s := stated{from: rapid.IntRange(0, daysOf-1).Draw(r, label+" from"), value: rapid.SampledFrom([]string{"Active", "Suspended"}).Draw(r, label)}
				s.through = rapid.IntRange(s.from, daysOf-1).Draw(r, label+" through")
				in := object{"agentCode": code, "status": s.value, "effectiveFrom": first.AddDays(s.from).String()}
				if s.through < daysOf-1 {
					in["effectiveThrough"] = first.AddDays(s.through).String()
				}
				w.Clock.Move(time.Second)
				was := latest(t, c)
				succeed(t, c, `mutation($in: PayStatusPeriodApplyInput!) { payStatusPeriodApply(input: $in) { userErrors { code field message } } }`, object{"in": in})
				if s.number = latest(t, c); s.number == was {
					s.number = nil // nothing has changed
				}
				return s
			}
			for i := range rapid.IntRange(0, 4).Draw(r, "before") {
				apply(&days, write(fmt.Sprint("before ", i)))
			}
			undone := write("to undo")
			changes := false
			for d := undone.from; d <= undone.through; d++ {
				changes = changes || days[d] != undone.value
			}
			if undone.number == nil || !changes { // it has stated what was so already
				return
			}
			var later []stated
			for i := range rapid.IntRange(0, 1).Draw(r, "later") {
				later = append(later, write(fmt.Sprint("later ", i)))
			}
			for _, s := range later { // days are compared by value: who states the same again is not told apart
				if s.value == undone.value && s.from <= undone.through && s.through >= undone.from {
					return
				}
			}
			was := state()
			w.Clock.Move(time.Second)
			done := c.Query(t, undo, object{"n": undone.number})
			meets := false
			for _, s := range later {
				meets = meets || s.from <= undone.through && s.through >= undone.from
				apply(&days, s)
			}
			want := days
			if apptest.At(done, "result.applied") != true {
				if want = was; !meets {
					r.Fatalf("refused, though nobody has stated these days again: %v", done)
				}
			}
			if is := state(); is != want {
				r.Fatalf("%v\nis   %v\nwant %v", done, is, want)
			}
		})
	})
}

// A certification that somebody has changed since is not deleted by undoing that it was made;
// one that is as it was made is.
func TestUndoOfACertificationKeepsOthersWork(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme)
		newAgent(t, c, "A1", "", "2026-01-01")
		for name, change := range map[string]string{
			"a note":   `certificationUpdate(input: {id: $id, note: "seen"})`,
			"a period": `certificationPeriodApply(input: {certificationId: $id, status: EXPIRED, effectiveFrom: "2026-06-01"})`,
			"nothing":  "",
		} {
			w.Clock.Move(time.Second)
			data := c.Query(t, `mutation { certificationUpsert(input: {agentCode: "A1", type: "AML", isResidentCertification: false, isVerified: true}) { certification { id } } }`, nil)
			id, made := apptest.At(data, "certificationUpsert.certification.id"), latest(t, c)
			w.Clock.Move(time.Second)
			if change != "" {
				succeed(t, c, "mutation($id: ID!) { "+change+" { userErrors { code field message } } }", object{"id": id})
				w.Clock.Move(time.Second)
			}
			done := c.Query(t, undo, object{"n": made})
			_, errs := c.GraphQL(t, `query($id: ID!) { certification(id: $id) { id } }`, object{"id": id})
			isThere := len(errs) == 0 && apptest.At(c.Query(t, `query($id: ID!) { certification(id: $id) { id } }`, object{"id": id}), "certification") != nil
			if isThere != (change != "") || apptest.At(done, "result.applied") != (change == "") {
				t.Errorf("%s has changed since: it is there: %v; %v", name, isThere, done)
			}
			if isThere {
				succeed(t, c, `mutation($id: ID!) { certificationDelete(input: {id: $id}) { userErrors { code field message } } }`, object{"id": id})
			}
		}
	})
}
