package onboarding

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/problem"
)

// ApproveBackground records the agency's approval of a recruit's background, or withdraws
// it. Notes are added to the existing ones: those are the recruit's explanations, which
// the approval is about. It reports whether anything changed.
func (s *Service) ApproveBackground(ctx context.Context, uid string, approved bool, notes *string) (changed bool, err error) {
	err = s.write(ctx, func(ctx context.Context, w *change.Writing) error {
		a, err := lockApplication(ctx, w, uid)
		if err != nil {
			return err
		}
		if !slices.Contains(openStatuses, string(a.Status)) {
			return problem.Clash(problem.InvalidTransition, "The background of an application that is "+a.Status.spelling()+" is no longer approved").
				With("from", string(a.Status)).With("to", string(a.Status))
		}
		before, err := s.Form(ctx, a)
		if err != nil {
			return err
		}
		if changed = !blank(notes) || before.Background == nil || before.Background.Approved != approved; !changed {
			return nil
		}
		fields := []string{"background.approved"}
		if !blank(notes) {
			fields = append(fields, "background.notes")
		}
		if err := s.revise(ctx, w, a, func(f *Form) error { return f.approve(approved, notes) }); err != nil {
			return err
		}
		if _, err := w.Exec(ctx, "UPDATE onboarding_application SET last_modified = $1, last_modified_by = $2 WHERE tenant_id = $3 AND id = $4",
			w.Now, w.Initiator, w.Tenant.ID, a.ID); err != nil {
			return err
		}
		raise(ctx, w, events.ApplicationUpdated, a, fields)
		w.Changed(applicationEntity, a.UID, fields...)
		return nil
	})
	return changed && err == nil, err
}

func (f *Form) approve(approved bool, notes *string) error {
	if f.Background == nil {
		f.Background = new(Background)
	}
	f.Background.Approved = approved
	if notes = check.Trimmed(notes); notes == nil {
		return nil
	}
	all := *notes
	if !blank(f.Background.Notes) {
		all = *f.Background.Notes + "\n" + all
	}
	f.Background.Notes = &all
	var c check.Problems
	c.Text(all, maxNotes, "notes")
	return c.Err()
}

// revise changes the encrypted part of an application.
func (s *Service) revise(ctx context.Context, w *change.Writing, a *Application, f func(*Form) error) error {
	form, err := s.Form(ctx, a)
	if err != nil {
		return err
	}
	if err := f(form); err != nil {
		return err
	}
	document, err := s.sealForm(ctx, w.Tenant.ID, a.ID, form)
	if err != nil {
		return err
	}
	_, err = w.Exec(ctx, "UPDATE onboarding_application SET document = $1 WHERE tenant_id = $2 AND id = $3", document, w.Tenant.ID, a.ID)
	return err
}
