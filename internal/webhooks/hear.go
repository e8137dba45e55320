package webhooks

import (
	"context"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// mayHear refuses events of an area whose objects the caller may not read: otherwise the
// scope that creates subscriptions would reveal users and applicants. all are the names
// that a subscription is to have; it already has those in heard.
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
			continue // refused elsewhere as unknown, or from an older version
		}
		// All types of a name belong to one area.
		if t, _ := events.Lookup(types[0]); !caller.HasScope(scopes[t.Area]) {
			refused.Add(&problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode,
				Message: "The caller does not hold the scope " + scopes[t.Area] + ", which reads what these events tell of", Field: []string{"events", strconv.Itoa(i)}})
		}
	}
	return refused.Err()
}

// mayChange is mayHear for a change of a subscription. It may keep the names it has. But
// a caller who sends its events to another URL, or activates it, must be allowed to
// receive all of them, and the earlier ones that still wait to be sent.
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

// mayHearAgain refuses to send events again of types that the caller may not receive,
// whoever created the subscription: its URL may have changed since.
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
