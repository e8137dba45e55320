package onboarding

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/problem"
)

// Validation is what an application lacks of what is published at a moment.
type Validation struct {
	// Problems is empty when the application "is complete and ready to submit"
	// (Agent Onboarding, "Validation responses").
	Problems             problem.List
	CheckedAt            time.Time
	ConfigurationVersion int
}

// Validate "checks a saved application against the current configuration without
// changing it" (Agent Onboarding, POST /applications/{id}/validation).
func (s *Service) Validate(ctx context.Context, a *Application) (*Validation, error) {
	p, err := s.Published(ctx)
	if err != nil {
		return nil, err
	}
	f, err := s.Form(ctx, a)
	if err != nil {
		return nil, err
	}
	return &Validation{validate(f, p), s.clock.Now(), p.Configuration.Version}, nil
}

// AllowedTransitions are the statuses that an application can get next, as far as
// that depends on its status and the configuration.
func (s *Service) AllowedTransitions(ctx context.Context, a *Application) ([]Status, error) {
	c, err := configuration(ctx, s.store)
	if err != nil {
		return nil, err
	}
	return a.allowed(c), nil
}
