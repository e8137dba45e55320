package recipe_test

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
)

// A second implementation of reports, as plain as it can be: it reads a definition
// as JSON has it and walks through rows in memory. Values are string, int64, bool
// and time.Time; a date is its text, a decimal its hundredths; nil is no value.

type row map[string]any

type naive struct {
	types map[string]string
	rows  []row // in the order of their ids
	// values are those of the parameters.
	values map[string]any
	// day is that of the report.
	day string
}

// run returns the rows of a report as JSON would have them.
func (n naive) run(definition object) [][]any {
	var kept []row
	for _, r := range n.rows {
		if n.matches(definition, r) {
			kept = append(kept, r)
		}
	}
	columns, groupBy := definition["columns"].([]any), texts(definition["groupBy"])
	grouped := len(groupBy) > 0
	for _, c := range columns {
		grouped = grouped || aggregateOf(c) != "none"
	}
	if !grouped {
		groupBy = nil
	}
	var out []answer
	if grouped {
		for _, group := range split(kept, groupBy) {
			out = append(out, n.answer(columns, groupBy, group))
		}
	} else {
		for _, r := range kept {
			out = append(out, n.answer(columns, nil, []row{r}))
		}
	}
	n.sort(definition, groupBy, out)
	if limit, ok := definition["limit"].(int); ok && len(out) > limit {
		out = out[:limit]
	}
	shown := make([][]any, len(out))
	for i, a := range out {
		for _, c := range columns {
			key := keyOf(c)
			shown[i] = append(shown[i], show(a.types[key], a.values[key]))
		}
	}
	return shown
}

// answer is a row of the report: the values that it can be sorted by.
type answer struct {
	values row
	types  map[string]string
}

func (n naive) answer(columns []any, groupBy []string, of []row) answer {
	a := answer{row{}, map[string]string{}}
	for name, typ := range n.types {
		if len(groupBy) == 0 && len(of) == 1 || slices.Contains(groupBy, name) {
			a.values[name], a.types[name] = of[0][name], typ
		}
	}
	for _, c := range columns {
		field := c.(object)["field"].(string)
		if aggregate := aggregateOf(c); aggregate != "none" {
			a.values[keyOf(c)], a.types[keyOf(c)] = n.aggregate(aggregate, field, of)
		}
	}
	return a
}

func (n naive) aggregate(aggregate, field string, of []row) (any, string) {
	typ := n.types[field]
	var values []any
	for _, r := range of {
		if r[field] != nil {
			values = append(values, r[field])
		}
	}
	switch aggregate {
	case "count":
		return int64(len(values)), "integer"
	case "countDistinct":
		distinct := map[any]bool{}
		for _, v := range values {
			distinct[v] = true
		}
		return int64(len(distinct)), "integer"
	}
	if len(values) == 0 {
		if aggregate == "avg" {
			typ = averageType(typ)
		}
		return nil, typ
	}
	switch aggregate {
	case "min":
		return slices.MinFunc(values, compare), typ
	case "max":
		return slices.MaxFunc(values, compare), typ
	}
	total := int64(0)
	for _, v := range values {
		total += v.(int64)
	}
	if aggregate == "sum" {
		return total, typ
	}
	average := new(big.Rat).SetFrac64(total*100, int64(len(values)))
	text := average.FloatString(0) // rounds half away from zero
	v, _ := new(big.Int).SetString(text, 10)
	return v.Int64(), averageType(typ)
}

func averageType(typ string) string {
	return map[string]string{"integer": "decimal", "decimal": "Decimal4"}[typ]
}

func split(rows []row, by []string) [][]row {
	if len(by) == 0 {
		return [][]row{rows}
	}
	var keys []string
	groups := map[string][]row{}
	for _, r := range rows {
		key := ""
		for _, name := range by {
			key += fmt.Sprintf("%T %v|", r[name], r[name])
		}
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], r)
	}
	all := make([][]row, len(keys))
	for i, key := range keys {
		all[i] = groups[key]
	}
	return all
}

func (n naive) sort(definition object, groupBy []string, out []answer) {
	slices.SortStableFunc(out, func(x, y answer) int {
		sorts, _ := definition["sort"].([]any)
		for _, s := range sorts {
			name := s.(object)["field"].(string)
			if c := order(x.types[name], x.values[name], y.values[name], s.(object)["direction"] == "desc"); c != 0 {
				return c
			}
		}
		for _, name := range groupBy {
			if c := order(n.types[name], x.values[name], y.values[name], false); c != 0 {
				return c
			}
		}
		return 0
	})
}

// order compares values: none come last, texts without regard to the case of
// letters first.
func order(typ string, x, y any, desc bool) int {
	if x == nil || y == nil {
		return cmp.Compare(map[bool]int{true: 1}[x == nil], map[bool]int{true: 1}[y == nil])
	}
	c := 0
	if typ == "text" {
		c = cmp.Compare(lower(x.(string)), lower(y.(string)))
	}
	if c == 0 {
		c = compare(x, y)
	}
	if desc {
		return -c
	}
	return c
}

func compare(x, y any) int {
	switch x := x.(type) {
	case string:
		return cmp.Compare(x, y.(string))
	case int64:
		return cmp.Compare(x, y.(int64))
	case time.Time:
		return x.Compare(y.(time.Time))
	case bool:
		return cmp.Compare(map[bool]int{true: 1}[x], map[bool]int{true: 1}[y.(bool)])
	}
	panic(fmt.Sprintf("%T", x))
}

func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 32
		}
		return r
	}, s)
}

// show is a value as the answer has it, once it is read as JSON.
func show(typ string, v any) any {
	switch {
	case v == nil:
		return nil
	case typ == "decimal":
		return new(big.Rat).SetFrac64(v.(int64), 100).FloatString(2)
	case typ == "Decimal4":
		return new(big.Rat).SetFrac64(v.(int64), 10000).FloatString(4)
	case typ == "dateTime":
		return v.(time.Time).Format(time.RFC3339Nano)
	case typ == "integer":
		return float64(v.(int64))
	}
	return v
}

func aggregateOf(column any) string {
	if a, ok := column.(object)["aggregate"].(string); ok {
		return a
	}
	return "none"
}

func keyOf(column any) string {
	field, aggregate := column.(object)["field"].(string), aggregateOf(column)
	if aggregate == "none" {
		return field
	}
	return field + strings.ToUpper(aggregate[:1]) + aggregate[1:]
}

func texts(v any) []string {
	list, _ := v.([]any)
	all := make([]string, len(list))
	for i, one := range list {
		all[i] = one.(string)
	}
	return all
}
