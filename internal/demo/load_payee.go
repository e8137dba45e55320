package demo

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// The encrypted columns of payees.
var (
	w9Secrets      = []string{"account_number", "taxpayer_identifier", "signature"}
	depositSecrets = []string{"routing_number", "institution_number", "transit_number", "account_number"}
)

// payeeRows are the W9s and bank details of a batch, in order: their ids and
// what is stored of their sensitive values.
type payeeRows struct {
	w9IDs, depositIDs []int64
	w9Sealed          [][]any // the blind index, then w9Secrets
	depositSealed     [][]any // depositSecrets
}

// preparePayees takes the ids of W9s and bank details and encrypts their values,
// which are bound to them.
func (b *batch) preparePayees(ctx context.Context) (err error) {
	var w9s []*W9
	var deposits []*DirectDeposit
	for i := range b.agents {
		a := &b.agents[i]
		for n := range a.W9Periods {
			w9s = append(w9s, &a.W9Periods[n].Value)
		}
		if a.DirectDeposit != nil {
			deposits = append(deposits, a.DirectDeposit)
		}
	}
	p := &b.payees
	if p.w9IDs, p.w9Sealed, err = reserveSealed(ctx, b, "agency_w9", w9s, b.sealW9); err != nil {
		return err
	}
	p.depositIDs, p.depositSealed, err = reserveSealed(ctx, b, "agency_direct_deposit", deposits, b.sealDeposit)
	return err
}

func reserveSealed[T any](ctx context.Context, b *batch, table string, rows []T, seal func(context.Context, int64, T) ([]any, error)) (ids []int64, sealed [][]any, err error) {
	if ids, err = b.tx.NewIDs(ctx, table, len(rows)); err != nil {
		return nil, nil, err
	}
	sealed = make([][]any, len(rows))
	for n, row := range rows {
		if sealed[n], err = seal(ctx, ids[n], row); err != nil {
			return nil, nil, err
		}
	}
	return ids, sealed, nil
}

func (b *batch) sealW9(ctx context.Context, id int64, w *W9) ([]any, error) {
	index, err := payee.TaxpayerIdentifierIndex(ctx, b.vault, b.tenant.ID, w.TaxpayerIdentifier)
	if err != nil {
		return nil, err
	}
	sealed, err := b.sealRow(ctx, "agency_w9", id, w9Secrets, w.AccountNumber, w.TaxpayerIdentifier, w.Signature)
	return append([]any{index}, sealed...), err
}

func (b *batch) sealDeposit(ctx context.Context, id int64, d *DirectDeposit) ([]any, error) {
	return b.sealRow(ctx, "agency_direct_deposit", id, depositSecrets, d.RoutingNumber, d.InstitutionNumber, d.TransitNumber, d.AccountNumber)
}

// sealRow encrypts values of a row; empty ones are NULL.
func (b *batch) sealRow(ctx context.Context, table string, id int64, columns []string, values ...string) ([]any, error) {
	sealed := make([]any, len(columns))
	for n, value := range values {
		if value == "" {
			continue
		}
		ciphertext, err := b.vault.Encrypt(ctx, vault.Field{TenantID: b.tenant.ID, Table: table, Column: columns[n], RowID: id}, value)
		if err != nil {
			return nil, err
		}
		sealed[n] = ciphertext
	}
	return sealed, nil
}

func (b *batch) w9s(yield func([]any) bool) {
	n := 0
	for i := range b.agents {
		for _, p := range b.agents[i].W9Periods {
			w := p.Value
			if !yield(append([]any{
				b.tenant.ID, b.payees.w9IDs[n], b.id(i), w.Name, optional(w.BusinessName), w.TaxClassification,
				w.StreetAddress, w.City, w.State, w.ZipCode, w.SignatureDate, b.recorded(i, p.From), initiator,
			}, b.payees.w9Sealed[n]...)) {
				return
			}
			n++
		}
	}
}

func (b *batch) w9Periods(yield func([]any) bool) {
	n := 0
	for i := range b.agents {
		for _, p := range b.agents[i].W9Periods {
			if !yield(period(b, i, p, []any{b.tenant.ID, b.id(i), b.payees.w9IDs[n]})) {
				return
			}
			n++
		}
	}
}

func (b *batch) directDeposits(yield func([]any) bool) {
	n := 0
	for i := range b.agents {
		a := &b.agents[i]
		d := a.DirectDeposit
		if d == nil {
			continue
		}
		if !yield(append([]any{
			b.tenant.ID, b.payees.depositIDs[n], b.id(i), d.Country, d.AccountHolderName, d.BankName, d.AccountType,
			b.recorded(i, last(a.W9Periods).From), initiator,
		}, b.payees.depositSealed[n]...)) {
			return
		}
		n++
	}
}
