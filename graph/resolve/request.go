package resolve

import (
	"context"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/read"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// HasScope is the directive @hasScope.
func HasScope(ctx context.Context, _ any, next graphql.Resolver, scope string, or *string) (any, error) {
	if err := NeedsScope(ctx, scope); err != nil && (or == nil || NeedsScope(ctx, *or) != nil) {
		return nil, err
	}
	return next(ctx)
}

// NeedsScope refuses a caller whose token does not hold a scope.
func NeedsScope(ctx context.Context, scope string) error {
	if caller, ok := tenant.CallerFrom(ctx); ok && caller.HasScope(scope) {
		return nil
	}
	refused := problem.Refused(http.StatusForbidden, "The token does not hold the scope "+scope)
	refused.Scope = scope
	return refused
}

// SentInput is the input of a mutation, as it was sent.
func SentInput(ctx context.Context) map[string]any {
	given, _ := graphql.GetFieldContext(ctx).Field.ArgumentMap(graphql.GetOperationContext(ctx).Variables)["input"].(map[string]any)
	return given
}

// defaultDay is the day of the default view, for areas; nil for none.
func defaultDay(ctx context.Context) *date.Date {
	if at, ok := read.DefaultView(ctx); ok {
		return &at.Day
	}
	return nil
}

// UserErrors turns problems into the userErrors of a mutation's payload, given the type
// of its input.
func UserErrors(problems problem.List, input *ast.Definition) []*model.UserError {
	list := make([]*model.UserError, len(problems))
	for i, p := range problems {
		list[i] = &model.UserError{
			Code: model.UserErrorCode(p.Code), Category: model.ErrorCategory(p.Category),
			Message: p.Message, Field: argumentPath(p.Field, input), Details: p.Details,
		}
	}
	return list
}

// argumentPath is the path of a field in a mutation's arguments. Areas know one input
// only; a field that the input does not have is an argument of its own.
func argumentPath(field []string, input *ast.Definition) []string {
	if len(field) == 0 || input == nil || input.Fields.ForName(field[0]) == nil {
		return field
	}
	return append([]string{"input"}, field...)
}
