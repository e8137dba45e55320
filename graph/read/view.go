package read

import (
	"context"
	"time"

	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/tenant"
)

// AsOf returns the view that a root field reads. The day is that of its argument, or the
// request's default, or today in the tenant's zone. The histories are as they were known
// at an instant, or as they are known now. Everything below inherits the view, and
// whether the client asked for it.
func (e *Engine) AsOf(ctx context.Context, onDate *date.Date, asKnownAt *time.Time) history.AsOf {
	at, ok := DefaultView(ctx)
	switch {
	case onDate != nil:
		at.Day, at.Asked = *onDate, true
	case !ok:
		at.Day = e.Today(ctx)
	}
	if asKnownAt != nil && !asKnownAt.After(e.Clock.Now()) { // nothing is known of the future but what is known now
		at.Known, at.Asked = history.KnownAt(*asKnownAt), true
	}
	return at
}

// asOf returns the view that the arguments of a root field name.
func (e *Engine) asOf(ctx context.Context, args map[string]any) history.AsOf {
	day, _ := args["onDate"].(*date.Date)
	known, _ := args["asKnownAt"].(*time.Time)
	return e.AsOf(ctx, day, known)
}

// Today is the day in the zone of the tenant.
func (e *Engine) Today(ctx context.Context) date.Date {
	return clock.Today(e.Clock, tenant.From(ctx).Zone)
}

// View is the hierarchy of a team as of a day.
func (e *Engine) View(ctx context.Context, team string, at history.AsOf) (hierarchy.View, error) {
	id, err := e.Agency.Team(ctx, team)
	return e.Hierarchy.View(id, at, e.Today(ctx)), err
}

// Asked is the view of a day that the client named.
func Asked(day date.Date) history.AsOf { return history.AsOf{Day: day, Asked: true} }

type defaultViewKey struct{}

// WithDefaultView returns a context with the view that is read when a request names no
// other.
func WithDefaultView(ctx context.Context, at history.AsOf) context.Context {
	return context.WithValue(ctx, defaultViewKey{}, at)
}

// DefaultView is the view that a request reads when it names no other; ok is false if it
// has none, and reads today.
func DefaultView(ctx context.Context) (at history.AsOf, ok bool) {
	at, ok = ctx.Value(defaultViewKey{}).(history.AsOf)
	return at, ok
}

// viewOf is the hierarchy of a team.
func (e *Engine) viewOf(r *plan.Run, team string) (hierarchy.View, error) {
	return e.View(r.Ctx, team, r.At)
}
