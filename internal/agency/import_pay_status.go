package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
)

// PayStatusImport imports pay status periods by agent and first day, as
// ApplyPayStatus has them.
type PayStatusImport struct{ s *Service }

// ImportPayStatuses returns the import of pay status periods.
func (s *Service) ImportPayStatuses() *PayStatusImport { return &PayStatusImport{s} }

var payStatusImportColumns = periodImportColumns(bulk.Required("status", "a configured pay status"))

// Columns are those that a file may have.
func (p *PayStatusImport) Columns() []bulk.Column { return payStatusImportColumns.All }

// Apply applies pay status periods.
func (p *PayStatusImport) Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	ctx, im, err := p.s.writer.Import(ctx, tx, rows, initiator)
	if err != nil {
		return nil, err
	}
	return applyPeriods(ctx, im, periodImport[string]{
		columns: payStatusImportColumns, field: "status", column: "status", table: payStatusTable, histories: historiesLike(payStatusTimeline(0)),
		value: func(r *rowReader) string { return r.Required(r.Plain("status"), maxText, "status") },
	}, rows)
}
