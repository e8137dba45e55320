package record

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/enum"
)

// PropertyName turns LAST_NAME into lastName: the value of an order enum
// into the property that "Sortable agent fields" of the specification names.
func PropertyName(value string) string {
	s := enum.Spelled(value)
	if s == "" {
		return ""
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// Spellings returns the REST spelling of each value of an enum. Codes keep their
// spelling: enums whose name ends in Code, as error codes, and countries, as in ISO 3166.
func Spellings(def *ast.Definition) map[string]string {
	spelling := enum.Spelled
	if strings.HasSuffix(def.Name, "Code") || strings.HasSuffix(def.Name, "Country") {
		spelling = func(value string) string { return value }
	}
	spellings := make(map[string]string, len(def.EnumValues))
	for _, v := range def.EnumValues {
		spellings[v.Name] = spelling(v.Name)
	}
	return spellings
}
