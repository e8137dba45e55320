package record

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// ReferenceTable is a table of reference data, whose rows other records name by their
// keys.
type ReferenceTable struct {
	Table, Key string
	// Entity is the type of its rows in audit entries.
	Entity string
	// enabled is the condition that a row may be used by new records.
	enabled string
	Code    problem.Code
	Message string
	// Noun is the word for a row in sentences.
	Noun string
	// Owner has the columns, besides the tenant, that say to whom a row belongs. Tables
	// that use the rows have these columns too.
	Owner []Column
	Uses  []Use
}

var (
	CertificationTypeTable = ReferenceTable{
		Table: "agency_certification_type", Key: "code", Entity: CertificationTypeEntity, enabled: "is_enabled", Noun: "certification type",
		Code: problem.UnknownCertificationType, Message: "The specified certification type is not recognized.",
		Uses: []Use{{"certifications", "agency_certification", "type", "true"}, {"productRules", "agency_product_rule_period", "certification_types", inList}},
	}
	JurisdictionTable = ReferenceTable{
		Table: "agency_jurisdiction", Key: "code", Entity: JurisdictionEntity, enabled: "is_enabled", Noun: "jurisdiction",
		Code: problem.UnknownJurisdiction, Message: "The specified jurisdiction is not recognized.",
		Uses: []Use{
			{"certifications", "agency_certification", "jurisdiction", "true"},
			{"addresses", "agency_address", "jurisdiction", "true"},
			{"productRules", "agency_product_rule_period", "jurisdictions", inList},
		},
	}
	PayStatusTable = ReferenceTable{
		Table: "agency_pay_status", Key: "name", Entity: PayStatusEntity, enabled: "true", Noun: "pay status",
		Code: problem.UnknownStatus, Message: "The specified pay status is not recognized.",
		Uses: periodUses("payStatusPeriods", "agency_pay_status_period", "status"),
	}
	ProviderCompanyTable = ReferenceTable{
		Table: "agency_provider_company", Key: "code", Entity: ProviderCompanyEntity, enabled: "is_enabled", Noun: "provider company",
		Code: problem.UnknownProviderCompany, Message: "The specified provider company is not recognized.",
	}
	TagTable = ReferenceTable{
		Table: "agency_tag", Key: "name", enabled: "true", Noun: "tag", Entity: TagEntity,
		Code: problem.UnknownTag, Message: "The specified tag is not recognized.",
		Uses: []Use{{"tagAssignments", "agency_tag_assignment", "tag", "true"}},
	}
)

// ProductTable has the products, whose rules say what it takes to sell them.
var ProductTable = ReferenceTable{
	Table: "agency_product", Key: "code", Entity: ProductEntity, enabled: "is_enabled", Noun: "product",
	Code: problem.UnknownProduct, Message: "The specified product is not recognized.",
	Uses: []Use{{"productRules", "agency_product_rule", "product", "true"}},
}

// LevelTable returns the table of a team's agent levels: "the level in team membership
// must be one of these" (Reference data).
func LevelTable(teamID int64) ReferenceTable {
	return ReferenceTable{
		Table: "agency_agent_level", Key: "value", Entity: AgentLevelEntity, enabled: "is_enabled", Noun: "agent level",
		Code: problem.UnknownLevel, Message: "The specified agent level is not recognized.",
		Owner: []Column{{Name: "team_id", Value: teamID}},
		Uses:  periodUses("levelPeriods", "agency_level_period", "level"),
	}
}

// Column is a column with the value that an owner has in it.
type Column struct {
	Name  string
	Value int64
}

// Row writes the condition that selects a row by its key, or the rows of another table
// that use it.
func (t ReferenceTable) Row(s *store.SQL, tenantID int64, column string, key any) *store.SQL {
	s.Write("tenant_id = ? AND "+column+" = ?", tenantID, key)
	for _, o := range t.Owner {
		s.Write(" AND "+o.Name+" = ?", o.Value)
	}
	return s
}

