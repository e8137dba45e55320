package insights

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

// Report is what can be run: a curated query, or the definition of a recipe, compiled.
// To add a curated query, write a file of its name with a variable of this type, and put
// that into queries; docs/insights.md, the catalogue and both doors follow. The rules:
//
//   - Its rows are written by Core, in SQL that names the tenant in every table,
//     or made by Make when they are computed here.
//   - A query that counts or shows agents, or what they did, sets Scoped, unless it
//     is about an agent that the caller names. Then it has the parameters scope and
//     agentCode, and whatever it counts or shows must pass through Run.Within. A
//     caller who is limited to a downline is held to it by the store, in whatever a
//     query reads.
//   - Its test recomputes the rows from scratch on random agencies.
type Report struct {
	// Slug is the name of a curated query in requests; of a recipe it is the id.
	Slug, Title, Description string
	Parameters               []Parameter
	Columns                  []Column
	// MaxPageSize is the largest page, in rows ("maximum set per query", Limits).
	MaxPageSize int
	// Scoped queries have the parameters scope and agentCode.
	Scoped bool
	// Check refuses parameters that do not fit together.
	Check func(r *Run) error
	// Core writes a SELECT of all rows. Columns, Order and Keys refer to it as q.
	Core func(r *Run, s *store.SQL)
	// Detail writes joins that only the rows of a page need.
	Detail func(r *Run, s *store.SQL)
	// Order are the columns of Core that rows are ordered by, unless the request says
	// otherwise; then they order equal rows. The last one is unique.
	Order []string
	// Keys are integers of Core that come with each row: the ids of its objects.
	Keys []string
	// Make makes all rows in their order, instead of Core.
	Make func(ctx context.Context, r *Run) ([]Row, error)
	// Complete fills in what only the rows of a page need, after Make, and leaves out those whose
	// objects were deleted meanwhile; nil for nothing.
	Complete func(ctx context.Context, r *Run, rows []Row) ([]Row, error)
	// OfNow says why the report cannot be answered as it was known; empty for one that can.
	OfNow string
	// Definition is set if the report was compiled from one.
	Definition *Definition
}

// Why some reports cannot be answered as it was known.
const (
	ApplicationsOfNow = "of an application only the steps are kept, not what it said before"
	DeliveriesOfNow   = "deliveries are removed after a while"
)

// Definition is what distinguishes a report that was compiled from a definition: its
// parameters have the types of JSON and others are refused, its pages have cursors, and
// its rows are counted only for those who ask.
type Definition struct {
	// Version identifies the definition in cursors.
	Version string
	// Limit is the maximum number of rows, on all pages together.
	Limit int
	// Day returns the day of a run, which becomes the parameter onDate.
	Day func(in Request, today date.Date) (date.Date, *problem.Error)
	// Prepare makes what @prepared stands for in Core; nil for none.
	Prepare func(r *Run, ctx context.Context) (string, error)
}

// Column is a column of a report.
type Column struct {
	Key, Label string
	Type       value.Type
	// Format is a hint for showing the values; empty for none.
	Format string
	// Measure is set for the number that a chart of the rows shows, of one column at most.
	Measure bool
	// SQL is the value, in terms of q and the joins of Detail.
	SQL string
	// Sort is the column of Core that the column is sorted by; empty if it cannot be
	// sorted by.
	Sort string
	// Sortable is set, in a query with Make, if rows can be sorted by the column.
	Sortable bool
	// From computes the value from that of SQL, which has the type Of.
	From func(r *Run, v any) any
	Of   value.Type
}

// CanSort reports whether rows can be sorted by the column.
func (c Column) CanSort() bool { return c.Sort != "" || c.Sortable }

// Row is a row of a result. Values are in the order of the columns; Keys are those of the
// report.
type Row struct {
	Values []any
	Keys   []int64
}

// Value returns a row's value of the column with a key, which must exist.
func (q *Report) Value(row Row, key string) any {
	return row.Values[slices.IndexFunc(q.Columns, func(c Column) bool { return c.Key == key })]
}

// JSON writes a row as an object, its properties in the order of the columns.
func (q *Report) JSON(row Row) (json.RawMessage, error) {
	b := []byte{'{'}
	for i, c := range q.Columns {
		if i > 0 {
			b = append(b, ',')
		}
		written, err := json.Marshal(row.Values[i])
		if err != nil {
			return nil, err
		}
		b = append(append(append(append(b, '"'), c.Key...), `":`...), written...) // letters, digits and dots
	}
	return append(b, '}'), nil
}

// AllParameters are the parameters of the report, of its scope, and of what was known.
func (q *Report) AllParameters() []Parameter {
	all := slices.Clone(q.Parameters)
	if q.Scoped {
		all = append(all, scopeParameters...)
	}
	if q.Definition == nil && q.OfNow == "" {
		all = append(all, asKnownAt)
	}
	return all
}

// queries are all curated queries, in the order of the catalogue.
var queries = []*Report{
	appointmentStatus, authorizationExpirations, eligibility, headcount, hierarchyChanges, leaderboard, levelChanges, licenseCoverage, licenseExpirations,
	onboardingFunnel, payStatusSummary, payeeReadiness, productionSummary, recruiting, salesAuthorizations, spanOfControl, unlicensedActiveAgents, webhookHealth,
}

// Queries returns the catalogue of curated queries.
func Queries() []*Report { return queries }

func queryOf(slug string) (*Report, error) {
	var slugs []string
	for _, q := range queries {
		if q.Slug == slug {
			return q, nil
		}
		slugs = append(slugs, q.Slug)
	}
	return nil, problem.Missing(problem.NotFoundCode, "There is no query of this name; there are "+strings.Join(slugs, ", "), "slug").With("allowed", slugs)
}

// share is a part as a percentage of a whole, to two decimals; nil if the whole is 0.
func share(part, whole int64) any {
	if whole == 0 {
		return nil
	}
	return money.Amount((20000*part + whole) / (2 * whole))
}
