package demo

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/words/patch"
)

// payeeRows are the W9s and bank details of a batch, in order.
type payeeRows struct{ w9s, deposits sealedRows }

// sealedRows are rows of a table with sensitive values: their ids, and their values of
// all fields.
type sealedRows struct {
	ids    []int64
	fields [][]any
}

// preparePayees takes the ids of W9s and bank details and encrypts their values, which
// are bound to them.
func (b *batch) preparePayees(ctx context.Context) (err error) {
	var w9s []payee.W9Details
	var deposits []payee.BankDetails
	for i := range b.agents {
		a := &b.agents[i]
		for n := range a.W9Periods {
			w9s = append(w9s, a.W9Periods[n].Value.details())
		}
		if a.DirectDeposit != nil {
			deposits = append(deposits, a.DirectDeposit.details())
		}
	}
	if b.payees.w9s, err = seal(ctx, b, payee.W9s, w9s); err != nil {
		return err
	}
	for n := range w9s {
		index, err := payee.TaxpayerIdentifierIndex(ctx, b.vault, b.tenant.ID, w9s[n].TaxpayerIdentifier.OrZero())
		if err != nil {
			return err
		}
		b.payees.w9s.fields[n] = append(b.payees.w9s.fields[n], index)
	}
	b.payees.deposits, err = seal(ctx, b, payee.Deposits, deposits)
	return err
}

// fieldColumns are the columns of a table with sensitive values that seal fills.
func fieldColumns[T any](t record.SealedTable[T]) []string {
	return append(t.Open.Columns(), t.Sealed.Columns()...)
}

// seal takes the ids of records and returns their rows.
func seal[T any](ctx context.Context, b *batch, t record.SealedTable[T], records []T) (rows sealedRows, err error) {
	if rows.ids, err = b.tx.NewIDs(ctx, t.Name, len(records)); err != nil {
		return rows, err
	}
	for n := range records {
		sealed, err := t.Ciphertexts(ctx, b.vault, b.tenant.ID, rows.ids[n], &records[n])
		if err != nil {
			return rows, err
		}
		rows.fields = append(rows.fields, append(t.Open.Append(nil, &records[n]), sealed...))
	}
	return rows, nil
}

// details returns the W9 as the area has it.
func (w *W9) details() payee.W9Details {
	return payee.W9Details{
		Name: given(w.Name), BusinessName: given(w.BusinessName), TaxClassification: given(w.TaxClassification),
		Address:       payee.W9Address{StreetAddress: given(w.StreetAddress), City: given(w.City), State: given(w.State), ZipCode: given(w.ZipCode)},
		AccountNumber: given(w.AccountNumber), TaxpayerIdentifier: given(w.TaxpayerIdentifier), Signature: given(w.Signature),
		SignatureDate: patch.Set(w.SignatureDate),
	}
}

// details returns the bank details as the area has them.
func (d *DirectDeposit) details() payee.BankDetails {
	return payee.BankDetails{
		Country: given(d.Country), AccountHolderName: given(d.AccountHolderName), BankName: given(d.BankName), AccountType: given(d.AccountType),
		RoutingNumber: given(d.RoutingNumber), InstitutionNumber: given(d.InstitutionNumber), TransitNumber: given(d.TransitNumber), AccountNumber: given(d.AccountNumber),
	}
}

// given returns a text as a property; empty text is no value.
func given(s string) (p patch.Field[string]) {
	if s != "" {
		p = patch.Set(s)
	}
	return p
}

func (b *batch) w9s(yield func([]any) bool) {
	n := 0
	for i := range b.agents {
		for _, p := range b.agents[i].W9Periods {
			if !yield(append([]any{b.tenant.ID, b.payees.w9s.ids[n], b.id(i), b.recorded(i, p.From), initiator}, b.payees.w9s.fields[n]...)) {
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
			if !yield(period(b, i, p, []any{b.tenant.ID, b.id(i), b.payees.w9s.ids[n]})) {
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
		if a.DirectDeposit == nil {
			continue
		}
		recorded := b.recorded(i, last(a.W9Periods).From)
		if !yield(append([]any{b.tenant.ID, b.payees.deposits.ids[n], b.id(i), recorded, initiator}, b.payees.deposits.fields[n]...)) {
			return
		}
		n++
	}
}
