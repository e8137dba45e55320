// Package certification owns what agents are allowed to sell: their certifications, the
// dated statuses of these, the rules by which an upsert matches one, and the events for
// those that expire. Package reference owns their types.
package certification

import (
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Service has the operations on certifications.
type Service struct {
	store  *store.Store
	clock  clock.Clock
	writer *record.Writer
	// totals keeps the sizes of lists.
	totals *listing.Totals
}

// New returns the service.
func New(s *store.Store, c clock.Clock, w *record.Writer, totals *listing.Totals) *Service {
	return &Service{store: s, clock: c, writer: w, totals: totals}
}
