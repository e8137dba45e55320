package directory

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Service is what an agency's own administrators can do with their tenant.
type Service struct {
	directory *Directory
	writer    *change.Writer
}

// NewService returns the service. Its changes show at once in the directory of this
// process.
func NewService(d *Directory, v *vault.Vault) *Service {
	return &Service{directory: d, writer: change.New(d.store, d.clock, v)}
}

// Entity is the type of a tenant in the audit trail.
const Entity = "Tenant"

// Update changes settings of the context's tenant, and returns the changed tenant.
// changed is false if nothing differs. The master agency is chosen by the operator, since
// this tenant then sees codes of another one.
func (s *Service) Update(ctx context.Context, in Settings) (t *tenant.Tenant, changed bool, err error) {
	if in.Master.Sent || in.MasterID.Sent {
		return nil, false, problem.Invalid(problem.NotApplicable, "Is chosen by the operator", "master")
	}
	var nulls problem.List
	for _, l := range SettingsFields {
		if l.Of(&in).IsNull() {
			nulls.Add(problem.Invalid(problem.NullNotAllowed, "Must not be null", l.Name))
		}
	}
	if err := nulls.Err(); err != nil {
		return nil, false, err
	}
	if err := mayShow(ctx, in); err != nil {
		return nil, false, err
	}
	caller, _ := tenant.CallerFrom(ctx)
	err = s.writer.Write(ctx, caller.Subject, func(ctx context.Context, w *change.Writing) error {
		now, fields, err := update(ctx, w.Tx, w.Tenant.Identifier, in, func(lastModified time.Time) (time.Time, error) {
			err := w.CheckVersion(ctx, lastModified)
			return w.Now, err
		})
		if t, changed = now, len(fields) > 0; changed {
			w.Record(change.EntryOf(Entity, []string{t.Identifier}, fields...))
		}
		return err
	})
	if err == nil {
		s.directory.forget(t)
	}
	return t, changed, err
}

// mayShow refuses to turn masks off for a caller who sees no sensitive values.
func mayShow(ctx context.Context, in Settings) error {
	if mask := in.MaskSensitive.Value; mask == nil || *mask || tenant.MayReveal(ctx) {
		return nil
	}
	return &problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode,
		Message: "Turning maskSensitive off takes the scope read:agents:sensitive: only a caller who may see sensitive values may show them to others", Field: []string{"maskSensitive"}}
}
