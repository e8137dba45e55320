package store

import "sync"

// signals tell listeners in the same process what its transactions committed. They only
// shorten the waiting: other processes do not hear them, so every listener also looks
// from time to time.
type signals struct {
	mu        sync.RWMutex
	listeners map[string][]func(tenantID int64)
}

// raised is a signal of a transaction that is not committed yet.
type raised struct {
	topic    string
	tenantID int64
}

// Listen registers f to be called after each commit of a transaction that raised a
// signal. f must return at once.
func (s *Store) Listen(topic string, f func(tenantID int64)) {
	s.signals.mu.Lock()
	defer s.signals.mu.Unlock()
	if s.signals.listeners == nil {
		s.signals.listeners = map[string][]func(int64){}
	}
	s.signals.listeners[topic] = append(s.signals.listeners[topic], f)
}

// Signal raises a signal when the transaction is committed.
func (t *Tx) Signal(topic string, tenantID int64) {
	t.raised = append(t.raised, raised{topic, tenantID})
}

func (s *signals) send(all []raised) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, r := range all {
		for _, f := range s.listeners[r.topic] {
			f(r.tenantID)
		}
	}
}
