package graph

import (
	"testing"

	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/internal/store/dbtest"
)

// "A downline of a downline with certifications (20 × 20) is an analyst's first
// query": it is admitted. A hundred of a hundred are not.
func TestHonestQuestionsAreAdmitted(t *testing.T) {
	server, ctx := demoServer(t, dbtest.SQLite(t))
	below := func(size, certifications, inner string) string {
		return "downline(level: 1, first: " + size + ") { nodes { agentCode certifications" + certifications + " { nodes { identifier status type { code } } } " + inner + " } }"
	}
	for _, test := range []struct {
		query  string
		points int64
		refuse bool
	}{
		{`{ agent(agentCode: "A1000") { ` + below("20", "", below("20", "", "")) + ` } }`, 3046, false},
		{`{ agent(agentCode: "A1000") { ` + below("20", "(first: 2)", below("20", "(first: 2)", "")) + ` } }`, 1786, false},
		{`{ agent(agentCode: "A1000") { ` + below("100", "", below("100", "", "")) + ` } }`, 0, true},
	} {
		r := server.Execute(ctx, test.query, "", nil)
		if refused := len(r.Errors) > 0 && r.Errors[0].Extensions["code"] == limits.CodeCost; refused != test.refuse || !refused && len(r.Errors) > 0 {
			t.Errorf("%s: %v", test.query, r.Errors)
		}
		if cost, ok := r.Extensions["cost"].(limits.Cost); !test.refuse && (!ok || cost.Requested != test.points) {
			t.Errorf("%s: costs %+v, want %d points", test.query, cost, test.points)
		}
	}
}
