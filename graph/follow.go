package graph

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/refusal"
	"github.com/uplinehq/upline/graph/transport"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/live"
	"github.com/uplinehq/upline/internal/words/problem"
)

// follow returns what a subscription shows of the rows it gets, until ctx ends.
// A row of which view shows nothing is passed over.
func follow[Row, T any](ctx context.Context, r *Resolver, subscribe func(context.Context) (*live.Subscription[Row], error), view func(context.Context, Row) (*T, error)) (<-chan *T, error) {
	return followUntil(ctx, r, subscribe, view, func(Row) bool { return false })
}

// followUntil is follow for what ends: with the row of which isLast is true.
func followUntil[Row, T any](ctx context.Context, r *Resolver, subscribe func(context.Context) (*live.Subscription[Row], error), view func(context.Context, Row) (*T, error), isLast func(Row) bool) (<-chan *T, error) {
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
				r.Log.LogAttrs(ctx, faultLevel(ctx), "graphql: subscription failed", slog.Any("error", err))
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
	ctx, cancel := context.WithTimeout(ctx, operationTimeout)
	defer cancel()
	return view(ctx, row)
}

// ended is what a client is told of the end of its subscription.
func ended(err error) *gqlerror.Error {
	const missed = " can be queried: events in their feed, deliveries in their history."
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return refusal.Error(problem.TooLate())
	case errors.Is(err, live.ErrTooSlow):
		return refusal.Error(problem.Refused(http.StatusTooManyRequests, "The subscriber did not keep up. What it missed"+missed))
	case errors.Is(err, live.ErrClosed):
		return refusal.Error(problem.Refused(http.StatusServiceUnavailable, "The server is stopping. What is missed meanwhile"+missed))
	}
	return &gqlerror.Error{Message: "The server could not go on. Name the trace id when you ask for help.", Extensions: map[string]any{"code": codeInternal}}
}

// eventsThat returns how to subscribe to the events that wants lets through.
func (r *Resolver) eventsThat(wants func(*events.Stored) bool) func(context.Context) (*live.Subscription[*events.Stored], error) {
	return func(ctx context.Context) (*live.Subscription[*events.Stored], error) {
		return r.Live.Subscribe(ctx, wants)
	}
}

func isType(names ...string) func(*events.Stored) bool {
	return func(e *events.Stored) bool { return slices.Contains(names, e.Type) }
}

// isBelow reports whether an agent is a root or in its downline today.
func (r *Resolver) isBelow(ctx context.Context, agentID, rootID int64) (bool, error) {
	if agentID == rootID {
		return true, nil
	}
	view, err := r.view(ctx, agency.DefaultTeam, history.AsOf{Day: r.today(ctx)})
	if err != nil {
		return false, err
	}
	chains, err := view.Chain(ctx, r.Store, []int64{agentID}, math.MaxInt)
	for _, link := range chains[agentID] {
		if link.AgentID == rootID {
			return true, err
		}
	}
	return false, err
}
