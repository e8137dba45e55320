package reference

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Import imports reference data of one kind by its key. It creates what does not exist
// and changes what differs, with the operations of a single record.
type Import struct {
	s       *Service
	columns bulk.Columns
	// key is the column of the key.
	key string
	put func(ctx context.Context, w *record.Writing, r *imports.Row) (bulk.Outcome, error)
}

// Columns returns the columns that a file may have.
func (i *Import) Columns() []bulk.Column { return i.columns.All }

// Apply creates and changes reference data, one row after the other: there is little of
// it, and a row may depend on the one before.
func (i *Import) Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	ctx, im, err := imports.Begin(ctx, i.s.writer, tx, rows, initiator)
	if err != nil {
		return nil, err
	}
	for n, row := range rows {
		r, w := imports.ReadRow(i.columns, row), im.Alone()
		var c record.Check
		key := r.Field(i.key)
		if c.Kept(&key, record.MaxName, i.key); len(c.List) == 0 {
			im.Called(n, r.Plain(i.key))
		}
		outcome, err := i.put(ctx, w, r)
		refused, fault := im.RefuseErr(n, err)
		if fault != nil {
			return nil, fault
		}
		if im.Refuse(n, r.List) || refused || outcome == bulk.Unchanged {
			continue
		}
		im.Done(n, outcome)
		im.Keep(w)
	}
	return im.Finish(ctx)
}

// ImportPayStatusReference returns the import of the pay statuses that an agency defines.
func (s *Service) ImportPayStatusReference() *Import {
	return imported(s, payStatuses, nil)
}

// ImportAgentLevels returns the import of the agent levels of the default team.
func (s *Service) ImportAgentLevels() *Import {
	return imported(s, levelsOf(0), levelsOfDefaultTeam)
}

// ImportCertificationTypes returns the import of certification types.
func (s *Service) ImportCertificationTypes() *Import {
	return imported(s, certificationTypes, nil)
}

// ImportJurisdictions returns the import of jurisdictions.
func (s *Service) ImportJurisdictions() *Import {
	return imported(s, jurisdictions, nil)
}

// ImportTags returns the import of tags.
func (s *Service) ImportTags() *Import { return imported(s, tags, nil) }

// ImportProducts returns the import of products.
func (s *Service) ImportProducts() *Import { return imported(s, products, nil) }

// ImportProviderCompanies returns the import of provider companies.
func (s *Service) ImportProviderCompanies() *Import {
	return imported(s, providerCompanies, nil)
}
