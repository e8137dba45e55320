package insights_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
)

// What is there for paying an agent is read from its histories, row by row.
func TestPayeeReadiness(t *testing.T) {
	onRandom(t, func(t *rapid.T, w *world, a *random) {
		a.payStatuses(t)
		w.plant(t, a)
		type w9 struct{ from, through date.Date }
		w9s, deposits := map[string][]w9{}, map[string]bool{}
		tenantID, now := w.tenantID(t), w.app.Clock.Now()
		w.write(t, func(exec func(string, ...any)) {
			for _, code := range a.codes {
				day := start
				for range rapid.IntRange(0, 2).Draw(t, "w9s") {
					from := day.AddDays(rapid.IntRange(0, 60).Draw(t, "from"))
					through := from.AddDays(rapid.IntRange(0, 60).Draw(t, "days"))
					day = through.AddDays(1)
					superseded := any(nil)
					if rapid.IntRange(0, 3).Draw(t, "superseded") == 0 {
						superseded = now
					} else {
						w9s[code] = append(w9s[code], w9{from, through})
					}
					exec(`INSERT INTO agency_w9 (tenant_id, agent_id, name, tax_classification, created_at, created_by)
						SELECT a.tenant_id, a.id, 'N', 'INDIVIDUAL', $1, 'x' FROM agency_agent a WHERE a.tenant_id = $2 AND a.code = $3`, now, tenantID, code)
					exec(`INSERT INTO agency_w9_period (tenant_id, agent_id, w9_id, effective_from, effective_through, recorded_at, recorded_by, superseded_at)
						SELECT a.tenant_id, a.id, (SELECT max(n.id) FROM agency_w9 n WHERE n.tenant_id = a.tenant_id AND n.agent_id = a.id), $1, $2, $3, 'x', $4
						FROM agency_agent a WHERE a.tenant_id = $5 AND a.code = $6`, from, through, now, superseded, tenantID, code)
				}
				if deposits[code] = rapid.Bool().Draw(t, "deposit"); deposits[code] {
					exec(`INSERT INTO agency_direct_deposit (tenant_id, agent_id, country, account_holder_name, account_type, last_modified, last_modified_by)
						SELECT a.tenant_id, a.id, 'US', 'H', 'CHECKING', $1, 'x' FROM agency_agent a WHERE a.tenant_id = $2 AND a.code = $3`, now, tenantID, code)
				}
			}
		})
		for _, ask := range w.askings(t, a) {
			day := someDay(t)
			var want [][]any
			for _, code := range a.codes { // by agent code: there are fewer than ten
				if a.statuses[code][0].from > day || !ask.within(code, day) {
					continue
				}
				hasW9 := false
				for _, p := range w9s[code] {
					hasW9 = hasW9 || p.from <= day && day <= p.through
				}
				want = append(want, []any{code, "F " + code, canBePaid(on(a.statuses[code], day)), hasW9, deposits[code]})
			}
			w.holds(t, ask, "payee-readiness", parameters{"onDate": day.String()}, want)
		}
	})
}
