package recipe

import (
	"strings"

	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/value"
)

// statement is the statement of a report that is being written.
type statement struct {
	*insights.Run
	s *store.SQL
}

// casts give arguments a type on PostgreSQL. Otherwise it gives them the type of what
// they are compared with, and refuses values of another type.
var casts = map[value.Type]string{
	value.Text: "::text", value.Integer: "::bigint", value.Decimal: "::bigint", value.Date: "::date", value.DateTime: "::timestamptz", value.Boolean: "::boolean",
}

func (st *statement) argument(typ value.Type, v any) string {
	if amount, ok := v.(money.Amount); ok {
		v = int64(amount)
	}
	placeholder := st.s.Arg(v)
	if st.Postgres {
		placeholder += casts[typ]
	}
	return placeholder
}

// filter writes a condition. A condition whose parameter was not given is left out; for
// in, the other values count.
func (st *statement) filter(f filter) {
	var values []any
	for _, o := range f.operands {
		v := o.value
		if o.parameter != "" {
			v = st.Parameter(o.parameter)
		}
		if o.days != nil {
			v = st.Day("onDate").AddDays(*o.days)
		}
		if v != nil {
			values = append(values, v)
		}
	}
	if len(values) == 0 || f.operator == "between" && len(values) < 2 {
		return
	}
	st.Write(st.s, " AND "+st.condition(f, values))
}

var comparisons = map[string]string{"gt": " > ", "gte": " >= ", "lt": " < ", "lte": " <= "}

func (st *statement) condition(f filter, values []any) string {
	left := f.on(st.Postgres)
	if f.operator == "isNull" {
		return left + map[bool]string{true: " IS NULL", false: " IS NOT NULL"}[values[0].(bool)]
	}
	if f.operator == "contains" || f.operator == "startsWith" {
		return st.matches(folded(st.Postgres, left), f.operator, foldASCII(values[0].(string)))
	}
	placeholders := make([]string, len(values))
	for i, v := range values {
		placeholders[i] = st.argument(f.Type, v)
	}
	if f.Type == value.Text {
		left = bytewise(st.Postgres, left)
	}
	switch f.operator {
	case "eq":
		return left + " = " + placeholders[0]
	case "ne": // also where there is no value
		return left + " IS DISTINCT FROM " + placeholders[0]
	case "in":
		return left + " IN (" + strings.Join(placeholders, ", ") + ")"
	case "between":
		return "(" + left + " >= " + placeholders[0] + " AND " + left + " <= " + placeholders[1] + ")"
	}
	return left + comparisons[f.operator] + placeholders[0]
}

// matches compares texts without regard to the case of ASCII letters.
func (st *statement) matches(folded, operator, text string) string {
	part := st.argument(value.Text, text)
	switch {
	case operator == "contains" && st.Postgres:
		return "strpos(" + folded + ", " + part + ") > 0"
	case operator == "contains":
		return "instr(" + folded + ", " + part + ") > 0"
	case st.Postgres:
		return "starts_with(" + folded + ", " + part + ")"
	}
	return "substr(" + folded + ", 1, length(" + part + ")) = " + part
}

// foldASCII turns ASCII capitals into small letters, like lower() of both databases: no
// other folding is the same in both.
func foldASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
