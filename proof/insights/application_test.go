package insights_test

import (
	"slices"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
)

// application is one in memory, with the statuses that it got.
type application struct {
	recruiter string
	created   time.Time
	steps     []step
}

type step struct {
	status string
	at     time.Time
}

// on is the day on which the application was created, for an agency of the zone.
func (x application) on(zone *time.Location) date.Date { return date.In(x.created, zone) }

// next are the steps of onboarding that can follow a status, so far as they tell
// figures apart.
var next = map[string][]string{
	"ACTIVE": {"HOLD", "COMPLETE", "REJECTED"}, "HOLD": {"ACTIVE", "COMPLETE", "REJECTED"}, "COMPLETE": {"HOLD", "PAID", "PROCESSED", "REJECTED"}, "PAID": {"PROCESSED", "REJECTED"},
}

// plantApplications makes up applications that some of the agents recruited, and
// somebody who is no agent; many are created about midnight. Those that are
// processed become one of the agents.
func (w *world) plantApplications(t *rapid.T, a *random) (all []application) {
	tenantID := w.tenantID(t)
	agents := slices.Clone(a.codes)
	w.write(t, func(exec func(string, ...any)) {
		exec("DELETE FROM onboarding_application WHERE tenant_id = $1", tenantID)
		for range rapid.IntRange(0, 25).Draw(t, "applications") {
			hours := rapid.OneOf(rapid.IntRange(0, 160*24), rapid.Map(rapid.IntRange(0, 160*4), func(n int) int { return n*6 + 5 })).Draw(t, "hour")
			x := application{recruiter: rapid.SampledFrom(append([]string{"NOBODY"}, a.codes...)).Draw(t, "recruiter"), created: start.Time().Add(time.Duration(hours) * time.Hour)}
			for status, at := "ACTIVE", x.created; ; {
				x.steps = append(x.steps, step{status, at})
				at = at.Add(time.Duration(rapid.IntRange(0, 20*24*60).Draw(t, "minutes")) * time.Minute)
				if next[status] == nil || at.After(w.app.Clock.Now()) || rapid.IntRange(0, 3).Draw(t, "rests") == 0 {
					break
				}
				if status = rapid.SampledFrom(next[status]).Draw(t, "next"); status == "PROCESSED" && len(agents) == 0 {
					break
				}
			}
			last, held, became := x.steps[len(x.steps)-1].status, any(nil), any(nil)
			switch last {
			case "HOLD":
				held = "ACTIVE"
			case "PROCESSED":
				became, agents = agents[0], agents[1:]
			}
			uid := uuid.NewString()
			exec(`INSERT INTO onboarding_application (tenant_id, uid, status, held_status, recruiter_agent_code, first_name, last_name, email_address, first_name_key, last_name_key, email_key, agent_id, created_at, created_by, last_modified, last_modified_by)
				VALUES ($1, $2, $3, $4, $5, 'F', 'L', 'E', 'f', 'l', 'e', (SELECT a.id FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $6), $7, 'x', $7, 'x')`,
				tenantID, uid, last, held, x.recruiter, became, x.created)
			for _, s := range x.steps {
				exec(`INSERT INTO onboarding_application_status_change (tenant_id, application_id, to_status, changed_at, changed_by)
					SELECT x.tenant_id, x.id, $1, $2, 'x' FROM onboarding_application x WHERE x.tenant_id = $3 AND x.uid = $4`, s.status, s.at, tenantID, uid)
			}
			all = append(all, x)
		}
	})
	return all
}

// counted are the applications of a range of days that an asking is about.
func (w *world) counted(ask asking, all []application, from, through date.Date) (some []application) {
	for _, x := range all {
		day := x.on(w.zone())
		ofAgent := x.recruiter != "NOBODY" || ask.root == "" && ask.sees("NOBODY")
		if day >= from && day <= through && ofAgent && ask.within(x.recruiter, day) {
			some = append(some, x)
		}
	}
	return some
}
