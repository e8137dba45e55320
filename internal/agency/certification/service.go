// Package certification is what agents are allowed to sell: their certifications, the
// dated statuses of these, who matches whom when one is added again, and the notice of
// those that expire. The types they are of are reference data, which package reference
// keeps.
package certification

import (
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/clock"
)

// Service holds the operations on certifications.
type Service struct {
	store  *store.Store
	clock  clock.Clock
	writer *record.Writer
	// totals keeps how many rows lists have.
	totals *listing.Totals
}

// New returns the service.
func New(s *store.Store, c clock.Clock, w *record.Writer, totals *listing.Totals) *Service {
	return &Service{store: s, clock: c, writer: w, totals: totals}
}
