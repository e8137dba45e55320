package directory

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Kinds says how the settings of an agency are stored, and takes changes of them back.
func (s *Service) Kinds() []*past.Kind {
	lines := make([]fields.Line, 0, len(SettingsFields))
	for _, l := range SettingsFields {
		if l.Name != "master" { // which the operator chooses
			lines = append(lines, l)
		}
	}
	return []*past.Kind{{Entity: Entity, Label: "identifier", Key: "x.identifier", By: restorer{s}, Facts: []*past.Fact{
		{Table: "tenant", Owner: "id", Since: "created_at", Lines: lines, Takes: "tenantSettingsUpdate"}}}}
}

// restorer takes changes of settings back.
type restorer struct{ s *Service }

// Lock locks the agency.
func (r restorer) Lock(ctx context.Context, c *change.Writing, _ []*past.Target) error {
	t, err := read(ctx, c.Tx, "id = $1"+c.ForUpdate(), c.Tenant.ID)
	if err == nil {
		c.StampAfter(t.LastModified)
	}
	return err
}

// Restore sets the settings.
func (r restorer) Restore(ctx context.Context, c *change.Writing, all []*past.Target) error {
	for _, t := range all {
		var in Settings
		for _, l := range SettingsFields {
			if t.Differs(l.Name) == nil {
				continue
			}
			text, err := t.Text(l.Name)
			if err == nil {
				err = l.Parse(&in, text)
			}
			if err != nil {
				return err
			}
		}
		if err := mayShow(ctx, in); err != nil {
			return err
		}
		_, fields, err := update(ctx, c.Tx, c.Tenant.Identifier, in, func(time.Time) (time.Time, error) { return c.Now, nil })
		if err != nil {
			return err
		}
		c.Record(change.EntryOf(Entity, []string{c.Tenant.Identifier}, fields...))
	}
	return nil
}

// Remove refuses: an agency is not made by a change of it.
func (r restorer) Remove(context.Context, *change.Writing, []*past.Target) error {
	return problem.Invalid(problem.NotApplicable, "An agency is not deleted", "sequence")
}

// Restored makes this process read the settings anew.
func (r restorer) Restored(ctx context.Context) { r.s.directory.forget(tenant.From(ctx)) }
