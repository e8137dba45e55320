package events

import "testing"

// WithPortions bounds the transactions of one NumberAll for a test.
func WithPortions(t *testing.T, n int) {
	before := portionsAtOnce
	portionsAtOnce = n
	t.Cleanup(func() { portionsAtOnce = before })
}
