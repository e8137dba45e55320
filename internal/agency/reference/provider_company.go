package reference

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
)

// ProviderCompanyInput is a new or changed provider company, a carrier that appoints agents.
type ProviderCompanyInput struct {
	Code      patch.Field[string] `name:"code" column:"code" as:"code" needed:"true" about:"the key"`
	Name      patch.Field[string] `name:"name" column:"name" as:"name" needed:"true" about:"display name"`
	NAICCode  patch.Field[string] `name:"naicCode" column:"naic_code" as:"text" about:"number at the NAIC"`
	IsEnabled patch.Field[bool]   `name:"isEnabled" column:"is_enabled" always:"true" default:"true" about:"true or false; true by default"`
	Initiator string
}

var providerCompanies = referenceKind[ProviderCompanyInput]{
	ReferenceTable: record.ProviderCompanyTable, fields: fields.Of[ProviderCompanyInput](),
	by: func(in *ProviderCompanyInput) *string { return &in.Initiator },
}

// UpsertProviderCompany defines a provider company, or changes the one with the same
// code, and returns its id. changed is false, and nothing is written, if everything sent
// was already so.
func (s *Service) UpsertProviderCompany(ctx context.Context, in ProviderCompanyInput) (id int64, changed bool, err error) {
	if err := providerCompanies.check(&in, false, nil); err != nil {
		return 0, false, err
	}
	err = s.writer.Write(ctx, in.Initiator, false, func(ctx context.Context, w *record.Writing) error {
		var outcome bulk.Outcome
		id, outcome, err = providerCompanies.put(ctx, w, in)
		changed = outcome != bulk.Unchanged
		return err
	})
	return id, changed, err
}
