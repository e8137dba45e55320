package reference

import (
	"context"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/providercompany"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/words/fields"
	"github.com/uplinehq/upline/internal/words/patch"
)

// ProviderCompany is a carrier that appoints agents.
type ProviderCompany = db.ProviderCompany

// ProviderCompanyInput is a new or changed provider company.
type ProviderCompanyInput struct {
	Code      patch.Field[string] `name:"code" column:"code" as:"code" needed:"true" about:"the key"`
	Name      patch.Field[string] `name:"name" column:"name" as:"name" needed:"true" about:"display name"`
	NAICCode  patch.Field[string] `name:"naicCode" column:"naic_code" as:"text" about:"number at the NAIC"`
	IsEnabled patch.Field[bool]   `name:"isEnabled" column:"is_enabled" always:"true" default:"true" about:"true or false; true by default"`
	Initiator string
}

var providerCompanies = referenceKind[ProviderCompanyInput, ProviderCompany]{
	ReferenceTable: record.ProviderCompanyTable, fields: fields.Of[ProviderCompanyInput](),
	by: func(in *ProviderCompanyInput) *string { return &in.Initiator },
	read: func(ctx context.Context, w *record.Writing, id int64) (*ProviderCompany, error) {
		return w.ProviderCompany.Get(ctx, id)
	},
}

// ProviderCompanies reads all provider companies, by code.
func (s *Service) ProviderCompanies(ctx context.Context) ([]*ProviderCompany, error) {
	return s.store.Ent().ProviderCompany.Query().Order(providercompany.ByCode()).All(ctx)
}

// UpsertProviderCompany defines a provider company, or changes the one with the same
// code. changed is false, and nothing is written, if everything sent was already so.
func (s *Service) UpsertProviderCompany(ctx context.Context, in ProviderCompanyInput) (row *ProviderCompany, changed bool, err error) {
	if err := providerCompanies.check(&in, false, nil); err != nil {
		return nil, false, err
	}
	err = s.writer.Write(ctx, in.Initiator, false, func(ctx context.Context, w *record.Writing) error {
		id, outcome, err := providerCompanies.put(ctx, w, in)
		if changed = outcome != bulk.Unchanged; err == nil {
			row, err = providerCompanies.read(ctx, w, id)
		}
		return err
	})
	return row, changed, err
}
