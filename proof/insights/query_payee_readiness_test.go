package insights_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
)

// What is there for paying an agent is read from its histories, row by row.
func TestPayeeReadiness(t *testing.T) {
	onRandom(t, func(t *rapid.T, w *world, a *random) {
		a.payStatuses(t)
		w.plant(t, a)
		m := w.plantMeans(t, a)
		for _, ask := range w.askings(t, a) {
			day := someDay(t)
			var want [][]any
			for _, code := range a.codes { // by agent code: there are fewer than ten
				if a.statuses[code][0].from > day || !ask.within(code, day) {
					continue
				}
				missing := any(nil)
				if codes := m.missing(a, code, day); len(codes) > 0 {
					missing = strings.Join(codes, ", ")
				}
				want = append(want, []any{code, "F " + code, canBePaid(on(a.statuses[code], day)), m.hasW9(code, day), m.deposits[code], missing == nil, missing})
			}
			w.holds(t, ask, "payee-readiness", parameters{"onDate": day.String()}, want)
		}
	})
}

// days are a first and a last day.
type days struct{ from, through date.Date }

// papers are the W9s and the direct deposits of agents.
type papers struct {
	w9s      map[string][]days
	deposits map[string]bool
}

func (m papers) hasW9(code string, day date.Date) bool {
	return slices.ContainsFunc(m.w9s[code], func(p days) bool { return p.from <= day && day <= p.through })
}

// missing is what is missing for paying an agent, found out one by one.
func (m papers) missing(a *random, code string, day date.Date) (codes []string) {
	status := on(a.statuses[code], day)
	for missing, is := range map[string]bool{"1NO_PAY_STATUS": status == "", "2PAY_STATUS_CANNOT_BE_PAID": status != "" && !canBePaid(status), "3NO_W9": !m.hasW9(code, day), "4NO_DIRECT_DEPOSIT": !m.deposits[code]} {
		if is {
			codes = append(codes, missing)
		}
	}
	slices.Sort(codes)
	for i := range codes {
		codes[i] = codes[i][1:]
	}
	return codes
}

// plantMeans gives agents W9s and direct deposits.
func (w *world) plantMeans(t *rapid.T, a *random) papers {
	m := papers{map[string][]days{}, map[string]bool{}}
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
					m.w9s[code] = append(m.w9s[code], days{from, through})
				}
				exec(`INSERT INTO agency_w9 (tenant_id, agent_id, name, tax_classification, created_at, created_by)
					SELECT a.tenant_id, a.id, 'N', 'INDIVIDUAL', $1, 'x' FROM agency_agent a WHERE a.tenant_id = $2 AND a.code = $3`, now, tenantID, code)
				exec(`INSERT INTO agency_w9_period (tenant_id, agent_id, w9_id, effective_from, effective_through, recorded_at, recorded_by, superseded_at)
					SELECT a.tenant_id, a.id, (SELECT max(n.id) FROM agency_w9 n WHERE n.tenant_id = a.tenant_id AND n.agent_id = a.id), $1, $2, $3, 'x', $4
					FROM agency_agent a WHERE a.tenant_id = $5 AND a.code = $6`, from, through, now, superseded, tenantID, code)
			}
			if m.deposits[code] = rapid.Bool().Draw(t, "deposit"); m.deposits[code] {
				exec(`INSERT INTO agency_direct_deposit (tenant_id, agent_id, country, account_holder_name, account_type, last_modified, last_modified_by)
					SELECT a.tenant_id, a.id, 'US', 'H', 'CHECKING', $1, 'x' FROM agency_agent a WHERE a.tenant_id = $2 AND a.code = $3`, now, tenantID, code)
			}
		}
	})
	return m
}
