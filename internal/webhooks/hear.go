package webhooks

import (
	"context"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
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
// all, and those of before that still wait to be sent.
func mayChange(ctx context.Context, w *change.Writing, sub *Subscription, in Input, fields []string) error {
	moved := ""
	switch {
	case slices.Contains(fields, "url"):
		moved = "url"
	case slices.Contains(fields, "isActive") && *in.IsActive.Value:
		moved = "isActive"
	case !slices.Contains(fields, "events"):
		return nil
	default:
		return mayHear(ctx, *in.Events.Value, sub.Events)
	}
	if err := mayHear(ctx, *in.Events.Or(&sub.Events), nil); err != nil {
		return err
	}
	waiting, err := store.Collect(ctx, w, store.ScanOne[string], `SELECT DISTINCT e.type FROM webhook_message m JOIN outbox_event e ON e.tenant_id = m.tenant_id AND e.id = m.event_id
		WHERE m.tenant_id = $1 AND m.subscription_id = $2 AND m.state = 'PENDING' ORDER BY e.type`, w.Tenant.ID, sub.ID)
	if err != nil {
		return err
	}
	return mayHearAgain(ctx, waiting, moved)
}

// mayHearAgain refuses to send events of types that the caller may not hear,
// whatever the subscription was made for: its URL can be another one by now.
func mayHearAgain(ctx context.Context, types []string, field string) error {
	caller, _ := tenant.CallerFrom(ctx)
	scopes := events.ReadScopes()
	var refused problem.List
	var missing []string
	for _, name := range types {
		t, known := events.Lookup(name)
		scope := scopes[t.Area]
		if !known || caller.HasScope(scope) || slices.Contains(missing, scope) {
			continue
		}
		missing = append(missing, scope)
		refused.Add(&problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode, Field: []string{field},
			Message: "The caller does not hold the scope " + scope + ", which reads what some of the events to be sent tell of"})
	}
	return refused.Err()
}
