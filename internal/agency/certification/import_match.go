package certification

import (
	"context"
	"strings"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/problem"
)

// certificationReferences holds the reference data that new certifications may name.
type certificationReferences struct {
	types                    map[string]typeNeeds
	jurisdictions, companies map[string]bool
}

type typeNeeds struct{ jurisdiction, providerCompany bool }

func readReferences(ctx context.Context, w *record.Writing) (known *certificationReferences, err error) {
	known = &certificationReferences{types: map[string]typeNeeds{}}
	if known.jurisdictions, err = record.ReferenceKeys[string](ctx, w, record.JurisdictionTable); err != nil {
		return nil, err
	}
	if known.companies, err = record.ReferenceKeys[string](ctx, w, record.ProviderCompanyTable); err != nil {
		return nil, err
	}
	_, err = store.Collect(ctx, w, func(row store.Scanner) (struct{}, error) {
		var (
			code  string
			needs typeNeeds
		)
		err := row.Scan(&code, &needs.jurisdiction, &needs.providerCompany)
		known.types[code] = needs
		return struct{}{}, err
	}, "SELECT code, requires_jurisdiction, requires_provider_company FROM agency_certification_type WHERE tenant_id = $1 AND is_enabled", w.Tenant.ID)
	return known, err
}

// check is namedReferences.check for an import.
func (known *certificationReferences) check(in Upsert, c *record.Check) {
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

// matchRows finds the certification of each row, or makes a new one. It refuses the rows
// with which something is wrong.
func matchRows(ctx context.Context, im *imports.Import, rows []*certificationRow, agents map[string]int64, known *certificationReferences) (matched, fresh []*importedCertification, err error) {
	byKey, err := storedCertifications(ctx, im, agents)
	if err != nil {
		return nil, nil, err
	}
	taken := map[*importedCertification]bool{}
	for _, r := range rows {
		agentID := agents[r.AgentCode]
		if agentID == 0 && r.AgentCode != "" {
			r.refused.List = append(problem.From(record.UnknownAgent("agentCode")), r.refused.List...)
		}
		key := r.key(agentID)
		there := byKey[key]
		if there == nil {
			known.check(r.Upsert, &r.refused)
		}
		if im.Refuse(r.i, r.refused.List) {
			continue
		}
		switch {
		case there == nil:
			there = &importedCertification{certificationKey: key, agentCode: r.AgentCode, fate: record.Added}
			byKey[key] = there
			fresh = append(fresh, there)
		case there.fate != record.Added && !taken[there]:
			taken[there] = true
			there.agentCode = r.AgentCode
			matched = append(matched, there)
		}
		r.of = there
	}
	return matched, fresh, nil
}

func storedCertifications(ctx context.Context, im *imports.Import, agents map[string]int64) (map[certificationKey]*importedCertification, error) {
	ids := make([]int64, 0, len(agents))
	for _, id := range agents {
		ids = append(ids, id)
	}
	byKey := map[certificationKey]*importedCertification{}
	_, err := store.Collect(ctx, im, func(row store.Scanner) (struct{}, error) {
		c := new(importedCertification)
		err := row.Scan(append([]any{&c.id, &c.agentID, &c.kind, &c.providerCompany, &c.jurisdiction, &c.identifier}, Fields.Dest(&c.Details)...)...)
		byKey[c.certificationKey] = c
		return struct{}{}, err
	}, "SELECT id, agent_id, type, coalesce(provider_company, ''), coalesce(jurisdiction, ''), coalesce(identifier, ''), "+
		strings.Join(Fields.Columns(), ", ")+` FROM agency_certification WHERE tenant_id = $1 AND `+im.In("agent_id", "$2"), im.Tenant.ID, im.List(ids))
	return byKey, err
}
