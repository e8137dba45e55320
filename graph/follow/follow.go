// Package follow sends a subscriber the rows that it asked for, one by one, until it
// leaves or they end, and tells it why they ended.
package follow

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/graph/transport"
	"github.com/uplinehq/upline/internal/platform/tail"
	"github.com/uplinehq/upline/internal/problem"
)

// Rows sends the rows of a subscription until ctx ends. It passes over a row for which
// view returns nil.
func Rows[Row, T any](ctx context.Context, log *slog.Logger, subscribe func(context.Context) (*tail.Subscription[Row], error), view func(context.Context, Row) (*T, error)) (<-chan *T, error) {
	return Until(ctx, log, subscribe, view, func(Row) bool { return false })
}

// Until is like Rows, but the subscription ends with the row for which isLast is true.
func Until[Row, T any](ctx context.Context, log *slog.Logger, subscribe func(context.Context) (*tail.Subscription[Row], error), view func(context.Context, Row) (*T, error), isLast func(Row) bool) (<-chan *T, error) {
	ctx, cancel := context.WithCancel(ctx)
	sub, err := subscribe(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	out := make(chan *T)
	go func() {
		defer close(out)
		defer cancel()
		defer func() {
			if p := recover(); p != nil { // this goroutine has no field around it
				_ = graphql.GetOperationContext(ctx).Recover(ctx, p)
				transport.End(ctx, ended(nil))
			}
		}()
		for row := range sub.Rows {
			shown, err := viewInTime(ctx, row, view)
			if err != nil {
				log.LogAttrs(ctx, refusal.FaultLevel(ctx), "graphql: subscription failed", slog.Any("error", err))
				transport.End(ctx, ended(err))
				return
			}
			if shown == nil {
				continue
			}
			select {
			case out <- shown:
			case <-ctx.Done():
				return
			}
			if isLast(row) {
				return
			}
		}
		if err := sub.Err(); err != nil {
			transport.End(ctx, ended(err))
		}
	}()
	return out, nil
}

func viewInTime[Row, T any](ctx context.Context, row Row, view func(context.Context, Row) (*T, error)) (*T, error) {
	ctx, cancel := context.WithTimeout(ctx, limits.OperationTimeout)
	defer cancel()
	return view(ctx, row)
}

// ended is the error that tells a client why its subscription ended.
func ended(err error) *gqlerror.Error {
	const missed = " can be queried: events in their feed, deliveries in their history."
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return refusal.Error(problem.TooLate())
	case errors.Is(err, tail.ErrTooSlow):
		return refusal.Error(problem.Refused(http.StatusTooManyRequests, "The subscriber did not keep up. What it missed"+missed))
	case errors.Is(err, tail.ErrClosed):
		return refusal.Error(problem.Refused(http.StatusServiceUnavailable, "The server is stopping. What is missed meanwhile"+missed))
	}
	return &gqlerror.Error{Message: "The server could not go on. Name the trace id when you ask for help.", Extensions: map[string]any{"code": refusal.Internal}}
}
