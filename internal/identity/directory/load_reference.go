package directory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
)

// LoadReference adds reference data to a tenant that has none; levels belong to the team.
// Everything is enabled.
func LoadReference(ctx context.Context, tx *store.Tx, tenantID, teamID int64, r Reference, now time.Time, initiator string) error {
	for _, t := range referenceTables(teamID, r) {
		columns := append(t.columns, "tenant_id", "created_at", "created_by", "last_modified", "last_modified_by")
		for i := range t.rows {
			t.rows[i] = append(t.rows[i], tenantID, now, initiator, now, initiator)
		}
		if err := tx.CopyFrom(ctx, t.name, columns, slices.Values(t.rows)); err != nil {
			return fmt.Errorf("load %s: %w", t.name, err)
		}
	}
	return nil
}

type referenceTable struct {
	name    string
	columns []string
	rows    [][]any
}

func referenceTables(teamID int64, r Reference) []referenceTable {
	return []referenceTable{
		{"agency_certification_type",
			[]string{"code", "name", "category", "requires_jurisdiction", "requires_provider_company", "is_enabled"},
			rowsOf(r.CertificationTypes, func(t CertificationType) []any {
				return []any{t.Code, t.Name, t.Category, t.RequiresJurisdiction, t.RequiresProviderCompany, true}
			})},
		{"agency_jurisdiction",
			[]string{"code", "name", "country", "kind", "is_enabled"},
			rowsOf(r.Jurisdictions, func(j Jurisdiction) []any { return []any{j.ID, j.Name, j.Country, j.Kind, true} })},
		{"agency_pay_status",
			[]string{"name", "description", "is_active", "can_be_paid", "sort_order"},
			rowsOf(r.PayStatuses, func(s PayStatus) []any {
				return []any{s.Name, s.Description, s.IsActive, s.CanBePaid, s.SortOrder}
			})},
		{"agency_agent_level",
			[]string{"team_id", "value", "name", "is_enabled"},
			rowsOf(r.AgentLevels, func(l AgentLevel) []any { return []any{teamID, l.Value, l.Name, true} })},
		{"agency_provider_company",
			[]string{"code", "name", "naic_code", "is_enabled"},
			rowsOf(r.ProviderCompanies, func(p ProviderCompany) []any { return []any{p.Code, p.Name, p.NAICCode, true} })},
	}
}

func rowsOf[T any](items []T, columns func(T) []any) [][]any {
	rows := make([][]any, len(items))
	for i, item := range items {
		rows[i] = columns(item)
	}
	return rows
}
