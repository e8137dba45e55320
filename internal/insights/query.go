package insights

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/money"
)

// Query is a curated query. To add one, write a file of its name with a variable
// of this type, and put that into queries; docs/insights.md, the catalogue and
// both doors follow. The rules:
//
//   - Its rows are written by Core, in SQL that names the tenant in every table,
//     or made by Make when they are computed here.
//   - A query that counts or shows agents, or what they did, sets Scoped, unless it
//     is about an agent that the caller names. Then it has the parameters scope and
//     agentCode, and whatever it counts or shows must pass through Run.Within. A
//     caller who is limited to a downline is held to it by the store, in whatever a
//     query reads.
//   - Its test recomputes the rows from scratch on random agencies.
type Query struct {
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
}

// ColumnType is the type of a column's values.
type ColumnType string

// The types of columns, as the catalogue names them.
const (
	Text    ColumnType = "text"
	Integer ColumnType = "integer"
	Decimal ColumnType = "decimal" // a text such as 1234.50, so that no digit is lost
	Day     ColumnType = "date"
	Boolean ColumnType = "boolean"
)

// Column is a column of a curated query.
type Column struct {
	Key, Label string
	Type       ColumnType
	// SQL is its value, in terms of q and the joins of Detail.
	SQL string
	// Sort is the column of Core that the column is sorted by; empty if it cannot be
	// sorted by.
	Sort string
	// Sortable is set, in a query with Make, if rows can be sorted by the column.
	Sortable bool
	// From computes the value from that of SQL, which has the type Of.
	From func(r *Run, v any) any
	Of   ColumnType
}

// CanSort reports whether rows can be sorted by the column.
func (c Column) CanSort() bool { return c.Sort != "" || c.Sortable }

// Row is a row of a result. Values are in the order of the columns: string,
// int64, money.Amount, *money.Sum, date.Date, bool, or nil.
type Row struct {
	Values []any
	Keys   []int64
}

// Value returns a row's value of the column with a key, which must exist.
func (q *Query) Value(row Row, key string) any {
	return row.Values[slices.IndexFunc(q.Columns, func(c Column) bool { return c.Key == key })]
}

// queries are all curated queries, in the order of the catalogue.
var queries = []*Query{
	appointmentStatus,
	eligibility,
	headcount,
	hierarchyChanges,
	leaderboard,
	levelChanges,
	licenseCoverage,
	licenseExpirations,
	onboardingFunnel,
	payStatusSummary,
	payeeReadiness,
	productionSummary,
	recruiting,
	spanOfControl,
	unlicensedActiveAgents,
	webhookHealth,
}

// Queries returns the catalogue.
func Queries() []*Query { return queries }

// AllParameters are the parameters of the query and of its scope.
func (q *Query) AllParameters() []Parameter {
	if !q.Scoped {
		return q.Parameters
	}
	return append(append([]Parameter{}, q.Parameters...), scopeParameters...)
}

// share is a part as a percentage of a whole, to two decimals; nil if the whole is 0.
func share(part, whole int64) any {
	if whole == 0 {
		return nil
	}
	return money.Amount((20000*part + whole) / (2 * whole))
}
