package change

import (
	"context"

	"github.com/uplinehq/upline/internal/check"
)

type reasonKey struct{}

// maxReason limits the reason of a change, in characters.
const maxReason = 500

// WithReason returns a context whose changes have a reason, as the caller said it. The
// first change refuses one that cannot be kept.
func WithReason(ctx context.Context, reason string) context.Context {
	return context.WithValue(ctx, reasonKey{}, reason)
}

// WithDefaultReason is WithReason for changes that the caller gave no reason for.
func WithDefaultReason(ctx context.Context, reason string) context.Context {
	if ctx.Value(reasonKey{}) != nil {
		return ctx
	}
	return WithReason(ctx, reason)
}

// WithAnother adds to the reason of a context what else a change rests on.
func WithAnother(ctx context.Context, why string) context.Context {
	if said, _ := ctx.Value(reasonKey{}).(string); said != "" {
		why += ". " + said
	}
	return WithReason(ctx, why)
}

// reasonFrom returns the reason of a context; empty for none.
func reasonFrom(ctx context.Context) (string, error) {
	said, ok := ctx.Value(reasonKey{}).(string)
	if !ok {
		return "", nil
	}
	var c check.Problems
	reason := c.Optional(&said, maxReason, "reason")
	if err := c.Err(); err != nil || reason == nil {
		return "", err
	}
	return *reason, nil
}
