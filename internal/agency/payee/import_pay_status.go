package payee

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
)

// PayStatusImport imports pay status periods by agent and first day, as ApplyPayStatus
// does.
type PayStatusImport struct{ s *Service }

// ImportPayStatuses returns the import of pay status periods.
func (s *Service) ImportPayStatuses() *PayStatusImport { return &PayStatusImport{s} }

var payStatusImportColumns = imports.PeriodColumns(bulk.Required("status", "a configured pay status"))

// Columns returns the columns that a file may have.
func (p *PayStatusImport) Columns() []bulk.Column { return payStatusImportColumns.All }

// Apply applies pay status periods.
func (p *PayStatusImport) Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	ctx, im, err := imports.Begin(ctx, p.s.writer, tx, rows, initiator)
	if err != nil {
		return nil, err
	}
	return imports.ApplyPeriods(ctx, im, imports.Periods[string]{
		Columns: payStatusImportColumns, Field: "status", Column: "status", Table: record.PayStatusTable, Histories: imports.HistoriesLike(StatusTimeline(0)),
		Value: func(r *imports.Row) string { return r.Required(r.Plain("status"), record.MaxText, "status") },
	}, rows)
}
