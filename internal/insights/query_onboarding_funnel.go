package insights

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/value"
)

var onboardingFunnel = &Report{
	Slug: "onboarding-funnel", Title: "Onboarding funnel", MaxPageSize: 500, Scoped: true, OfNow: ApplicationsOfNow,
	Description: "How far the applications got that were created in a range of days: how many have reached each status, and how long they have been in it on average, until now where they still are. With the scope downline an application counts for whoever was above its recruiter on the day on which it was created.",
	Parameters:  rangeParameters,
	Columns: []Column{
		{Key: "status", Label: "Status", Type: value.Text, Sortable: true},
		{Key: "count", Label: "Applications that reached it", Type: value.Integer, Measure: true, Sortable: true},
		{Key: "averageDaysInStatus", Label: "Average days in the status; none for the last ones, Processed and Rejected", Type: value.Decimal, Sortable: true},
	},
	Check: checkRange,
	Make:  funnel,
}

// applicationStatuses are those of "Application statuses", as they are stored; no status
// follows a final one.
var applicationStatuses = []struct {
	name    string
	isFinal bool
}{{"ACTIVE", false}, {"HOLD", false}, {"COMPLETE", false}, {"PAID", false}, {"PROCESSED", true}, {"REJECTED", true}}

// stay sums up the time that applications were in a status, however often they came back.
type stay struct {
	reached int64
	last    int64 // the application that was last counted
	spent
}

func funnel(ctx context.Context, r *Run) ([]Row, error) {
	stays := map[string]*stay{}
	for _, s := range applicationStatuses {
		stays[s.name] = &stay{}
	}
	var before applicationStep
	leave := func(at time.Time) {
		if before.status != nil {
			s := stays[*before.status]
			s.add(*before.at, at)
		}
	}
	err := r.applicationSteps(ctx, "", func(step applicationStep) {
		if step.status == nil {
			return
		}
		if step.application == before.application {
			leave(*step.at)
		} else {
			leave(r.Now)
		}
		if s := stays[*step.status]; s.last != step.application {
			s.last, s.reached = step.application, s.reached+1
		}
		before = step
	})
	leave(r.Now)
	var rows []Row
	for _, status := range applicationStatuses {
		s := stays[status.name]
		// Two stays of one application count as one, interrupted.
		average := spent{s.reached, s.milliseconds}.averageDays()
		if status.isFinal {
			average = nil
		}
		rows = append(rows, Row{Values: []any{status.name, s.reached, average}})
	}
	return rows, err
}
