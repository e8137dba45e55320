package recipe

import (
	"encoding/json"
	"slices"

	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/value"
)

// definition is the definition of a recipe of a dataset: the report without the tenant,
// the day and the parameters of a run.
type definition struct {
	dataset    *Dataset
	columns    []column
	filters    []filter
	groupBy    []expression
	sort       []sorting
	chart      string // key of a column of numbers; empty for none
	asOf       string // today, parameter, or a day YYYY-MM-DD
	parameters []insights.Parameter
	// limit is the maximum number of rows, on all pages together.
	limit int
}

// expression is a field of the dataset, or an aggregate of one.
type expression struct {
	*Field
	aggregate string
}

// column is a column of the report.
type column struct {
	expression
	label, format string
}

// filter is a condition; all conditions of a report must hold.
type filter struct {
	*Field
	operator string
	operands []operand
}

// operand is a value that a filter compares with: a value of the definition, the name of
// a parameter, or so many days after the day of the report.
type operand struct {
	parameter string
	value     any
	days      *int
}

// sorting is a clause of the order.
type sorting struct {
	expression
	desc bool
}

// Limits of a definition. They keep a statement within what both databases accept.
const (
	maxDefinition = 64 << 10 // bytes of JSON
	maxColumns    = 50
	maxFilters    = 30
	maxSorts      = 10
	maxParameters = 20
	maxValues     = 100 // of one filter
	maxTextValue  = 1000
	maxDays       = 36_600 // from the day of the report, before and after it
	// MaxRows is the maximum number of rows of a report.
	MaxRows = 10_000
	// maxPage is the maximum number of rows of a page ("maximum set per query", Limits,
	// on Business Insights).
	maxPage = 500
)

// The words of a definition (api "Report recipe").
const (
	asOfToday     = "today"
	asOfParameter = "parameter"

	noAggregate   = "none"
	countOf       = "count"
	countDistinct = "countDistinct"
	sumOf         = "sum"
	avgOf         = "avg"
	minOf         = "min"
	maxOf         = "max"
)

var aggregates = []string{noAggregate, countOf, countDistinct, sumOf, avgOf, minOf, maxOf}

var operators = []string{"eq", "ne", "in", "contains", "startsWith", "gt", "gte", "lt", "lte", "between", "isNull"}

// operators are the operators that fit a field.
func (f *Field) operators() []string {
	switch {
	case f.Type == value.Boolean || f.Values != nil && f.Type == value.Text:
		return []string{"eq", "ne", "in", "isNull"}
	case f.Type == value.Text:
		return operators
	default:
		return []string{"eq", "ne", "in", "gt", "gte", "lt", "lte", "between", "isNull"}
	}
}

// aggregates are the aggregates that fit a field.
func (f *Field) aggregates() []string {
	switch f.Type {
	case value.Integer, value.Decimal:
		return aggregates
	case value.Boolean:
		return []string{noAggregate, countOf, countDistinct}
	default:
		return []string{noAggregate, countOf, countDistinct, minOf, maxOf}
	}
}

// formats are the hints that a column can give for showing its values; they do not change
// the values.
var formats = map[value.Type][]string{
	value.Text: {"text"}, value.Integer: {"number"}, value.Decimal: {"number", "currency", "percent"},
	value.Date: {"date"}, value.DateTime: {"date", "dateTime"}, value.Boolean: {"boolean"},
}

// key is the name of the expression as a column, in rows and in sort.
func (e expression) key() string {
	if e.aggregate == noAggregate {
		return e.Name
	}
	return e.Name + string(e.aggregate[0]-'a'+'A') + e.aggregate[1:]
}

// typ is the type of the values.
func (e expression) typ() value.Type {
	switch e.aggregate {
	case countOf, countDistinct:
		return value.Integer
	case avgOf:
		return value.Decimal
	}
	return e.Type
}

// grouped reports whether a row of the report stands for several rows of the dataset.
func (d *definition) grouped() bool {
	return len(d.groupBy) > 0 || slices.ContainsFunc(d.columns, func(c column) bool { return c.aggregate != noAggregate })
}

// normal returns a definition as JSON has it, with numbers as json.Number, and its text.
func normal(definition map[string]any) (map[string]any, []byte, error) {
	text, err := json.Marshal(definition)
	if err != nil {
		return nil, nil, err
	}
	decoded, err := value.Object(text)
	return decoded, text, err
}
