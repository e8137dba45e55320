package doors_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// Every answer that shows a value in full has its entry, whatever is written, tried or taken
// back meanwhile; and nobody waits long for another.
func TestRevealsBesideTransactions(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		setUp := newTrail(t, w, "REST")
		registerWithSecrets(t, setUp.Caller)
		const within = 3 * time.Second
		end := time.Now().Add(within)
		recorded := func() int {
			n, _ := strconv.Atoi(fmt.Sprint(apptest.At(setUp.Query(t, `{ auditLog(filter: {kind: REVEAL}) { totalCount } }`, nil), "auditLog.totalCount")))
			return n
		}
		before := recorded()
		c := w.As(apptest.Acme, bearer.TenantScopes()...)
		var shown atomic.Int64 // answers that showed a value
		var slowest atomic.Int64
		var wg sync.WaitGroup
		beside := func(f func(n int) (answer string)) {
			wg.Go(func() {
				for n := 0; time.Now().Before(end); n++ {
					began := time.Now()
					if answer := f(n); strings.Contains(answer, "523-45-678") || strings.Contains(answer, "555-00") {
						shown.Add(1)
					}
					slowest.Store(max(slowest.Load(), int64(time.Since(began))))
				}
			})
		}
		ask := func(query string, variables object) string {
			data, errs := c.GraphQL(t, query, variables)
			for _, e := range errs {
				if e.Code() == "INTERNAL" {
					t.Errorf("%s: %v", query, e)
				}
			}
			return fmt.Sprint(data)
		}
		for range 2 {
			beside(func(n int) string {
				return ask(`{ agent(agentCode: "R1") { governmentIdentifier(reveal: true) } }`, nil)
			})
		}
		beside(func(n int) string {
			return c.Send(t, http.MethodGet, "/agency-management/{tenant}/agents/R2", nil, nil).Body.String()
		})
		beside(func(n int) string {
			return ask(`mutation { agentUpdate(input: {agentCode: "R2", firstName: "Tried"}, dryRun: true) { agent { governmentIdentifier(reveal: true) } } }`, nil)
		})
		beside(func(n int) string {
			return ask(`mutation($n: String) { agentUpdate(input: {agentCode: "R2", middleName: $n}) { agent { governmentIdentifier(reveal: true) } userErrors { message } } }`, object{"n": fmt.Sprint("M", n)})
		})
		beside(func(n int) string {
			return ask(`mutation { reorgApply(input: {effectiveFrom: "2027-01-01", initiator: "x", moves: [{agentCode: "R2", newUplineAgentCode: "R1"}]}, dryRun: true) { userErrors { message } } }`, nil)
		})
		// A sealed value is changed and taken back, again and again, and the values of the changes are read.
		beside(func(n int) string {
			ask(`mutation($n: String!) { agentUpdate(input: {agentCode: "R3", governmentIdentifier: $n, initiator: "x"}) { userErrors { message } } }`, object{"n": fmt.Sprintf("555-00-%04d", n)})
			data := ask(`{ changes(first: 1, filter: {entityType: "Agent", entityKey: "R3"}) { nodes { sequence } } }`, nil)
			number := strings.TrimSuffix(data[strings.LastIndex(data, ":")+1:], "]]]")
			ask(`mutation($n: Long!) { changeUndo(input: {sequence: $n, initiator: "x"}) { applied undone { values { old new } } userErrors { message } } }`, object{"n": number})
			return ask(`{ changes(first: 1, filter: {entityType: "Agent", entityKey: "R3", field: "governmentIdentifier"}) { nodes { values(reveal: true) { old new } } } }`, nil)
		})
		wg.Wait()
		if answers, entries := int(shown.Load()), recorded()-before; answers != entries || answers < 20 {
			t.Errorf("%d answers showed a value, and %d entries say so", answers, entries)
		}
		if d := time.Duration(slowest.Load()); d > within {
			t.Errorf("somebody waited for %s", d)
		}
		apptest.Sound(t, w.Store, w.Clock)
	})
}
