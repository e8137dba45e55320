// Package refusal writes refusals as GraphQL has them. The error of a response keeps
// its problem as a Go error, so that a door which runs operations in process reads that
// and not what is written of it.
package refusal

import (
	"context"
	"errors"
	"log/slog"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/internal/words/problem"
)

// BadUserInput is the extensions.code of what is wrong with a request.
const BadUserInput = "BAD_USER_INPUT"

// Internal is the extensions.code of a fault of the server.
const Internal = "INTERNAL_SERVER_ERROR"

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

// code is that of GraphQL, which knows fewer.
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
// server. What GraphQL itself finds wrong with a variable carries no problem.
func Of(err *gqlerror.Error) *problem.Error {
	if problems := problem.From(err); problems != nil {
		return problems[0]
	}
	if err.Extensions["code"] == BadUserInput {
		return problem.Invalid(problem.InvalidFormat, err.Message)
	}
	return nil
}

// FaultLevel is the level of a fault in the log: a detail when the client left, which
// ends what is done for it.
func FaultLevel(ctx context.Context) slog.Level {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return slog.LevelDebug
	}
	return slog.LevelError
}
