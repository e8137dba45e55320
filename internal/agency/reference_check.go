package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/problem"
)

// referenceTable is a table of reference data that input may name a row of.
type referenceTable struct {
	table, key string
	// entity is the type of a row in audit entries.
	entity string
	// enabled is the condition that new records may use the row.
	enabled string
	code    problem.Code
	message string
	// noun is what people call a row.
	noun string
	// owner are the columns that tell whose the rows are, as far as that is not
	// the tenant; the tables that use the rows have them too.
	owner []column
	uses  []use
}

var (
	certificationTypeTable = referenceTable{
		table: "agency_certification_type", key: "code", entity: certificationTypeEntity, enabled: "is_enabled", noun: "certification type",
		code: problem.UnknownCertificationType, message: "The specified certification type is not recognized.",
		uses: []use{{"certifications", "agency_certification", "type", "true"}},
	}
	jurisdictionTable = referenceTable{
		table: "agency_jurisdiction", key: "code", entity: jurisdictionEntity, enabled: "is_enabled", noun: "jurisdiction",
		code: problem.UnknownJurisdiction, message: "The specified jurisdiction is not recognized.",
		uses: []use{
			{"certifications", "agency_certification", "jurisdiction", "true"},
			{"addresses", "agency_address", "jurisdiction", "true"},
		},
	}
	payStatusTable = referenceTable{
		table: "agency_pay_status", key: "name", entity: payStatusEntity, enabled: "true", noun: "pay status",
		code: problem.UnknownStatus, message: "The specified pay status is not recognized.",
		uses: periodUses("payStatusPeriods", "agency_pay_status_period", "status"),
	}
	providerCompanyTable = referenceTable{
		table: "agency_provider_company", key: "code", entity: providerCompanyEntity, enabled: "is_enabled", noun: "provider company",
		code: problem.UnknownProviderCompany, message: "The specified provider company is not recognized.",
	}
	tagTable = referenceTable{
		table: "agency_tag", key: "name", enabled: "true", noun: "tag", entity: tagEntity,
		code: problem.UnknownTag, message: "The specified tag is not recognized.",
		uses: []use{{"tagAssignments", "agency_tag_assignment", "tag", "true"}},
	}
)

// levelTable are the agent levels of a team: "the level in team membership must
// be one of these" (Reference data).
func levelTable(teamID int64) referenceTable {
	return referenceTable{
		table: "agency_agent_level", key: "value", entity: agentLevelEntity, enabled: "is_enabled", noun: "agent level",
		code: problem.UnknownLevel, message: "The specified agent level is not recognized.",
		owner: []column{{name: "team_id", value: teamID}},
		uses:  periodUses("levelPeriods", "agency_level_period", "level"),
	}
}

// row starts the condition that selects a row by its key, or the rows of
// another table that use it.
func (t referenceTable) row(s *store.SQL, tenantID int64, column string, key any) *store.SQL {
	s.Write("tenant_id = ? AND "+column+" = ?", tenantID, key)
	for _, o := range t.owner {
		s.Write(" AND "+o.name+" = ?", o.value)
	}
	return s
}

// reference returns the problem of a key that is not configured, nil when it
// is.
func (w *writing) reference(ctx context.Context, t referenceTable, key any, field ...string) (*problem.Error, error) {
	found, err := w.askReference(ctx, t, key)
	if err := firstOf(err, w.Flush(ctx)); err != nil || *found {
		return nil, err
	}
	return problem.Invalid(t.code, t.message, field...), nil
}

// askReference asks whether a key is configured.
func (w *writing) askReference(ctx context.Context, t referenceTable, key any) (found *bool, err error) {
	var s store.SQL
	t.row(s.Write("SELECT 1 FROM "+t.table+" WHERE "), w.Tenant.ID, t.key, key).Write(" AND " + t.enabled)
	return w.Ask(ctx, []any{new(int)}, s.Text(), s.Args()...)
}

// mustRefer adds the problem of a key that is not configured to what is refused.
func (w *writing) mustRefer(ctx context.Context, refused *problem.List, t referenceTable, key any, field ...string) error {
	p, err := w.reference(ctx, t, key, field...)
	refused.Add(p)
	return err
}

// use is a place that refers to reference data.
type use struct {
	// name is what details.usage counts it as.
	name, table, column, condition string
}

// periodUses are the uses of a value by a history. The foreign key holds
// superseded rows too: they tell what was known at an earlier moment.
func periodUses(name, table, column string) []use {
	return []use{
		{name, table, column, "superseded_at IS NULL"},
		{"history", table, column, "superseded_at IS NOT NULL"},
	}
}

// referenceKeys are the keys that new records may use.
func referenceKeys[K comparable](ctx context.Context, w *writing, t referenceTable) (map[K]bool, error) {
	var s store.SQL
	s.Write("SELECT "+t.key+" FROM "+t.table+" WHERE tenant_id = ? AND "+t.enabled, w.Tenant.ID)
	for _, o := range t.owner {
		s.Write(" AND "+o.name+" = ?", o.value)
	}
	keys := map[K]bool{}
	_, err := store.Collect(ctx, w, func(r store.Scanner) (struct{}, error) {
		var key K
		err := r.Scan(&key)
		keys[key] = true
		return struct{}{}, err
	}, s.Text(), s.Args()...)
	return keys, err
}

// unknown is the problem of a key that is not configured.
func (t referenceTable) unknown(field ...string) *problem.Error {
	return problem.Invalid(t.code, t.message, field...)
}
