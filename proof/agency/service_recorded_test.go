package agency_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Periods are never physically removed by a later period: what was known at
// any instant can be read again from the rows recorded by then and not yet
// superseded. Only the deletion of the agent removes them.
func TestWhatWasKnownCanBeReadAgain(t *testing.T) {
	onEachHistory(t, func(t *testing.T, w *agentWorld, h dated) {
		table, value := "agency_pay_status_period", "p.status"
		switch h.name {
		case "agent level":
			table, value = "agency_level_period", "CAST(p.level AS text)"
		case "direct upline":
			table, value = "agency_upline_period", "(SELECT u.code FROM agency_agent u WHERE u.tenant_id = p.tenant_id AND u.id = p.upline_agent_id)"
		}
		known := map[time.Time][]string{w.clock.Now(): h.history(w)}
		dice := rand.New(rand.NewPCG(11, 13))
		for range 25 {
			at := w.later()
			from := agentToday.AddDays(dice.IntN(40) - 20)
			var through *date.Date
			if dice.IntN(4) > 0 {
				through = from.AddDays(dice.IntN(12)).Ptr()
			}
			w.must(h.apply(w, []string{h.a, h.b}[dice.IntN(2)], from, through, false))
			known[at] = h.history(w)
		}
		for at, want := range known {
			rows, err := store.Collect(w.ctx, w.store, func(r store.Scanner) (string, error) {
				var (
					v       string
					from    date.Date
					through *date.Date
				)
				err := r.Scan(&v, &from, &through)
				return span(v, from, through), err
			}, "SELECT "+value+", p.effective_from, p.effective_through FROM "+table+` p WHERE p.tenant_id = $1 AND p.agent_id = $2
				AND p.recorded_at <= $3 AND (p.superseded_at IS NULL OR p.superseded_at > $3) ORDER BY p.effective_from`,
				w.tenantID(), w.agent("A1").ID, at)
			w.must(rows, err)
			equal(t, "as known at "+at.Format(time.TimeOnly), strings.Join(rows, "\n"), strings.Join(want, "\n"))
		}
	})
}
