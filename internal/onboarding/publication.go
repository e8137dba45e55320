package onboarding

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
)

// The types of objects in audit entries of publications.
const (
	configurationEntity = "AppConfiguration"
	questionEntity      = "BackgroundQuestion"
	contractEntity      = "Contract"
)

// publishing publishes what recruits are asked. It is safe for concurrent use.
type publishing struct {
	*writes
	agency Agency
}

// publish runs a publication. Publications of a tenant run one after the other, so that
// each numbers its version after all others, and finds the version that it replaces.
func (s *publishing) publish(ctx context.Context, f func(ctx context.Context, w *change.Writing) error) error {
	return s.write(ctx, func(ctx context.Context, w *change.Writing) error {
		var locked int64
		if _, err := store.One(ctx, w, []any{&locked}, "SELECT id FROM tenant WHERE id = $1"+w.ForUpdate(), w.Tenant.ID); err != nil {
			return err
		}
		return f(ctx, w)
	})
}

// raisePublication adds the event of a publication.
func raisePublication(ctx context.Context, w *change.Writing, eventType, version string) {
	w.Raise(events.PublicationEvent(eventType, version, audit.OriginFrom(ctx).Operation, w.Initiator))
}
