package insights

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/value"
)

var headcount = &Report{
	Slug: "headcount", Title: "Headcount", MaxPageSize: 500, Scoped: true,
	Description: "How many agents are active by their pay status at the end of each period of a range of days, and how many joined and left in it. In a downline, whoever moves into it while active joins, and whoever moves away leaves; so active is that of the period before, and net.",
	Parameters:  slices.Concat(rangeParameters, []Parameter{interval}),
	Columns: []Column{
		{Key: "period", Label: "Period", Type: value.Text, Sortable: true},
		{Key: "active", Label: "Active", Type: value.Integer, Measure: true, Sortable: true},
		{Key: "joined", Label: "Joined", Type: value.Integer, Sortable: true},
		{Key: "left", Label: "Left", Type: value.Integer, Sortable: true},
		{Key: "net", Label: "Net", Type: value.Integer, Sortable: true},
	},
	Check: checkRange,
	Make:  countHeads,
}

func countHeads(ctx context.Context, r *Run) ([]Row, error) {
	from, through := r.Day("from"), r.Day("through")
	// What happens on each day; the day before the first counts those who are already
	// there.
	days := int(through-from) + 2
	joined, left := make([]int64, days), make([]int64, days)
	index := func(d date.Date) int { return int(d - from.AddDays(-1)) }
	err := r.activeSpans(ctx, func(days span) {
		joined[index(days.since)]++
		if days.until < through {
			left[index(days.until)+1]++
		}
	})
	if err != nil {
		return nil, err
	}
	var rows []Row
	active := joined[0]
	for d := from; d <= through; d++ {
		if name := periodOf(d, r.Text("interval")); len(rows) == 0 || rows[len(rows)-1].Values[0] != name {
			rows = append(rows, Row{Values: []any{name, int64(0), int64(0), int64(0), int64(0)}})
		}
		in, out := joined[index(d)], left[index(d)]
		active += in - out
		v := rows[len(rows)-1].Values
		v[1], v[2], v[3], v[4] = active, v[2].(int64)+in, v[3].(int64)+out, v[4].(int64)+in-out
	}
	return rows, nil
}

// activeSpans calls f with the spans of days, from the day before the range on, on which
// an agent was active and within the scope.
func (r *Run) activeSpans(ctx context.Context, f func(span)) error {
	before, through := r.Day("from").AddDays(-1), r.Day("through")
	within, err := r.membership(ctx, before, through)
	if err != nil {
		return err
	}
	var s store.SQL
	r.With(&s, before, through)
	s.Write(`SELECT p.agent_id, p.effective_from, p.effective_through FROM agency_pay_status_period p JOIN agency_pay_status t ON t.tenant_id = p.tenant_id AND t.name = p.status
		WHERE p.tenant_id = ? AND p.superseded_at IS NULL AND t.is_active AND p.effective_from <= ? AND (p.effective_through IS NULL OR p.effective_through >= ?)`, r.Tenant.ID, through, before)
	r.ever(&s, "p.agent_id")
	s.Write(" ORDER BY p.agent_id, p.effective_from")
	var (
		last  int64
		going span
		open  bool
	)
	end := func() {
		if open {
			f(going)
		}
		open = false
	}
	err = store.Each(ctx, r.q, &s, func(row store.Scanner) error {
		var (
			agent int64
			since date.Date
			until *date.Date
		)
		if err := row.Scan(&agent, &since, &until); err != nil {
			return err
		}
		for _, days := range within.of(agent) {
			days = span{max(days.since, since), min(days.until, date.OrMax(until))}
			switch {
			case days.until < days.since:
			case open && agent == last && days.since == going.until+1: // another status, or another way up the hierarchy
				going.until = days.until
			default:
				end()
				last, going, open = agent, days, true
			}
		}
		return nil
	})
	if err == nil {
		end()
	}
	return err
}
