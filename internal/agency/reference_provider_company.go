package agency

import (
	"context"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/providercompany"
	"github.com/uplinehq/upline/internal/words/patch"
	"github.com/uplinehq/upline/internal/words/problem"
)

// ProviderCompany is a carrier that appoints agents.
type ProviderCompany = db.ProviderCompany

// ProviderCompanyInput is a new or changed provider company.
type ProviderCompanyInput struct {
	Code           string
	Name, NAICCode patch.Field[string]
	IsEnabled      patch.Field[bool]
	Initiator      string
}

// ProviderCompanies reads all provider companies, by code.
func (s *Service) ProviderCompanies(ctx context.Context) ([]*ProviderCompany, error) {
	return s.store.Ent().ProviderCompany.Query().Order(providercompany.ByCode()).All(ctx)
}

func (c *inputCheck) providerCompany(in *ProviderCompanyInput) {
	in.Initiator = c.Initiator(in.Initiator)
	code := patch.Set(in.Code)
	c.referenceCode(&code, "code")
	in.Code = *code.Value
	c.Kept(&in.Name, maxName, "name")
	c.Clearable(&in.NAICCode, maxText, "naicCode")
	c.NotNull(in.IsEnabled, "isEnabled")
}

// UpsertProviderCompany defines a provider company, or changes the one of the
// code. changed is false when everything sent was already so; nothing is then
// written.
func (s *Service) UpsertProviderCompany(ctx context.Context, in ProviderCompanyInput) (row *ProviderCompany, changed bool, err error) {
	var c inputCheck
	c.providerCompany(&in)
	if err := c.Err(); err != nil {
		return nil, false, err
	}
	err = s.write(ctx, in.Initiator, false, func(ctx context.Context, w *writing) error {
		var isNew bool
		row, changed, isNew, err = w.upsertProviderCompany(ctx, in)
		changed = changed || isNew
		return err
	})
	return row, changed, err
}

func (w *writing) upsertProviderCompany(ctx context.Context, in ProviderCompanyInput) (row *ProviderCompany, changed, isNew bool, err error) {
	isNew, err = w.insertProviderCompany(ctx, in)
	if err != nil {
		return nil, false, false, err
	}
	id, err := w.lockReference(ctx, providerCompanyTable, in.Code)
	if problem.Has(err, problem.NotFoundCode) {
		return nil, false, false, problem.Invalid(problem.Required, "is required for a new provider company", "name")
	}
	if err != nil {
		return nil, false, false, err
	}
	row, err = w.ProviderCompany.Query().Where(providercompany.ID(id)).Only(ctx)
	if err != nil {
		return nil, false, false, err
	}
	r := &revision{table: providerCompanyTable, key: in.Code, id: id, at: &row.LastModified, by: &row.LastModifiedBy}
	revise(r, "name", "name", &row.Name, in.Name)
	reviseOptional(r, "naicCode", "naic_code", &row.NaicCode, in.NAICCode)
	revise(r, "isEnabled", "is_enabled", &row.IsEnabled, in.IsEnabled)
	changed, err = r.save(ctx, w)
	if isNew {
		w.changed(providerCompanyEntity, in.Code)
	}
	return row, changed, isNew, err
}

// insertProviderCompany adds a row unless there is one of the code, which
// another request may be adding at this moment. Without a name it adds none.
func (w *writing) insertProviderCompany(ctx context.Context, in ProviderCompanyInput) (isNew bool, err error) {
	if in.Name.Value == nil {
		return false, nil
	}
	n, err := w.Exec(ctx, `INSERT INTO agency_provider_company
		(tenant_id, code, name, naic_code, is_enabled, created_at, created_by, last_modified, last_modified_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $6, $7) ON CONFLICT (tenant_id, code) DO NOTHING`,
		w.Tenant.ID, in.Code, *in.Name.Value, in.NAICCode.Value, or(in.IsEnabled, true), w.Now, w.Initiator)
	return n > 0, err
}
