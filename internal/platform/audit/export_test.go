package audit

// Waiting returns how many callers of Reveal have no answer yet, those of the
// batch that is being written among them.
func (t *Trail) Waiting() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, w := range t.waiting {
		n += len(w)
	}
	return n
}

// Idle reports whether no goroutine of Reveal runs.
func (t *Trail) Idle() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.waiting) == 0
}

// Encoded returns the bytes that the hash of an entry is made over.
func Encoded(r *Row, tenantID int64, before []byte) []byte { return r.encoded(tenantID, before) }
