package graph

import (
	"context"
	"strconv"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/graph/selection"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// searchedMasked refuses an operation that searches by a value which its caller sees only
// masked: a match would confirm a guess. Which arguments hold one the directive @sensitive
// says. A mutation does not search.
func (s *Server) searchedMasked(ctx context.Context, op *graphql.OperationContext) (refused gqlerror.List) {
	if op.Operation.Operation == ast.Mutation || tenant.MayReveal(ctx) {
		return nil
	}
	selection.Walk(op.Operation.SelectionSet, func(selected ast.Selection) {
		f, ok := selected.(*ast.Field)
		if !ok || f.Definition == nil {
			return
		}
		given := f.ArgumentMap(op.Variables)
		for _, a := range f.Definition.Arguments {
			if path := s.sensitiveIn(a.Type, given[a.Name], []string{a.Name}); path != nil && refused == nil {
				refused = gqlerror.List{refusal.Error(&problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode, Field: path,
					Message: "The value is masked here, so nothing is found by it; where the agency masks it, to search by it takes the scope read:agents:sensitive"})}
			}
		}
	})
	return refused
}

// sensitiveIn returns the path of a sensitive field that has a value, nil for none.
func (s *Server) sensitiveIn(t *ast.Type, value any, path []string) []string {
	if list, isList := value.([]any); isList {
		for i, one := range list {
			if found := s.sensitiveIn(t.Elem, one, append(path[:len(path):len(path)], strconv.Itoa(i))); found != nil {
				return found
			}
		}
		return nil
	}
	object, isObject := value.(map[string]any)
	if definition := s.schema.Types[t.Name()]; isObject && definition.Kind == ast.InputObject {
		for _, field := range definition.Fields {
			below := append(path[:len(path):len(path)], field.Name)
			if object[field.Name] != nil && field.Directives.ForName("sensitive") != nil {
				return below
			}
			if found := s.sensitiveIn(field.Type, object[field.Name], below); found != nil {
				return found
			}
		}
	}
	return nil
}
