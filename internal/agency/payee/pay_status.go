package payee

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/history"
)

// Statuses are the pay statuses of agents.
var Statuses = &record.DatedValue[string]{
	Dated: record.DatedColumn[string](history.PayStatuses, "status"), Input: "status",
	Refers: func(int64) record.ReferenceTable { return record.PayStatusTable },
	Check: func(c *record.Check, status *string, field string) {
		*status = c.Required(*status, record.MaxText, field)
	},
	Text: record.PlainText, IsEligibility: true,
}

// ApplyPayStatus applies a pay status to a range of days under the history
// rules.
func (s *Service) ApplyPayStatus(ctx context.Context, in record.PeriodInput[string], dryRun bool) (record.Change, error) {
	return Statuses.ApplyPeriod(ctx, s.writer, record.DefaultTeam, in, dryRun)
}

// ImportPayStatuses returns the import of pay status periods by agent and first day, as
// ApplyPayStatus applies them.
func (s *Service) ImportPayStatuses() *imports.Periods[string] {
	return imports.NewPeriods(s.writer, Statuses, bulk.Required(Statuses.Input, "a configured pay status").In(bulk.PayStatuses), (*imports.Row).Plain)
}
