// Package refusal writes refusals in the form of GraphQL errors. Such an error keeps its
// problem as a Go error, so that a door which runs operations in process reads the
// problem itself, and not its text.
package refusal

import (
	"context"
	"errors"
	"log/slog"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/internal/problem"
)

// BadUserInput is the extensions.code for what is wrong with a request.
const BadUserInput = "BAD_USER_INPUT"

// Internal is the extensions.code of a fault of the server.
const Internal = "INTERNAL_SERVER_ERROR"

// Status holds the codes that decide the HTTP status of a response without data, whatever
// its media type.
var Status = map[string]int{
	problem.Unauthenticated:     401,
	"FORBIDDEN":                 403,
	"COST_LIMIT_EXCEEDED":       400,
	problem.RateLimited:         429,
	"PERSISTED_QUERY_NOT_FOUND": 200,
	problem.Timeout:             504,
	"UNAVAILABLE":               503,
	Internal:                    500,
}

// Error returns a refusal as an error of a response.
func Error(p *problem.Error) *gqlerror.Error {
	return &gqlerror.Error{Err: p, Message: p.Message, Extensions: extensions(p)}
}

func extensions(p *problem.Error) map[string]any {
	ext := map[string]any{"code": code(p)}
	if p.Status == 0 {
		ext["reason"], ext["category"] = p.Code, p.Category
	}
	if p.Field != nil {
		ext["field"] = p.Field
	}
	if p.Details != nil {
		ext["details"] = p.Details
	}
	if p.RetryAfter > 0 {
		ext["retryAfter"] = p.RetryAfter
	}
	if p.Scope != "" {
		ext["requiredScope"] = p.Scope
	}
	return ext
}

// code returns the GraphQL code of a refusal; GraphQL has fewer codes.
func code(p *problem.Error) string {
	switch {
	case p.Category == problem.Forbidden:
		return string(problem.ForbiddenCode)
	case p.Status == 0, p.Code == problem.InvalidRequest:
		return BadUserInput
	}
	return string(p.Code)
}

// Of returns the refusal that an error of a response stands for, nil for a fault of the
// server. Errors that GraphQL itself finds in a variable carry no problem.
func Of(err *gqlerror.Error) *problem.Error {
	if problems := problem.From(err); problems != nil {
		return problems[0]
	}
	code, _ := err.Extensions["code"].(string)
	switch status := Status[code]; {
	case code == BadUserInput:
		return problem.Invalid(problem.InvalidFormat, err.Message)
	case status >= 400 && code != Internal:
		refused := problem.Refused(status, err.Message)
		refused.Code = problem.Code(code)
		return refused
	}
	return nil
}

// FaultLevel is the level at which a fault is logged: debug if the client has left, which
// ends the work done for it.
func FaultLevel(ctx context.Context) slog.Level {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return slog.LevelDebug
	}
	return slog.LevelError
}
