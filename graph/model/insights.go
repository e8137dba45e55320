package model

import (
	"encoding/json"
	"time"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/insights/recipe"
	"github.com/uplinehq/upline/internal/money"
)

// ProductionRecord is a policy that an agent wrote. It is not dated; the agent
// reached through it is as of At.
type ProductionRecord struct {
	*facts.ProductionRecord
	At history.AsOf
}

// AnnualPremium is the annual premium.
func (p *ProductionRecord) AnnualPremium() string {
	return money.Amount(p.AnnualPremiumCents).String()
}

// CommissionPayment is a commission that was paid. It is not dated; the agent
// reached through it is as of At.
type CommissionPayment struct {
	*facts.CommissionPayment
	At history.AsOf
}

// Amount is the amount of the payment.
func (p *CommissionPayment) Amount() string { return money.Amount(p.AmountCents).String() }

// Reference tells the payment apart from an otherwise equal one; nil for none.
func (p *CommissionPayment) Reference() *string {
	if p.CommissionPayment.Reference == "" {
		return nil
	}
	return &p.CommissionPayment.Reference
}

// InsightQuery is a curated query.
type InsightQuery struct{ *insights.Report }

// Parameters are the parameters of the query and of its scope.
func (q *InsightQuery) Parameters() []*InsightParameter {
	all := q.AllParameters()
	list := make([]*InsightParameter, len(all))
	for i, p := range all {
		list[i] = &InsightParameter{Name: p.Name, Type: string(p.Type), Required: p.Required, Default: p.DefaultOf(), Description: p.Description, AllowedValues: p.Allowed}
	}
	return list
}

// Columns are the columns of each row.
func (q *InsightQuery) Columns() []*InsightColumn { return insightColumns(q.Report) }

func insightColumns(q *insights.Report) []*InsightColumn {
	list := make([]*InsightColumn, len(q.Columns))
	for i, c := range q.Columns {
		list[i] = &InsightColumn{Key: c.Key, Label: c.Label, Type: string(c.Type), IsMeasure: c.Measure}
		if c.Format != "" {
			list[i].Format = &c.Format
		}
	}
	return list
}

// ReportDataset is what a recipe can be made of.
type ReportDataset struct{ *recipe.Dataset }

// Fields are the fields of a row.
func (d *ReportDataset) Fields() []*ReportField {
	list := make([]*ReportField, len(d.Dataset.Fields))
	for i, f := range d.Dataset.Fields {
		list[i] = &ReportField{Name: f.Name, Type: string(f.Type), Description: f.Description, AllowedValues: f.Values}
	}
	return list
}

// InsightResult is a page of a curated query, or of a report recipe.
type InsightResult struct {
	Slug, Title string
	GeneratedAt time.Time
	// Parameters are the parameters in force.
	Parameters map[string]any
	Columns    []*InsightColumn
	// Rows are JSON objects.
	Rows       []json.RawMessage
	PageInfo   *PageInfo
	TotalCount int
}

// NewInsightResult returns the view of a page of a report.
func NewInsightResult(r *insights.Result) (*InsightResult, error) {
	out := &InsightResult{Slug: r.Slug, Title: r.Title, GeneratedAt: r.GeneratedAt, Parameters: r.Parameters, Columns: insightColumns(r.Report),
		Rows: make([]json.RawMessage, len(r.Rows)), TotalCount: r.TotalCount,
		PageInfo: &PageInfo{HasNextPage: r.HasNext, HasPreviousPage: r.HasPrev, StartCursor: r.Start, EndCursor: r.End}}
	for i, row := range r.Rows {
		var err error
		if out.Rows[i], err = r.JSON(row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// LeaderboardEntry is a row of the leaderboard; its agent is as of At.
type LeaderboardEntry struct {
	AgentID       int64
	At            history.AsOf
	Rank          int64
	PreviousRank  *int64
	Value         string
	PreviousValue *string
	PolicyCount   int64
}

// LicenseExpiration is a certification that ends soon; it and its agent are as of
// At.
type LicenseExpiration struct {
	CertificationID, AgentID int64
	At                       history.AsOf
	DaysRemaining            int64
	Bucket                   string
}
