package insights_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
)

// certificate is a certification in memory, with its history.
type certificate struct {
	agent, kind, company, jurisdiction string // "" for none
	resident                           bool
	periods                            []held
}

// on returns the status on a day, "" for none.
func (c certificate) on(day date.Date) string { return c.period(day).status }

func (c certificate) period(day date.Date) held {
	for _, p := range c.periods {
		if p.from <= day && day <= p.through {
			return p
		}
	}
	return held{}
}

// ends returns the last day of the active period of a day, or of the last active one
// that follows it.
func (c certificate) ends(day date.Date) date.Date {
	through := c.period(day).through
	for _, p := range c.periods {
		if p.status == "ACTIVE" && p.from > through {
			through = max(through, p.through)
		}
	}
	return through
}

// plantCertificates gives agents certifications instead of those that every random
// agency has.
func (w *world) plantCertificates(t *rapid.T, a *random, kinds []string) (all []certificate) {
	tenantID, now := w.tenantID(t), w.app.Clock.Now()
	w.write(t, func(exec func(string, ...any)) {
		exec("DELETE FROM agency_certification WHERE tenant_id = $1", tenantID)
		for _, code := range a.codes {
			for n := range rapid.IntRange(0, 4).Draw(t, "certifications") {
				c := certificate{agent: code, kind: rapid.SampledFrom(kinds).Draw(t, "type"), company: rapid.SampledFrom([]string{"ACO", "BCO", ""}).Draw(t, "company"),
					jurisdiction: rapid.SampledFrom([]string{"US-CA", "US-TX", ""}).Draw(t, "jurisdiction"), resident: rapid.Bool().Draw(t, "resident")}
				identifier := fmt.Sprint(code, "/", n)
				exec(`INSERT INTO agency_certification (tenant_id, agent_id, type, provider_company, jurisdiction, identifier, is_resident_certification, is_verified, created_at, created_by, last_modified, last_modified_by)
					SELECT a.tenant_id, a.id, $1, $2, $3, $4, $5, true, $6, 'x', $6, 'x' FROM agency_agent a WHERE a.tenant_id = $7 AND a.code = $8`,
					c.kind, orNull(c.company), orNull(c.jurisdiction), identifier, c.resident, now, tenantID, code)
				for day, i := start, rapid.IntRange(1, 4).Draw(t, "periods"); i > 0; i-- {
					h := held{status: rapid.SampledFrom([]string{"ACTIVE", "ACTIVE", "PENDING", "TERMINATED", "HELD"}).Draw(t, "status"), from: day.AddDays(rapid.SampledFrom([]int{0, 0, 15}).Draw(t, "between"))}
					h.through = h.from.AddDays(rapid.IntRange(0, 80).Draw(t, "days"))
					through, superseded := any(h.through), any(nil)
					if i == 1 && rapid.Bool().Draw(t, "open") {
						h.through, through = date.Max, nil
					}
					if rapid.IntRange(0, 4).Draw(t, "superseded") == 0 {
						superseded = now
					} else {
						c.periods, day = append(c.periods, h), h.through+1
					}
					exec(`INSERT INTO agency_certification_period (tenant_id, certification_id, status, effective_from, effective_through, recorded_at, recorded_by, superseded_at)
						SELECT c.tenant_id, c.id, $1, $2, $3, $4, 'x', $5 FROM agency_certification c WHERE c.tenant_id = $6 AND c.identifier = $7`,
						h.status, h.from, through, now, superseded, tenantID, identifier)
				}
				all = append(all, c)
			}
		}
	})
	return all
}
