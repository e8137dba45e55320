package insights

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/value"
)

var recruiting = &Report{
	Slug: "recruiting", Title: "Recruiting", MaxPageSize: 500, Scoped: true, OfNow: ApplicationsOfNow,
	Description: "The applications that were created in a range of days, and how many of them have become agents since: of each recruiter, the one with the most applications first, or of each month. With the scope downline an application counts for whoever was above its recruiter on the day on which it was created.",
	Parameters: slices.Concat(rangeParameters, []Parameter{
		{Name: "groupBy", Type: value.Text, Allowed: []string{"recruiter", "month"}, Default: Constant("recruiter"),
			Description: "What a row is about: a recruiter, by the agent code that the applications name, or a month in which they were created."},
	}),
	Columns: []Column{
		{Key: "key", Label: "Recruiter or month", Type: value.Text, Sortable: true},
		{Key: "applications", Label: "Applications", Type: value.Integer, Measure: true, Sortable: true},
		{Key: "processed", Label: "Processed into an agent", Type: value.Integer, Sortable: true},
		{Key: "conversion", Label: "Processed of 100 applications", Type: value.Decimal, Sortable: true},
		{Key: "averageDays", Label: "Average days from creation to processing", Type: value.Decimal, Sortable: true},
	},
	Check: checkRange,
	Make:  recruited,
}

// recruits are the applications of a recruiter or of a month; spent is the time that the
// processed ones took.
type recruits struct {
	key          string
	applications int64
	spent
}

func recruited(ctx context.Context, r *Run) ([]Row, error) {
	byMonth := r.Text("groupBy") == "month"
	groups := map[string]*recruits{}
	group := func(key string) *recruits {
		if groups[key] == nil {
			groups[key] = &recruits{key: key}
		}
		return groups[key]
	}
	for d := r.Day("from"); byMonth && d <= r.Day("through"); d++ { // also months without any
		group(periodOf(d, "month"))
	}
	err := r.applicationSteps(ctx, " AND h.to_status = 'PROCESSED'", func(step applicationStep) {
		key := step.recruiter
		if byMonth {
			key = periodOf(date.In(step.created, r.Tenant.Zone), "month")
		}
		g := group(key)
		g.applications++
		if step.at != nil {
			g.add(step.created, *step.at)
		}
	})
	var rows []Row
	for _, g := range groups {
		rows = append(rows, Row{Values: []any{g.key, g.applications, g.n, share(g.n, g.applications), g.averageDays()}})
	}
	slices.SortFunc(rows, func(a, b Row) int {
		most := cmp.Compare(b.Values[1].(int64), a.Values[1].(int64))
		if byMonth {
			most = 0
		}
		return cmp.Or(most, strings.Compare(a.Values[0].(string), b.Values[0].(string)))
	})
	return rows, err
}
