package doors_test

import (
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// A limited user takes back what they changed themselves, and nothing that somebody else, or
// somebody of another client, has changed, whoever it concerns.
func TestLimitedUserTakesBackTheirOwn(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		l := newLimited(t, w)
		change := func(c *apptest.Caller, code, name string) (number any) {
			t.Helper()
			w.Clock.Move(1)
			data := c.Query(t, `mutation($code: String!, $name: String) { agentUpdate(input: {agentCode: $code, middleName: $name}) { applied userErrors { message } } }`, object{"code": code, "name": name})
			if apptest.At(data, "agentUpdate.applied") != true {
				t.Fatalf("%v", data)
			}
			return apptest.At(l.admin.Query(t, "{ changes(first: 1) { nodes { sequence } } }", nil), "changes.nodes.0.sequence")
		}
		undo := func(number any) string {
			data, errs := l.caller.GraphQL(t, `mutation($n: Long!) { changeUndo(input: {sequence: $n}) { applied userErrors { code } } }`, object{"n": number})
			if len(errs) > 0 {
				return errs[0].Code()
			}
			if apptest.At(data, "changeUndo.applied") == true {
				return "applied"
			}
			code, _ := apptest.At(data, "changeUndo.userErrors.0.code").(string)
			return code
		}
		name := func(code string) any {
			return apptest.At(l.admin.Query(t, `query($code: String!) { agent(agentCode: $code) { middleName } }`, object{"code": code}), "agent.middleName")
		}
		theirs := change(l.admin, "MINE1", "Theirs")
		outside := change(l.admin, "ABOVE", "Outside")
		mine := change(l.caller, "MINE1", "Mine")
		if got := undo(theirs); got != "FORBIDDEN" || name("MINE1") != "Mine" {
			t.Errorf("what another has changed: %s, %v", got, name("MINE1"))
		}
		if got := undo(outside); !strings.Contains("NOT_FOUND FORBIDDEN", got) || got == "" || name("ABOVE") != "Outside" {
			t.Errorf("what is outside: %s, %v", got, name("ABOVE"))
		}
		if got := undo(mine); got != "applied" || name("MINE1") != "Theirs" {
			t.Errorf("what the user has changed: %s, %v", got, name("MINE1"))
		}
	})
}
