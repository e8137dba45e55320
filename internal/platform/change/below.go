package change

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// Below refuses one more when a count has reached its limit. Two writes at once may both
// pass: it keeps tables small, and promises no exact number.
func Below(ctx context.Context, q store.Querier, limit int, message, count string, args ...any) error {
	var n int
	_, err := store.One(ctx, q, []any{&n}, count, args...)
	if err == nil && n >= limit {
		err = problem.Clash(problem.OutOfRange, message).With("max", limit)
	}
	return err
}
