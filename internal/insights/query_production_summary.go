package insights

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/value"
)

var productionSummary = &Report{
	Slug: "production-summary", Title: "Production summary", MaxPageSize: 500, Scoped: true,
	Description: "Policies and their annual premium by the day on which they were submitted, issued and placed, for each period of a range of days. With the scope downline a policy counts for whoever was above its agent on that day.",
	Parameters: slices.Concat(rangeParameters, []Parameter{
		interval,
		{Name: "providerCompany", Type: value.Text, Of: providerCompanies, Description: "Only policies of this provider company."},
	}),
	Columns: []Column{
		{Key: "period", Label: "Period", Type: value.Text, Sortable: true},
		{Key: "submittedCount", Label: "Submitted", Type: value.Integer, Sortable: true},
		{Key: "submittedPremium", Label: "Submitted premium", Type: value.Decimal, Sortable: true},
		{Key: "issuedCount", Label: "Issued", Type: value.Integer, Sortable: true},
		{Key: "issuedPremium", Label: "Issued premium", Type: value.Decimal, Measure: true, Sortable: true},
		{Key: "placedCount", Label: "Placed", Type: value.Integer, Sortable: true},
		{Key: "placedPremium", Label: "Placed premium", Type: value.Decimal, Sortable: true},
		{Key: "averagePremium", Label: "Average issued premium", Type: value.Decimal, Sortable: true},
	},
	Check: checkRange,
	Make:  summarize,
}

// steps are the days of a policy, in the order of the columns.
var steps = []string{"submitted_on", "issued_on", "placed_on"}

// dailyTotal is what one day contributes to a step.
type dailyTotal struct {
	step  int
	day   date.Date
	count int64
	sum   *money.Sum
}

// summarize adds up each day in the database, which reads them in the order of an index,
// and the days of a period here, since the databases have no common way to divide days
// into periods.
func summarize(ctx context.Context, r *Run) ([]Row, error) {
	days, err := dailyTotals(ctx, r)
	if err != nil {
		return nil, err
	}
	interval := r.Text("interval")
	var rows []Row
	row := map[string]int{}
	for d := r.Day("from"); d <= r.Day("through"); d++ {
		if name := periodOf(d, interval); len(rows) == 0 || rows[len(rows)-1].Values[0] != name {
			row[name] = len(rows)
			rows = append(rows, Row{Values: []any{name, int64(0), &money.Sum{}, int64(0), &money.Sum{}, int64(0), &money.Sum{}, nil}})
		}
	}
	for _, d := range days {
		v := rows[row[periodOf(d.day, interval)]].Values
		v[1+2*d.step] = v[1+2*d.step].(int64) + d.count
		v[2+2*d.step].(*money.Sum).Add(d.sum)
	}
	for _, made := range rows {
		if count, sum := made.Values[3].(int64), made.Values[4].(*money.Sum); count > 0 {
			made.Values[7] = sum.Among(count)
		}
	}
	return rows, nil
}

func dailyTotals(ctx context.Context, r *Run) ([]dailyTotal, error) {
	from, through := r.Day("from"), r.Day("through")
	var s store.SQL
	r.With(&s, from, through)
	premium := store.Sum(r.Postgres, "f.annual_premium_cents")
	for i, day := range steps {
		if i > 0 {
			s.Write(" UNION ALL ")
		}
		join, condition := r.Within(&s, "f.agent_id", "f."+day)
		s.Write(fmt.Sprintf("SELECT %d, f.%s, count(*), CAST(%s AS text) FROM insights_production_record f%s WHERE f.tenant_id = ? AND f.%s >= ? AND f.%s <= ?%s",
			i, day, premium, join, day, day, condition), r.Tenant.ID, from, through)
		if r.Given("providerCompany") {
			s.Write(" AND f.provider_company = ?", r.Text("providerCompany"))
		}
		s.Write(" GROUP BY f." + day)
	}
	return store.Collect(ctx, r.q, func(row store.Scanner) (d dailyTotal, err error) {
		var sum string
		if err = row.Scan(&d.step, &d.day, &d.count, &sum); err == nil {
			d.sum, err = money.ReadSum(sum)
		}
		return d, err
	}, s.Text(), s.Args()...)
}

// periodOf returns the name of the period of a day; names of one interval sort like their
// periods.
func periodOf(d date.Date, interval string) string {
	t := d.Time()
	switch interval {
	case "week":
		year, week := t.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week)
	case "month":
		return t.Format("2006-01")
	case "quarter":
		return fmt.Sprintf("%04d-Q%d", t.Year(), (t.Month()-time.January)/3+1)
	}
	return d.String()
}
