// Package label owns what agents are labelled with: their aliases at provider companies
// and their tags. Package reference owns which tags there are.
package label

import (
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Service has the operations on aliases and tags.
type Service struct {
	store  *store.Store
	writer *record.Writer
	// totals keeps the sizes of lists.
	totals *listing.Totals
}

// New returns the service.
func New(s *store.Store, w *record.Writer, totals *listing.Totals) *Service {
	return &Service{store: s, writer: w, totals: totals}
}
