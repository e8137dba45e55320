package identity

import "context"

// Hashes is how many keys were derived from passwords.
func (s *Service) Hashes() int64 { return s.hasher.derived.Load() }

// SweepAttemptsTo is SweepAttempts with another bound.
func (s *Service) SweepAttemptsTo(ctx context.Context, keep int) error {
	return s.sweepAttempts(ctx, keep)
}
