package insights

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/platform/store"
)

// applicationStep is a status that an application has had.
type applicationStep struct {
	application int64
	recruiter   string
	created     time.Time
	// status and at are nil for an application without a matching step.
	status *string
	at     *time.Time
}

// applicationSteps reads the applications created in the range of days, with the steps
// that meet a condition on h. It calls f with the steps of one application after the
// other, in the order in which they were made, and once without a step for an application
// that has none. An application counts for the agents who were above its recruiter on the
// day on which it was created. Without a scope, applications whose recruiter is unknown
// count as well.
func (r *Run) applicationSteps(ctx context.Context, condition string, f func(applicationStep)) error {
	from, through := r.Day("from"), r.Day("through")
	var s store.SQL
	r.With(&s, from, through)
	days := "NULL, NULL"
	if r.scope.kind == downline {
		days = "spans.since, spans.until"
	}
	join, within := r.Within(&s, "a.id", "")
	s.Write("SELECT x.id, x.recruiter_agent_code, x.created_at, h.to_status, h.changed_at, " + days + " FROM onboarding_application x")
	if r.scope.kind != agency {
		s.Write(" JOIN agency_agent a ON a.tenant_id = x.tenant_id AND a.code = x.recruiter_agent_code" + join)
	}
	s.Write(" LEFT JOIN onboarding_application_status_change h ON h.tenant_id = ? AND h.application_id = x.id"+condition, r.Tenant.ID)
	// A day of the tenant lies within these instants of UTC. Which day it is, is decided
	// below, where time zones are known.
	s.Write(" WHERE x.tenant_id = ? AND x.created_at >= ? AND x.created_at < ?"+within+" ORDER BY x.id, h.id",
		r.Tenant.ID, from.AddDays(-1).Time(), through.AddDays(2).Time())
	return store.Each(ctx, r.q, &s, func(row store.Scanner) error {
		var (
			step         applicationStep
			since, until *date.Date
		)
		if err := row.Scan(&step.application, &step.recruiter, &step.created, &step.status, &step.at, &since, &until); err != nil {
			return err
		}
		day := date.In(step.created, r.Tenant.Zone)
		if day >= from && day <= through && (since == nil || day >= *since && day <= *until) {
			f(step)
		}
		return nil
	})
}

// spent adds up durations, in milliseconds: all applications of an agency over years are
// far from overflowing an int64.
type spent struct{ n, milliseconds int64 }

func (s *spent) add(from, to time.Time) {
	s.n, s.milliseconds = s.n+1, s.milliseconds+to.Sub(from).Milliseconds()
}

// averageDays is the average in days, to two decimals; nil if there is nothing to
// average.
func (s spent) averageDays() any {
	const hundredth = int64(24*time.Hour/time.Millisecond) / 100
	if s.n == 0 {
		return nil
	}
	return money.Amount((2*s.milliseconds + s.n*hundredth) / (2 * s.n * hundredth))
}
