package recipe_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/date"
)

func (n naive) matches(definition object, r row) bool {
	filters, _ := definition["filters"].([]any)
	for _, f := range filters {
		f := f.(object)
		operator, typ := f["operator"].(string), n.types[f["field"].(string)]
		if operator == "isNull" {
			typ = "boolean"
		}
		if !n.matchesOne(operator, r[f["field"].(string)], n.operands(typ, f["value"])) {
			return false
		}
	}
	return true
}

// operands are the values that a filter compares with, read back from JSON.
func (n naive) operands(typ string, v any) []any {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var values []any
	for _, one := range list {
		if p, ok := one.(object); ok {
			if days, relative := p["days"].(int); relative {
				from, _ := date.Parse(n.day)
				one = from.AddDays(days).String()
			} else {
				one = n.values[p["parameter"].(string)]
			}
		}
		if one == nil {
			continue
		}
		values = append(values, read(typ, one))
	}
	return values
}

func read(typ string, v any) any {
	switch {
	case typ == "decimal":
		r, _ := new(big.Rat).SetString(fmt.Sprint(v))
		return new(big.Int).Div(new(big.Int).Mul(r.Num(), big.NewInt(100)), r.Denom()).Int64()
	case typ == "dateTime":
		at, _ := time.Parse(time.RFC3339, v.(string))
		return at
	}
	if i, ok := v.(int); ok {
		return int64(i)
	}
	return v
}

func (n naive) matchesOne(operator string, v any, with []any) bool {
	if len(with) == 0 || operator == "between" && len(with) < 2 {
		return true // compares with a parameter that was not given
	}
	if operator == "isNull" {
		return (v == nil) == with[0].(bool)
	}
	if operator == "ne" {
		return v == nil || compare(v, with[0]) != 0
	}
	if v == nil {
		return false
	}
	switch operator {
	case "eq":
		return compare(v, with[0]) == 0
	case "in":
		return slices.ContainsFunc(with, func(w any) bool { return compare(v, w) == 0 })
	case "contains":
		return strings.Contains(lower(v.(string)), lower(with[0].(string)))
	case "startsWith":
		return strings.HasPrefix(lower(v.(string)), lower(with[0].(string)))
	case "gt":
		return compare(v, with[0]) > 0
	case "gte":
		return compare(v, with[0]) >= 0
	case "lt":
		return compare(v, with[0]) < 0
	case "lte":
		return compare(v, with[0]) <= 0
	case "between":
		return compare(v, with[0]) >= 0 && compare(v, with[1]) <= 0
	}
	panic(operator)
}
