package insights_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/problem"
)

// held is a period of a certification.
type held struct {
	kind, jurisdiction, status string // no jurisdiction: ""
	from, through              date.Date
}

// Licences are looked through one by one, for each agent who is active.
func TestUnlicensedActiveAgents(t *testing.T) {
	onRandom(t, func(t *rapid.T, w *world, a *random) {
		a.payStatuses(t)
		w.plant(t, a)
		w.write(t, func(exec func(string, ...any)) { // those that every random agency has
			exec("DELETE FROM agency_certification WHERE tenant_id = $1", w.tenantID(t))
		})
		homes, licences := w.plantLicences(t, a)
		for _, ask := range w.askings(t, a) {
			day := someDay(t)
			kind := rapid.SampledFrom([]string{"", "LIFE", "AML"}).Draw(t, "asked type")
			where := rapid.SampledFrom([]string{"", "home", "US-CA", "US-TX", "US-NY"}).Draw(t, "asked jurisdiction")
			given := parameters{"onDate": day.String()}
			if kind != "" {
				given["type"] = kind
			}
			if where != "" {
				given["jurisdiction"] = where
			}
			var want [][]any
			for _, code := range a.codes {
				status, place := on(a.statuses[code], day), where
				if where == "" || where == "home" {
					place = homes[code]
				}
				if !isActive(status) || !ask.within(code, day) {
					continue
				}
				var last *held
				licensed := false
				for _, h := range licences[code] {
					matches := (h.jurisdiction == "" || h.jurisdiction == place) && (h.kind == kind || kind == "" && h.kind != "AML")
					if !matches || h.from > day {
						continue
					}
					licensed = licensed || h.status == "ACTIVE" && day <= h.through
					if last == nil || h.from >= last.from {
						last = &h
					}
				}
				if licensed {
					continue
				}
				row := []any{code, "F " + code, status, nil, nil, nil}
				if place != "" {
					row[3] = place
				}
				if last != nil {
					if row[4] = last.status; last.through != date.Max {
						row[5] = last.through
					}
				}
				want = append(want, row)
			}
			w.holds(t, ask, "unlicensed-active-agents", given, want)
		}
	})
}

// plantLicences gives agents home addresses and certifications with histories;
// of each agent, the periods are in the order in which they are stored.
func (w *world) plantLicences(t *rapid.T, a *random) (homes map[string]string, licences map[string][]held) {
	homes, licences = map[string]string{}, map[string][]held{}
	tenantID, now := w.tenantID(t), w.app.Clock.Now()
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	w.write(t, func(exec func(string, ...any)) {
		for _, code := range a.codes {
			if homes[code] = rapid.SampledFrom([]string{"US-CA", "US-TX", ""}).Draw(t, "home"); homes[code] != "" || rapid.Bool().Draw(t, "address") {
				exec(`INSERT INTO agency_address (tenant_id, agent_id, kind, jurisdiction) SELECT a.tenant_id, a.id, 'HOME', $1 FROM agency_agent a WHERE a.tenant_id = $2 AND a.code = $3`,
					orNull(homes[code]), tenantID, code)
			}
			exec(`INSERT INTO agency_address (tenant_id, agent_id, kind, jurisdiction) SELECT a.tenant_id, a.id, 'BUSINESS', 'US-NY' FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $2`, tenantID, code)
			for n := range rapid.IntRange(0, 3).Draw(t, "certifications") {
				h := held{kind: rapid.SampledFrom([]string{"LIFE", "HEALTH", "AML"}).Draw(t, "type"), jurisdiction: rapid.SampledFrom([]string{"US-CA", "US-TX", ""}).Draw(t, "jurisdiction")}
				identifier := code + "-" + string(rune('a'+n))
				exec(`INSERT INTO agency_certification (tenant_id, agent_id, type, jurisdiction, identifier, is_resident_certification, is_verified, created_at, created_by, last_modified, last_modified_by)
					SELECT a.tenant_id, a.id, $1, $2, $3, true, true, $4, 'x', $4, 'x' FROM agency_agent a WHERE a.tenant_id = $5 AND a.code = $6`,
					h.kind, orNull(h.jurisdiction), identifier, now, tenantID, code)
				day := start
				for range rapid.IntRange(1, 3).Draw(t, "periods") {
					h.from = day.AddDays(rapid.IntRange(0, 30).Draw(t, "from"))
					h.through = h.from.AddDays(rapid.IntRange(0, 60).Draw(t, "days"))
					h.status = rapid.SampledFrom([]string{"ACTIVE", "ACTIVE", "PENDING", "EXPIRED"}).Draw(t, "status")
					through, superseded := any(h.through), any(nil)
					if rapid.IntRange(0, 3).Draw(t, "open") == 0 {
						h.through, through = date.Max, nil
					}
					if rapid.IntRange(0, 3).Draw(t, "superseded") == 0 {
						superseded = now
					} else {
						licences[code] = append(licences[code], h)
					}
					exec(`INSERT INTO agency_certification_period (tenant_id, certification_id, status, effective_from, effective_through, recorded_at, recorded_by, superseded_at)
						SELECT c.tenant_id, c.id, $1, $2, $3, $4, 'x', $5 FROM agency_certification c WHERE c.tenant_id = $6 AND c.identifier = $7`,
						h.status, h.from, through, now, superseded, tenantID, identifier)
					if superseded == nil {
						if h.through == date.Max {
							break
						}
						day = h.through.AddDays(1)
					}
				}
			}
		}
	})
	return homes, licences
}

// A jurisdiction that is none is refused with those that there are, home first.
func TestUnlicensedRefusesJurisdictions(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		_, err := w.Insight(w.ctx, insights.Request{Slug: "unlicensed-active-agents", Parameters: parameters{"jurisdiction": "Home", "type": "LICENSE", "onDate": "today"}})
		refused := problem.From(err)
		equal(t, "refused", refusals(refused), []string{"INVALID_FORMAT[parameters onDate]", "OUT_OF_RANGE[parameters type]", "OUT_OF_RANGE[parameters jurisdiction]"})
		allowed, _ := refused[2].Details["allowed"].([]string)
		if len(allowed) < 50 || allowed[0] != "home" || !slices.Contains(allowed, "US-CA") {
			t.Errorf("allowed: %v", allowed)
		}
	})
}
