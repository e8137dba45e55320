package identity

// KeepHashing takes every slot and every place in the queue, as sign-ins do that
// never end.
func (s *Service) KeepHashing() {
	for range cap(s.hasher.slots) {
		s.hasher.slots <- struct{}{}
	}
	s.hasher.total = maxWaiting
}
