package model

import (
	"encoding/json"

	"github.com/uplinehq/upline/internal/insights/recipe"
)

// ReportRecipe is a stored definition of a report.
type ReportRecipe struct{ *recipe.Recipe }

// IsAudited names the interface of the GraphQL type.
func (ReportRecipe) IsAudited() {}

// ID is the id that clients use.
func (r *ReportRecipe) ID() string { return r.UID }

// Definition is the definition as it was stored.
func (r *ReportRecipe) Definition() json.RawMessage { return r.Recipe.Definition }

// NewReport returns the view of a page of a report.
func NewReport(of *recipe.Recipe, r *recipe.Report) *InsightResult {
	out := &InsightResult{Slug: of.UID, Title: of.Name, GeneratedAt: r.GeneratedAt, Parameters: r.Parameters, Rows: r.Rows, TotalCount: r.TotalCount,
		PageInfo: &PageInfo{HasNextPage: r.HasNext, HasPreviousPage: r.HasPrev, StartCursor: r.Start, EndCursor: r.End}}
	for _, c := range r.Columns {
		column := &InsightColumn{Key: c.Key, Label: c.Label, Type: c.Type}
		if c.Format != "" {
			column.Format = &c.Format
		}
		out.Columns = append(out.Columns, column)
	}
	return out
}
