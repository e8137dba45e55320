package insights_test

import (
	"context"
	"fmt"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/platform/store"
)

// random is a made-up agency in memory: what the recomputations read.
type random struct {
	codes []string
	// uplines and statuses are by agent, with the day from which they hold; the
	// upline is "" for none.
	uplines, statuses map[string][]since
	policies          []facts.ProductionInput
	licences          []licence
}

type since struct {
	from  date.Date
	value string
}

type licence struct {
	agent, number string
	through       date.Date
}

// on is what holds on a day.
func on(history []since, day date.Date) (value string) {
	for _, h := range history {
		if h.from <= day {
			value = h.value
		}
	}
	return value
}

// below reports whether an agent is in the downline of root on a day, or is it.
func (a *random) below(root, agent string, day date.Date) bool {
	for ; agent != ""; agent = on(a.uplines[agent], day) {
		if agent == root {
			return true
		}
	}
	return false
}

var start = date.Of(2026, 1, 1)

// draw makes up an agency of agents whose uplines have lower numbers, so that
// no day has a cycle.
func draw(t *rapid.T, prefix string) *random {
	a := &random{uplines: map[string][]since{}, statuses: map[string][]since{}}
	day := rapid.Custom(func(t *rapid.T) date.Date { return start.AddDays(rapid.IntRange(0, 160).Draw(t, "day")) })
	for i := range rapid.IntRange(2, 8).Draw(t, "agents") {
		code := fmt.Sprintf("%s%d", prefix, i)
		a.codes = append(a.codes, code)
		a.uplines[code], a.statuses[code] = []since{{start, upline(t, prefix, i)}}, []since{{start, "Active"}}
		if i > 0 && rapid.Bool().Draw(t, "moves") {
			a.uplines[code] = append(a.uplines[code], since{day.Draw(t, "move"), upline(t, prefix, i)})
		}
		if rapid.Bool().Draw(t, "leaves") {
			a.statuses[code] = append(a.statuses[code], since{day.Draw(t, "left"), "Terminated"})
		}
		for n := range rapid.IntRange(0, 4).Draw(t, "policies") {
			p := facts.ProductionInput{AgentCode: code, ProviderCompany: rapid.SampledFrom([]string{"ACO", "BCO"}).Draw(t, "company"), PolicyNumber: fmt.Sprint(n),
				SubmittedOn: ptr(day.Draw(t, "submitted")), AnnualPremium: fmt.Sprintf("%d.%02d", rapid.IntRange(0, 3).Draw(t, "premium"), rapid.SampledFrom([]int{0, 5, 50}).Draw(t, "cents"))}
			if rapid.Bool().Draw(t, "issued") {
				p.IssuedOn = ptr(min(p.SubmittedOn.AddDays(rapid.IntRange(0, 40).Draw(t, "days")), today))
			}
			a.policies = append(a.policies, p)
		}
		if rapid.Bool().Draw(t, "licensed") {
			a.licences = append(a.licences, licence{code, "L" + code, today.AddDays(rapid.IntRange(-40, 140).Draw(t, "ends"))})
		}
	}
	return a
}

func upline(t *rapid.T, prefix string, below int) string {
	if below == 0 || rapid.IntRange(0, 3).Draw(t, "root") == 0 {
		return ""
	}
	return fmt.Sprintf("%s%d", prefix, rapid.IntRange(0, below-1).Draw(t, "upline"))
}

// plant writes an agency with SQL of its own, so that its histories are what was
// drawn and nothing else.
func (w *world) plant(t *rapid.T, a *random) {
	tenantID := w.tenantID(t)
	err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		exec := func(query string, args ...any) error {
			_, err := tx.Exec(ctx, query, append([]any{tenantID, w.app.Clock.Now()}, args...)...)
			return err
		}
		for _, code := range a.codes {
			if err := exec(`INSERT INTO agency_agent (tenant_id, code, first_name, last_name, first_name_key, last_name_key, common_name_key, email_key, is_dedicated, start_date, created_at, created_by, last_modified, last_modified_by)
				VALUES ($1, $3, 'F', $3, 'f', 'l', '', '', false, $2, $2, 'x', $2, 'x')`, code); err != nil {
				return err
			}
			for table, history := range map[string][]since{"upline": a.uplines[code], "status": a.statuses[code]} {
				for i, h := range history {
					through := any(nil)
					if i+1 < len(history) {
						if through = history[i+1].from.AddDays(-1); history[i+1].from <= h.from {
							continue
						}
					}
					query := `INSERT INTO agency_pay_status_period (tenant_id, recorded_at, recorded_by, agent_id, status, effective_from, effective_through)
						SELECT $1, $2, 'x', a.id, $3, $4, $5 FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $6`
					if table == "upline" {
						query = `INSERT INTO agency_upline_period (tenant_id, recorded_at, recorded_by, team_id, agent_id, upline_agent_id, effective_from, effective_through)
							SELECT $1, $2, 'x', (SELECT id FROM agency_team WHERE tenant_id = $1), a.id, (SELECT u.id FROM agency_agent u WHERE u.tenant_id = $1 AND u.code = $3), $4, $5 FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $6`
					}
					if err := exec(query, h.value, h.from, through, code); err != nil {
						return err
					}
				}
			}
		}
		for _, l := range a.licences {
			if err := exec(`INSERT INTO agency_certification (tenant_id, agent_id, type, identifier, is_resident_certification, is_verified, created_at, created_by, last_modified, last_modified_by)
				SELECT $1, a.id, 'AML', $3, true, true, $2, 'x', $2, 'x' FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $4`, l.number, l.agent); err != nil {
				return err
			}
			if err := exec(`INSERT INTO agency_certification_period (tenant_id, recorded_at, recorded_by, certification_id, status, effective_from, effective_through)
				SELECT $1, $2, 'x', c.id, 'ACTIVE', $4, $5 FROM agency_certification c WHERE c.tenant_id = $1 AND c.identifier = $3`, l.number, start, l.through); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.policies) > 0 {
		for _, o := range must[[]facts.Outcome](t)(w.RecordProduction(w.ctx, a.policies, batch)) {
			if o.Fate != facts.Created {
				t.Fatalf("%+v", o)
			}
		}
	}
}

func (w *world) tenantID(t *rapid.T) (id int64) {
	if _, err := store.One(w.ctx, w.store, []any{&id}, "SELECT id FROM tenant WHERE identifier = $1", apptest.Acme); err != nil {
		t.Fatal(err)
	}
	return id
}

// clear removes all agents of the tenant with what belongs to them.
func (w *world) clear(t *rapid.T) {
	id := w.tenantID(t)
	err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, query := range []string{"UPDATE agency_upline_period SET upline_agent_id = NULL WHERE tenant_id = $1", "DELETE FROM onboarding_application WHERE tenant_id = $1",
			"DELETE FROM agency_agent WHERE tenant_id = $1"} {
			if _, err := tx.Exec(ctx, query, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
