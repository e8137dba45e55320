// Package reference is the reference data of an agency: pay statuses, agent levels,
// certification types, jurisdictions, provider companies and tags, how they are defined,
// changed, deleted and imported. Which of them records may refer to package record knows
// (ReferenceTable); which tags an agent wears is the business of label.
package reference

import (
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Service holds the operations on reference data.
type Service struct {
	store  *store.Store
	writer *record.Writer
}

// New returns the service.
func New(s *store.Store, w *record.Writer) *Service { return &Service{store: s, writer: w} }
