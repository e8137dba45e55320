package certification

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// references is the reference data that certifications name, as far as new ones may name
// it.
type references struct {
	types                    map[string]typeNeeds
	jurisdictions, companies map[string]bool
}

type typeNeeds struct{ jurisdiction, providerCompany bool }

// askReferences asks for the reference data that certifications name. The answer is
// complete after Flush.
func askReferences(ctx context.Context, w *record.Writing, all ...*Upsert) (known *references, err error) {
	var types, jurisdictions, companies []string
	for _, in := range all {
		types = append(types, in.Type)
		if in.Jurisdiction != nil {
			jurisdictions = append(jurisdictions, *in.Jurisdiction)
		}
		if in.ProviderCompany != nil {
			companies = append(companies, *in.ProviderCompany)
		}
	}
	known = &references{types: map[string]typeNeeds{}}
	if known.jurisdictions, err = record.AskKeys(ctx, w, record.JurisdictionTable, jurisdictions); err != nil {
		return nil, err
	}
	if known.companies, err = record.AskKeys(ctx, w, record.ProviderCompanyTable, companies); err != nil {
		return nil, err
	}
	slices.Sort(types)
	return known, w.AskAll(ctx, func(row store.Scanner) error {
		var (
			code  string
			needs typeNeeds
		)
		err := row.Scan(&code, &needs.jurisdiction, &needs.providerCompany)
		known.types[code] = needs
		return err
	}, "SELECT code, requires_jurisdiction, requires_provider_company FROM agency_certification_type WHERE tenant_id = $1 AND is_enabled AND "+
		w.InTexts("code", "$2"), w.Tenant.ID, w.Texts(slices.Compact(types)))
}

// check checks what a new certification refers to. One that matches refers to it already:
// a type that has been disabled is no reason to refuse a renewal.
func (known *references) check(in *Upsert, c *record.Check) {
	needs, ok := known.types[in.Type]
	if !ok && in.Type != "" {
		c.Add(record.CertificationTypeTable.Unknown("type"))
	}
	for _, r := range []struct {
		table    record.ReferenceTable
		keys     map[string]bool
		key      *string
		required bool
		field    string
	}{
		{record.JurisdictionTable, known.jurisdictions, in.Jurisdiction, needs.jurisdiction, "jurisdiction"},
		{record.ProviderCompanyTable, known.companies, in.ProviderCompany, needs.providerCompany, "providerCompany"},
	} {
		switch {
		case r.key != nil && !r.keys[*r.key]:
			c.Add(r.table.Unknown(r.field))
		case r.key == nil && r.required:
			c.Refuse(problem.Required, "is required for certifications of this type", r.field)
		}
	}
}
