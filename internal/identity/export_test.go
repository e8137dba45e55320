package identity

import "context"

// KeepHashing takes every slot and every place in the queue, as sign-ins do that
// never end.
func (s *Service) KeepHashing() {
	for range cap(s.hasher.slots) {
		s.hasher.slots <- struct{}{}
	}
	s.hasher.total = maxWaiting
}

// Hashes is how many keys were derived from passwords.
func (s *Service) Hashes() int64 { return s.hasher.derived.Load() }

// SweepAttemptsTo is SweepAttempts with another bound.
func (s *Service) SweepAttemptsTo(ctx context.Context, keep int) error {
	return s.sweepAttempts(ctx, keep)
}

// PublicPart is publicPart.
var PublicPart = publicPart
