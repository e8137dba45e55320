package payee

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
)

// RestoreW9s makes the W9 histories of agents what they were. Their values are rows of W9s,
// which never change.
func RestoreW9s(ctx context.Context, w *record.Writing, all []*record.Restoring[int64]) error {
	return w9Periods.Restore(ctx, w, 0, all)
}

// RestoreDirectDeposit makes bank details the current ones, or none if they are nil, and notes
// what changes.
func (s *Service) RestoreDirectDeposit(ctx context.Context, w *record.Writing, in *BankDetails) error {
	if in != nil {
		var c record.Check
		if CheckBankDetails(&c, in); c.Err() != nil {
			return c.Err()
		}
	}
	differ, err := s.replaceDirectDeposit(ctx, w, w.AgentID, in)
	w.NoteDifferences(w.AgentCode, differ)
	return err
}
