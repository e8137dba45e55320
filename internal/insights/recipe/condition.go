package recipe

import "strings"

// casts give arguments a type on PostgreSQL. Otherwise it gives them the type of what
// they are compared with, and refuses values of another type.
var casts = map[FieldType]string{
	StringField: "::text", IntField: "::bigint", DecimalField: "::bigint", DateField: "::date", DateTimeField: "::timestamptz", BooleanField: "::boolean",
}

func (st *statement) argument(typ FieldType, v any) string {
	placeholder := st.s.Arg(v)
	if st.postgres {
		placeholder += casts[typ]
	}
	return placeholder
}

// filter writes a condition. A condition whose parameter was not given is left out; for
// in, the other values count.
func (st *statement) filter(f Filter) {
	var values []any
	for _, o := range f.Operands {
		v := o.Value
		if o.Parameter != "" {
			v = st.values[o.Parameter]
		}
		if v != nil {
			values = append(values, v)
		}
	}
	if len(values) == 0 || f.Operator == "between" && len(values) < 2 {
		return
	}
	st.s.Write(" AND " + st.condition(st.field(f.Field), f.Operator, values))
}

var comparisons = map[string]string{"gt": " > ", "gte": " >= ", "lt": " < ", "lte": " <= "}

func (st *statement) condition(e shown, operator string, values []any) string {
	if operator == "isNull" {
		return e.sql + map[bool]string{true: " IS NULL", false: " IS NOT NULL"}[values[0].(bool)]
	}
	if operator == "contains" || operator == "startsWith" {
		return st.matches(e, operator, foldASCII(values[0].(string)))
	}
	placeholders := make([]string, len(values))
	for i, v := range values {
		placeholders[i] = st.argument(e.typ, v)
	}
	left := e.sql
	if e.typ == StringField {
		left = st.bytewise(left)
	}
	switch operator {
	case "eq":
		return left + " = " + placeholders[0]
	case "ne": // also where there is no value
		return left + " IS DISTINCT FROM " + placeholders[0]
	case "in":
		return left + " IN (" + strings.Join(placeholders, ", ") + ")"
	case "between":
		return "(" + left + " >= " + placeholders[0] + " AND " + left + " <= " + placeholders[1] + ")"
	}
	return left + comparisons[operator] + placeholders[0]
}

// matches compares texts without regard to the case of ASCII letters.
func (st *statement) matches(e shown, operator, text string) string {
	folded, part := st.folded(e.sql), st.argument(StringField, text)
	switch {
	case operator == "contains" && st.postgres:
		return "strpos(" + folded + ", " + part + ") > 0"
	case operator == "contains":
		return "instr(" + folded + ", " + part + ") > 0"
	case st.postgres:
		return "starts_with(" + folded + ", " + part + ")"
	}
	return "substr(" + folded + ", 1, length(" + part + ")) = " + part
}
