// Package reference owns the reference data of an agency: pay statuses, agent levels,
// certification types, jurisdictions, provider companies, tags and products, and how they are
// defined, changed, deleted and imported. Package record knows which of them other
// records may name (ReferenceTable); package label owns which tags an agent has.
package reference

import (
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Service has the operations on reference data.
type Service struct {
	store  *store.Store
	writer *record.Writer
}

// New returns the service.
func New(s *store.Store, w *record.Writer) *Service { return &Service{store: s, writer: w} }
