package rest

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/problem"
)

// sorting is what a list can be sorted by.
type sorting struct {
	// names are the sortable properties, in the order of the enum.
	names  []string
	values map[string]string
}

// newSorting reads the sortable properties off the type of orderBy.
func newSorting(schema *ast.Schema, order *ast.Type) *sorting {
	field := schema.Types[order.Name()].Fields.ForName("field")
	s := &sorting{values: map[string]string{}}
	for _, v := range schema.Types[field.Type.Name()].EnumValues {
		name := propertySpelling(v.Name)
		s.names = append(s.names, name)
		s.values[name] = v.Name
	}
	return s
}

// parse reads "a comma-separated list of clauses of the form <field> [asc|desc]
// (default asc …)"; "An unknown sort field gives 400" (specification, Limits).
func (s *sorting) parse(text string) ([]any, problem.List) {
	var clauses []any
	var found problem.List
	for clause := range strings.SplitSeq(text, ",") {
		words := strings.Fields(clause)
		direction, ok := sortDirection(words)
		if !ok {
			found.Add(problem.Invalid(problem.InvalidFormat, "must be a list of clauses of the form <field> [asc|desc]", "sort"))
			continue
		}
		field, ok := s.values[words[0]]
		if !ok {
			found.Add(problem.Invalid(problem.UnknownSortField, "can only be by "+strings.Join(s.names, ", "), "sort").With("sortable", s.names))
			continue
		}
		clauses = append(clauses, map[string]any{"field": field, "direction": direction})
	}
	return clauses, found
}

func sortDirection(words []string) (string, bool) {
	switch {
	case len(words) == 1:
		return "ASC", true
	case len(words) == 2 && strings.EqualFold(words[1], "asc"):
		return "ASC", true
	case len(words) == 2 && strings.EqualFold(words[1], "desc"):
		return "DESC", true
	default:
		return "", false
	}
}
