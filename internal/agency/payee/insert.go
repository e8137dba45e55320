package payee

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// Papers are the W9 and the bank details of an agent that has none yet; nil for neither.
type Papers struct {
	AgentID int64
	Code    string
	// From is the day from which on the W9 is in force.
	From          date.Date
	W9            *W9Details
	DirectDeposit *BankDetails
}

// Insert adds W9s and bank details. If there are several W9s of an agent, each ends the
// one before.
func Insert(ctx context.Context, v *vault.Vault, w *record.Writing, all []Papers) error {
	var (
		signed   []Papers // those with a W9
		w9s      []record.Row[W9Details]
		deposits []record.Row[BankDetails]
	)
	for _, n := range all {
		if n.W9 != nil {
			signed, w9s = append(signed, n), append(w9s, record.Row[W9Details]{AgentID: n.AgentID, Record: n.W9})
			w.NoteDifferences(n.Code, W9s.Differences(W9Details{}, *n.W9))
		}
		if n.DirectDeposit != nil {
			deposits = append(deposits, record.Row[BankDetails]{AgentID: n.AgentID, Record: n.DirectDeposit})
			w.NoteDifferences(n.Code, Deposits.Differences(BankDetails{}, *n.DirectDeposit))
		}
	}
	ids, err := insertW9s(ctx, v, w, w9s)
	if err != nil {
		return err
	}
	periods := w9Periods.None(0)
	for i, n := range signed {
		if len(periods.Of(n.AgentID)) == 0 {
			periods.Begin(n.AgentID, n.From, ids[i])
		} else if _, err := periods.Apply(w, n.AgentID, history.Period[int64]{From: n.From, Value: ids[i]}); err != nil {
			return err
		}
	}
	if err := periods.Write(ctx, w); err != nil {
		return err
	}
	return insertDeposits(ctx, v, w, deposits)
}

// insertW9s adds W9s and returns their ids.
func insertW9s(ctx context.Context, v *vault.Vault, w *record.Writing, rows []record.Row[W9Details]) ([]int64, error) {
	for i := range rows {
		var indexed any
		if id := rows[i].Record.TaxpayerIdentifier.Value; id != nil {
			index, err := TaxpayerIdentifierIndex(ctx, v, w.Tenant.ID, *id)
			if err != nil {
				return nil, err
			}
			indexed = index
		}
		rows[i].Beside = []any{indexed, w.Now, w.Initiator}
	}
	return W9s.Insert(ctx, v, w, []string{"taxpayer_identifier_index", "created_at", "created_by"}, rows)
}

// insertDeposits adds bank details.
func insertDeposits(ctx context.Context, v *vault.Vault, w *record.Writing, rows []record.Row[BankDetails]) error {
	for i := range rows {
		rows[i].Beside = []any{w.Now, w.Initiator}
	}
	_, err := Deposits.Insert(ctx, v, w, []string{"last_modified", "last_modified_by"}, rows)
	return err
}
