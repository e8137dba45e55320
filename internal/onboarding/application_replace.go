package onboarding

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// Replace replaces all that the recruit filled in: "a full replacement; an
// omitted section such as w9 or employment is cleared" (Partial updates, 3). It
// reports whether anything changed.
func (s *Service) Replace(ctx context.Context, uid string, in Form) (a *Application, changed bool, err error) {
	if err := in.check(); err != nil {
		return nil, false, err
	}
	return s.rewrite(ctx, uid, func(*Form) (*Form, error) { return &in, nil })
}

// rewrite writes what becomes of a form in its place.
func (s *Service) rewrite(ctx context.Context, uid string, become func(before *Form) (*Form, error)) (a *Application, changed bool, err error) {
	err = s.write(ctx, func(ctx context.Context, w *change.Writing) error {
		if a, err = lockApplication(ctx, w, uid); err != nil {
			return err
		}
		if a.Status != Active && a.Status != Hold {
			return problem.Clash(problem.InvalidTransition, "Only an application that is active or on hold can be changed")
		}
		before, err := s.Form(ctx, a)
		if err != nil {
			return err
		}
		in, err := become(before)
		if err != nil {
			return err
		}
		next, err := in.unmasked(before)
		if err != nil {
			return err
		}
		fields := before.differences(next)
		if changed = len(fields) > 0; !changed {
			return nil
		}
		if err := s.replace(ctx, w, a, before, next); err != nil {
			return err
		}
		if err := noteDifferences(ctx, w, uid, before, next, fields); err != nil {
			return err
		}
		raise(ctx, w, events.ApplicationUpdated, a, fields)
		a, err = findApplication(ctx, w, uid, "")
		return err
	})
	return a, changed, err
}

func (s *Service) replace(ctx context.Context, w *change.Writing, a *Application, before, next *Form) error {
	if !before.sameIdentity(next) {
		if err := lockPeople(ctx, w); err != nil {
			return err
		}
		if err := s.refuseDuplicates(ctx, w, a.ID, next); err != nil {
			return err
		}
	}
	return s.storeForm(ctx, w, a.ID, next)
}

// sameIdentity reports whether two forms identify the same person, so that both have the
// same duplicates.
func (f *Form) sameIdentity(other *Form) bool {
	return text.SearchKey(f.EmailAddress) == text.SearchKey(other.EmailAddress) &&
		(f.GovernmentIdentifier == nil) == (other.GovernmentIdentifier == nil) &&
		slices.Equal(f.identifiers(), other.identifiers())
}
