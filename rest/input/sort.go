package input

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/rest/paths"
	"github.com/uplinehq/upline/rest/record"
)

// Sorting holds the properties by which a list can be sorted.
type Sorting struct {
	// Names are the sortable properties, in the order of the enum.
	Names  []string
	values map[string]string
	form   paths.SortForm
}

// split returns the field and the direction of a clause in a form.
func split(f paths.SortForm, clause string) (field, direction string, ok bool) {
	if f == paths.Colon {
		field, direction, _ = strings.Cut(strings.TrimSpace(clause), ":")
		direction, ok = sortDirection(direction)
		return field, direction, ok && field != ""
	}
	switch words := strings.Fields(clause); len(words) {
	case 1:
		return words[0], "ASC", true
	case 2:
		direction, ok = sortDirection(words[1])
		return words[0], direction, ok
	}
	return "", "", false
}

// naturalOrder ends the names of orders that the specification does not have, and REST so
// neither.
const naturalOrder = "_NATURAL"

// NewSorting reads the sortable properties from the type of orderBy.
func NewSorting(schema *ast.Schema, order *ast.Type, form paths.SortForm) *Sorting {
	field := schema.Types[order.Name()].Fields.ForName("field")
	s := &Sorting{values: map[string]string{}, form: form}
	for _, v := range schema.Types[field.Type.Name()].EnumValues {
		if strings.HasSuffix(v.Name, naturalOrder) {
			continue
		}
		name := record.PropertyName(v.Name)
		s.Names = append(s.Names, name)
		s.values[name] = v.Name
	}
	return s
}

// Parse reads a list of clauses; "An unknown sort field gives 400"
// (specification, Limits).
func (s *Sorting) Parse(text string) ([]any, problem.List) {
	var clauses []any
	var found problem.List
	for clause := range strings.SplitSeq(text, ",") {
		name, direction, ok := split(s.form, clause)
		if !ok {
			found.Add(problem.Invalid(problem.InvalidFormat, "must be a list of clauses of the form "+paths.SortForms[s.form].Pattern, "sort"))
			continue
		}
		field, ok := s.values[name]
		if !ok {
			found.Add(problem.Invalid(problem.UnknownSortField, "can only be by "+strings.Join(s.Names, ", "), "sort").With("sortable", s.Names))
			continue
		}
		clauses = append(clauses, map[string]any{"field": field, "direction": direction})
	}
	return clauses, found
}

func sortDirection(word string) (direction string, ok bool) {
	switch strings.ToLower(word) {
	case "asc":
		return "ASC", true
	case "desc":
		return "DESC", true
	}
	return "", false
}
