package doors_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// A client reads what it wrote: as soon as a registration, a move or a deletion is
// answered, the uplines and downlines of today show it through both doors, and say so. No
// job runs here, so nothing else can have brought them up to date.
func TestDownlinesShowAChangeAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := withToken(t, w)
		must := func(method, path, body string) {
			t.Helper()
			if status, _, answer := send(t, c, method, path, body); status/100 != 2 {
				t.Fatalf("%s %s: %d %s", method, path, status, answer)
			}
		}
		register := func(code, upline string) {
			t.Helper()
			must("POST", "/agents", strings.NewReplacer("{\"first", fmt.Sprintf(`{"agentCode":%q,"first`, code), `"level":10`, fmt.Sprintf(`"level":10,"directUpline":%s`, upline)).Replace(fmt.Sprintf(newAgent, "Diaz")))
		}
		shows := func(when string, below map[string]string) {
			t.Helper()
			for code, want := range below {
				got := fmt.Sprint(c.Query(t, `query ($code: String!) { agent(agentCode: $code) {
					downline { totalCount nodes { agentCode } } downlineTree { nodes { agent { agentCode } } } downlineSummary { totalCount } } }`, map[string]any{"code": code}))
				agents := strings.Fields(want)
				var nodes, tree []string
				for _, a := range agents {
					nodes = append(nodes, "map[agentCode:"+a+"]")
				}
				for _, a := range append([]string{code}, agents...) {
					tree = append(tree, "map[agent:map[agentCode:"+a+"]]")
				}
				expected := fmt.Sprintf("map[agent:map[downline:map[nodes:%v totalCount:%d] downlineSummary:map[totalCount:%d] downlineTree:map[nodes:%v]]]", nodes, len(agents), len(agents), tree)
				if got != expected {
					t.Errorf("%s, below %s: %s\nwant %s", when, code, got, expected)
				}
				status, h, answer := send(t, c, "GET", "/teams/default/downline-members?agentCode="+code, "")
				if status != 200 || strings.Count(answer, `"downlineAgentCode"`) != len(agents) || h.Get("Hierarchy-Stale") != "false" {
					t.Errorf("%s, below %s: %d, stale %s, %s", when, code, status, h.Get("Hierarchy-Stale"), answer)
				}
			}
		}
		register("R1", "null")
		register("R2", "null")
		register("A1", `"R1"`)
		register("A2", `"A1"`)
		shows("registered", map[string]string{"R1": "A1 A2", "R2": "", "A1": "A2"})
		must("PATCH", "/teams/default/members/A1", `{"membership":{"directUpline":"R2"},"initiator":"hr"}`)
		shows("moved", map[string]string{"R1": "", "R2": "A1 A2", "A1": "A2"})
		must("DELETE", "/agents/A2?initiator=hr", "")
		shows("deleted", map[string]string{"R2": "A1", "A1": ""})
		if n := count(t, w, "outbox_event WHERE type LIKE '%HierarchyBuildCompleted'"); n != 6 {
			t.Errorf("%d events tell of six changes", n)
		}
	})
}