// Reference returns the problem of a key that is not configured; nil if it is.
func (w *Writing) Reference(ctx context.Context, t ReferenceTable, key any, field ...string) (*problem.Error, error) {
	if found, err := t.IsConfigured(ctx, w, key); err != nil || found {
		return nil, err
	}
	return t.Unknown(field...), nil
}

// IsConfigured reports whether new records may use a key.
func (t ReferenceTable) IsConfigured(ctx context.Context, q store.Querier, key any) (bool, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return false, err
	}
	s := new(store.SQL)
	t.Row(s.Write("SELECT 1 FROM "+t.Table+" WHERE "), tenantID, t.Key, key).Write(" AND " + t.enabled)
	return store.One(ctx, q, []any{new(int)}, s.Text(), s.Args()...)
}

// MustRefer adds the problem of a key that is not configured to the refusals.
func (w *Writing) MustRefer(ctx context.Context, refused *problem.List, t ReferenceTable, key any, field ...string) error {
	p, err := w.Reference(ctx, t, key, field...)
	refused.Add(p)
	return err
}

// Use is a column that refers to reference data.
type Use struct {
	// Name is the name of the use in details.usage.
	Name, Table, Column, Condition string
}

// inList is the Condition of a column that holds keys with commas between them.
const inList = "list"

// Count writes a SELECT of how many rows use a key of a table.
func (u Use) Count(s *store.SQL, t ReferenceTable, tenantID int64, key any) {
	s.Write("SELECT count(*) FROM " + u.Table + " WHERE ")
	if u.Condition != inList {
		t.Row(s, tenantID, u.Column, key).Write(" AND " + u.Condition)
		return
	}
	list := "',' || " + u.Column + " || ','"
	s.Write("tenant_id = ? AND replace("+list+", ',' || ? || ',', '') <> "+list, tenantID, key)
}

// periodUses returns the uses of a value by a history. Superseded rows count too: they
// tell what was known at an earlier instant, and the foreign key keeps their value.
func periodUses(name, table, column string) []Use {
	return []Use{
		{name, table, column, "superseded_at IS NULL"},
		{"history", table, column, "superseded_at IS NOT NULL"},
	}
}

// usable returns a query for the keys that new records may use.
func (t ReferenceTable) usable(w *Writing) *store.SQL {
	s := new(store.SQL).Write("SELECT "+t.Key+" FROM "+t.Table+" WHERE tenant_id = ? AND "+t.enabled, w.Tenant.ID)
	for _, o := range t.Owner {
		s.Write(" AND "+o.Name+" = ?", o.Value)
	}
	return s
}

// ReferenceKeys returns the keys that new records may use.
func ReferenceKeys[K comparable](ctx context.Context, w *Writing, t ReferenceTable) (map[K]bool, error) {
	keys := map[K]bool{}
	return keys, store.Each(ctx, w, t.usable(w), into(keys))
}

// AskKeys asks which of some keys new records may use. The answer is complete after Flush.
func AskKeys[K string | int](ctx context.Context, w *Writing, t ReferenceTable, keys []K) (map[K]bool, error) {
	usable := map[K]bool{}
	if len(keys) == 0 {
		return usable, nil
	}
	s := t.usable(w)
	switch keys := any(slices.Compact(slices.Sorted(slices.Values(keys)))).(type) {
	case []string:
		s.Write(" AND " + w.InTexts(t.Key, s.Arg(w.Texts(keys))))
	case []int:
		ids := make([]int64, len(keys))
		for i, k := range keys {
			ids[i] = int64(k)
		}
		s.Write(" AND " + w.In(t.Key, s.Arg(w.List(ids))))
	}
	return usable, w.AskAll(ctx, into(usable), s.Text(), s.Args()...)
}

// into returns a function that adds the key of a row.
func into[K comparable](keys map[K]bool) func(store.Scanner) error {
	return func(r store.Scanner) error {
		var key K
		err := r.Scan(&key)
		keys[key] = true
		return err
	}
}

// Unknown returns the problem of a key that is not configured.
func (t ReferenceTable) Unknown(field ...string) *problem.Error {
	return problem.Invalid(t.Code, t.Message, field...)
}
