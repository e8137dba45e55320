package webhooks

import (
	"context"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/events"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// mayHear refuses events of an area whose records the caller may not read: the
// scope that makes subscriptions would otherwise tell of users and applicants. all
// are the names that a subscription is to have; those in heard it has already.
func mayHear(ctx context.Context, all, heard []string) error {
	caller, _ := tenant.CallerFrom(ctx)
	scopes := events.ReadScopes()
	var refused problem.List
	for i, name := range all {
		if slices.Contains(heard, name) {
			continue
		}
		types, _ := events.Resolve([]string{name})
		if len(types) == 0 {
			continue // refused as unknown, or of an older version
		}
		// A name stands for types of one area.
		if t, _ := events.Lookup(types[0]); !caller.HasScope(scopes[t.Area]) {
			refused.Add(&problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode,
				Message: "The caller does not hold the scope " + scopes[t.Area] + ", which reads what these events tell of", Field: []string{"events", strconv.Itoa(i)}})
		}
	}
	return refused.Err()
}

// mayChange is mayHear for a change of a subscription. What it has may stay; but
// who sends its events elsewhere, or switches it on, must be allowed to hear them
// all.
func mayChange(ctx context.Context, sub *Subscription, in Input, fields []string) error {
	heard := sub.Events
	if slices.Contains(fields, "url") || slices.Contains(fields, "isActive") && *in.IsActive.Value {
		heard = nil
	}
	if heard != nil && !slices.Contains(fields, "events") {
		return nil
	}
	return mayHear(ctx, *in.Events.Or(&sub.Events), heard)
}
