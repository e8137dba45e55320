package recipe

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Definition is the definition of a recipe of a dataset: the report without the tenant,
// the day and the parameters of a run.
type Definition struct {
	Columns    []Column
	Filters    []Filter
	GroupBy    []string
	Sort       []Sort
	AsOf       string // today, parameter, or a day YYYY-MM-DD
	Parameters []Parameter
	// Limit is the maximum number of rows, on all pages together.
	Limit int
}

// Column is a column of a report.
type Column struct {
	Field, Label, Format, Aggregate string
}

// Filter is a condition; all conditions of a report must hold.
type Filter struct {
	Field, Operator string
	Operands        []Operand
}

// Operand is a value that a filter compares with: a value of the definition, or the name
// of a parameter.
type Operand struct {
	Parameter string
	// Value has the type of the field: string, int64, date.Date, time.Time, bool;
	// a decimal is an int64 in hundredths.
	Value any
}

// Sort is a clause of the order, by the key of a column or by a field.
type Sort struct {
	Field string
	Desc  bool
}

// Parameter is a value that a run gives.
type Parameter struct {
	Name     string
	Type     FieldType
	Required bool
	// Default is nil for none. If a parameter is not given and has no default, the
	// filters with it are left out.
	Default any
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
	// MaxRows is the maximum number of rows of a report.
	MaxRows = 10_000
	// defaultPage and maxPage are the rows of a page ("default 50; maximum set per
	// query", Limits, on Business Insights).
	defaultPage = 50
	maxPage     = 500
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

// operatorsOf are the operators that fit a field.
func operatorsOf(f *Field) []string {
	switch {
	case f.Type == BooleanField || f.Values != nil && f.Type == StringField:
		return []string{"eq", "ne", "in", "isNull"}
	case f.Type == StringField:
		return operators
	default:
		return []string{"eq", "ne", "in", "gt", "gte", "lt", "lte", "between", "isNull"}
	}
}

// aggregatesOf are the aggregates that fit a type.
func aggregatesOf(t FieldType) []string {
	switch t {
	case IntField, DecimalField:
		return aggregates
	case BooleanField:
		return []string{noAggregate, countOf, countDistinct}
	default:
		return []string{noAggregate, countOf, countDistinct, minOf, maxOf}
	}
}

// formats are the hints that a column can give for showing its values; they do not change
// the values.
var formats = map[FieldType][]string{
	StringField: {"text"}, IntField: {"number"}, DecimalField: {"number", "currency", "percent"},
	DateField: {"date"}, DateTimeField: {"date", "dateTime"}, BooleanField: {"boolean"},
}

// key is the name of the column in rows.
func (c Column) key() string {
	if c.Aggregate == noAggregate {
		return c.Field
	}
	return c.Field + string(c.Aggregate[0]-'a'+'A') + c.Aggregate[1:]
}

// grouped reports whether a row of the report stands for several rows of the dataset.
func (d *Definition) grouped() bool {
	if len(d.GroupBy) > 0 {
		return true
	}
	for _, c := range d.Columns {
		if c.Aggregate != noAggregate {
			return true
		}
	}
	return false
}

// typeOf is the type of the values of a column.
func (c Column) typeOf(f *Field) FieldType {
	switch c.Aggregate {
	case countOf, countDistinct:
		return IntField
	case avgOf:
		return DecimalField
	}
	return f.Type
}

// normal returns a definition as JSON has it, with numbers as json.Number, and its text.
func normal(definition map[string]any) (map[string]any, []byte, error) {
	text, err := json.Marshal(definition)
	if err != nil {
		return nil, nil, err
	}
	decoded, err := decode(text)
	return decoded, text, err
}

func decode(text []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var decoded map[string]any
	return decoded, decoder.Decode(&decoded)
}

func below(path []string, steps ...string) []string {
	return append(append(make([]string, 0, len(path)+len(steps)), path...), steps...)
}

func at(path []string, i int) []string { return below(path, strconv.Itoa(i)) }
