package model

import (
	"encoding/json"
	"time"

	"github.com/uplinehq/upline/internal/insights"
)

// ReportRecipe is a stored definition of a report, of no tenant.
type ReportRecipe struct{ *insights.Recipe }

// IsAudited names the interface of the GraphQL type.
func (ReportRecipe) IsAudited() {}

// ID is the id that clients know.
func (r *ReportRecipe) ID() string { return r.UID }

// Definition is what was stored.
func (r *ReportRecipe) Definition() json.RawMessage { return r.Recipe.Definition }

// InsightResult is a page of a report.
type InsightResult struct {
	Slug, Title string
	GeneratedAt time.Time
	Parameters  map[string]any
	Columns     []*InsightColumn
	// Rows are JSON objects.
	Rows       []json.RawMessage
	PageInfo   *PageInfo
	TotalCount int
}

// InsightColumn is a column of a report.
type InsightColumn struct {
	Key, Label, Type string
	Format           *string
}
