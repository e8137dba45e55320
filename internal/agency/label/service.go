// Package label is what agents are also known by: their aliases at provider companies,
// and the tags they wear. Which tags there are package reference keeps.
package label

import (
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Service holds the operations on aliases and tags.
type Service struct {
	store  *store.Store
	writer *record.Writer
	// totals keeps how many rows lists have.
	totals *listing.Totals
}

// New returns the service.
func New(s *store.Store, w *record.Writer, totals *listing.Totals) *Service {
	return &Service{store: s, writer: w, totals: totals}
}
