package graph

import (
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/encode"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/vault"
)

// payeeFields are those of a payee, which is its agent seen from another side.
func (e *encoders) payeeFields() map[string]encode.Compile[*model.Agent] {
	w9 := &encode.Type[model.W9]{Names: []string{"W9"}, Fields: e.w9Fields()}
	deposit := &encode.Type[model.DirectDeposit]{Names: []string{"DirectDeposit"}, Fields: e.directDepositFields()}
	return map[string]encode.Compile[*model.Agent]{
		"agent":     encode.Object(&e.agent, func(a *model.Agent) *model.Agent { return a }),
		"status":    e.payStatus,
		"isPayable": e.isPayable,
		"w9": related(w9, e.w9sOf, func(v *agency.W9, a *model.Agent) (model.W9, bool) {
			return model.W9{W9: v, AgentCode: a.AgentCode}, v != nil
		}),
		"directDeposit": related(deposit, e.directDepositsOf, func(d *agency.DirectDeposit, a *model.Agent) (model.DirectDeposit, bool) {
			return model.DirectDeposit{DirectDeposit: d, AgentCode: a.AgentCode}, d != nil
		}),
	}
}

func (e *encoders) w9sOf(r *encode.Run, a *model.Agent) *loader.Batch[*agency.W9] {
	return e.r.w9s(r.Ctx, a.At)
}

func (e *encoders) directDepositsOf(r *encode.Run, _ *model.Agent) *loader.Batch[*agency.DirectDeposit] {
	return e.r.directDeposits(r.Ctx)
}

// related encodes an object that was read ahead for each agent; view is false
// where there is none.
func related[R, V any](t *encode.Type[V], of func(*encode.Run, *model.Agent) *loader.Batch[R], view func(R, *model.Agent) (V, bool)) encode.Compile[*model.Agent] {
	return func(c *encode.Compiler, f *ast.Field) encode.Append[*model.Agent] {
		slot := c.Slot()
		object := t.Compile(c, f.SelectionSet)
		if object == nil {
			return nil
		}
		return func(b []byte, a *model.Agent, r *encode.Run) []byte {
			batch := encode.Once(r, slot, func() *loader.Batch[R] { return of(r, a) })
			v, ok := view(read(r, batch, a.ID), a)
			if !ok {
				return encode.Null(b)
			}
			return object(b, v, r)
		}
	}
}

func (e *encoders) isPayable(c *encode.Compiler, _ *ast.Field) encode.Append[*model.Agent] {
	statuses, w9s, deposits := c.Slot(), c.Slot(), c.Slot()
	return func(b []byte, a *model.Agent, r *encode.Run) []byte {
		status := encode.Once(r, statuses, func() *loader.Batch[*agency.PayStatusOn] { return e.r.payStatuses(r.Ctx, a.At) })
		w9 := encode.Once(r, w9s, func() *loader.Batch[*agency.W9] { return e.w9sOf(r, a) })
		deposit := encode.Once(r, deposits, func() *loader.Batch[*agency.DirectDeposit] { return e.directDepositsOf(r, a) })
		return encode.AppendBool(b, isPayable(read(r, status, a.ID), read(r, w9, a.ID), read(r, deposit, a.ID)))
	}
}

func (e *encoders) w9Fields() map[string]encode.Compile[model.W9] {
	type view = model.W9
	address := &encode.Type[view]{Names: []string{"W9Address"}, Fields: map[string]encode.Compile[view]{
		"streetAddress": encode.OptionalText(func(v view) *string { return v.StreetAddress }),
		"city":          encode.OptionalText(func(v view) *string { return v.City }),
		"state":         encode.OptionalText(func(v view) *string { return v.State }),
		"zipCode":       encode.OptionalText(func(v view) *string { return v.ZipCode }),
	}}
	return map[string]encode.Compile[view]{
		"name":               encode.Text(func(v view) string { return v.Name }),
		"businessName":       encode.OptionalText(func(v view) *string { return v.BusinessName }),
		"taxClassification":  encode.Enum(agency.TaxClassifications, func(v view) agency.TaxClassification { return agency.TaxClassification(v.W9.TaxClassification) }),
		"exemptPayee":        encode.OptionalText(func(v view) *string { return v.ExemptPayee }),
		"address":            encode.Optional(address, view.HasAddress),
		"accountNumber":      sensitive(e.r, w9AccountNumber, func(v view) (string, *vault.Sealed) { return v.AgentCode, &v.AccountNumber }),
		"taxpayerIdentifier": sensitive(e.r, taxpayerIdentifier, func(v view) (string, *vault.Sealed) { return v.AgentCode, &v.TaxpayerIdentifier }),
		"signature":          sensitive(e.r, w9Signature, func(v view) (string, *vault.Sealed) { return v.AgentCode, &v.Signature }),
		"signatureDate":      encode.OptionalDay(func(v view) *date.Date { return v.SignatureDate }),
	}
}

func (e *encoders) directDepositFields() map[string]encode.Compile[model.DirectDeposit] {
	type view = model.DirectDeposit
	return map[string]encode.Compile[view]{
		"country":           encode.Enum(agency.BankCountries, func(d view) agency.BankCountry { return agency.BankCountry(d.DirectDeposit.Country) }),
		"accountHolderName": encode.Text(func(d view) string { return d.AccountHolderName }),
		"bankName":          encode.OptionalText(func(d view) *string { return d.BankName }),
		"accountType":       encode.Enum(agency.BankAccountTypes, func(d view) agency.BankAccountType { return agency.BankAccountType(d.DirectDeposit.AccountType) }),
		"routingNumber":     sensitive(e.r, routingNumber, func(d view) (string, *vault.Sealed) { return d.AgentCode, &d.RoutingNumber }),
		"institutionNumber": sensitive(e.r, institutionNumber, func(d view) (string, *vault.Sealed) { return d.AgentCode, &d.InstitutionNumber }),
		"transitNumber":     sensitive(e.r, transitNumber, func(d view) (string, *vault.Sealed) { return d.AgentCode, &d.TransitNumber }),
		"accountNumber":     sensitive(e.r, bankAccountNumber, func(d view) (string, *vault.Sealed) { return d.AgentCode, &d.AccountNumber }),
		"lastModified":      encode.Instant(func(d view) time.Time { return d.LastModified }),
		"lastModifiedBy":    encode.Text(func(d view) string { return d.LastModifiedBy }),
	}
}

// sensitive encodes a sensitive field as its resolver answers it.
func sensitive[V any](r *Resolver, field sensitiveField, of func(V) (key string, v *vault.Sealed)) encode.Compile[V] {
	return func(c *encode.Compiler, f *ast.Field) encode.Append[V] {
		slot := c.Slot()
		return func(b []byte, v V, run *encode.Run) []byte {
			reveal := encode.Once(run, slot, func() bool {
				reveal, _ := f.ArgumentMap(run.Variables)["reveal"].(bool)
				return reveal
			})
			key, value := of(v)
			shown, err := r.sensitive(run.Ctx, field, key, value, reveal)
			if err != nil {
				run.Fail(err)
			}
			return encode.AppendOptionalText(b, shown)
		}
	}
}
