// Package insights answers questions about an agency as tables: the curated queries, each
// with its parameters and columns (specification, "Business Insights"). Package facts
// keeps the facts that only insights needs.
package insights

import (
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Service holds the operations of the area. It is safe for concurrent use.
type Service struct {
	store *store.Store
	clock clock.Clock
}

// New returns the service.
func New(s *store.Store, c clock.Clock) *Service {
	return &Service{store: s, clock: c}
}
