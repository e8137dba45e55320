package certification

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Details are the properties of a certification that can change, apart from its status.
type Details struct {
	IsResidentCertification patch.Field[bool]   `name:"isResidentCertification" column:"is_resident_certification" always:"true" default:"false" about:"true or false"`
	IsVerified              patch.Field[bool]   `name:"isVerified" column:"is_verified" always:"true" default:"false" about:"true or false"`
	Note                    patch.Field[string] `name:"note" column:"note" as:"note" about:"a note"`
}

// Fields is the table of the fields of Details.
var Fields = fields.Of[Details]()

// stored is a certification as it is stored: a credential of an agent. Its statuses are
// periods.
type stored struct {
	ID, AgentID                               int64
	Type                                      string
	ProviderCompany, Jurisdiction, Identifier *string
	Details
	CreatedAt      time.Time
	CreatedBy      string
	LastModified   time.Time
	LastModifiedBy string
}

var storedColumns = slices.Concat([]string{"id", "agent_id", "type", "provider_company", "jurisdiction", "identifier", "created_at", "created_by", "last_modified", "last_modified_by"}, Fields.Columns())

// selectStored begins the statement that reads the certifications which meet a condition.
// Its first argument is the tenant.
var selectStored = "SELECT " + strings.Join(storedColumns, ", ") + " FROM agency_certification WHERE tenant_id = $1 AND "

// dest returns where the columns storedColumns are scanned to.
func (c *stored) dest() []any {
	return append([]any{&c.ID, &c.AgentID, &c.Type, &c.ProviderCompany, &c.Jurisdiction, &c.Identifier, &c.CreatedAt, &c.CreatedBy, &c.LastModified, &c.LastModifiedBy},
		Fields.Dest(&c.Details)...)
}

// Filter holds the conditions of a list of certifications. A nil field is no condition.
type Filter struct {
	AgentCode, Type, ProviderCompany, Jurisdiction *string
	// Status is a list of statuses, of which the certification has one on the day.
	Status                              []string
	Identifier                          *string
	IsResidentCertification, IsVerified *bool
	// ExpiresFrom and ExpiresThrough bound the last day of the status period. An
	// open-ended period matches neither.
	ExpiresFrom, ExpiresThrough *date.Date
}

// certificationKeys are the sort keys of certifications, by value of the GraphQL enum.
var certificationKeys = map[string]page.Key{
	"ID":                {Name: "id", SQL: "c.id", Kind: page.Int},
	"AGENT_CODE":        record.ByAgentCode,
	"TYPE":              {Name: "type", SQL: "c.type", Kind: page.Text},
	"JURISDICTION":      {Name: "jurisdiction", SQL: "CASE WHEN c.jurisdiction IS NULL THEN '' ELSE c.jurisdiction END", Kind: page.Text}, // as an index has it
	"STATUS":            {Name: "status", SQL: "p.status", Kind: page.Text},
	"EFFECTIVE_FROM":    record.ByFirstDay,
	"EFFECTIVE_THROUGH": record.ByLastDay,
	"LAST_MODIFIED":     {Name: "modified", SQL: "c.last_modified", Kind: page.Time},
}

// byPeriodID is the last sort key in an order by properties of the periods. Each
// certification in a list has one period, that of the day.
var byPeriodID = page.Key{Name: "period", SQL: "p.id", Kind: page.Int}

// certificationTables are the tables of certifications c and of their periods p.
var certificationTables = []listing.Table{
	{Name: "agency_agent", Alias: "a"},
	{Name: "agency_certification", Alias: "c", On: "c.agent_id = a.id"},
	{Name: "agency_certification_period", Alias: "p", On: "p.certification_id = c.id"},
}

// CertificationList returns the list of the "certifications that have a current status
// (inactive statuses such as Expired included)" (specification, Certifications), as of a
// day.
func (s *Service) CertificationList(ctx context.Context, f Filter, orders []listing.Order, asOf history.AsOf) (listing.Rows, error) {
	tenantID, err := record.CheckFilter(ctx, s.store, certificationTexts(f.AgentCode, f.Type, f.ProviderCompany, f.Jurisdiction, f.Identifier)...)
	if f.ExpiresThrough != nil && (f.ExpiresFrom == nil || *f.ExpiresFrom < asOf.Day) {
		f.ExpiresFrom = &asOf.Day // a period that covers the day ends then or later; the index is read from there
	}
	keys := listing.SortKeys(orders, certificationKeys, certificationKeys["ID"])
	if record.IsOfPeriods(keys) {
		keys = listing.SortKeys(orders, certificationKeys, byPeriodID)
	}
	few := few(f.AgentCode, f.Identifier)
	if few == "" && f.ExpiresThrough != nil {
		few = "p"
	}
	list := listing.Rows{Dimensions: func() map[string]listing.Dimension { return dimensions(tenantID) }, Row: "a.code AS agent_code, c.type AS type, c.jurisdiction AS jurisdiction, c.provider_company AS provider_company, p.status AS status", Store: s.store, Name: "certifications", Owner: "c.agent_id", Keys: keys, Kept: s.totals.Of(ctx), ByValue: listing.ByValue(f, few != "")}
	return list.Join(listing.Joined{
		TenantID: tenantID, Tables: certificationTables, Few: few, Indexed: "p", InOrder: record.InOrder(asOf),
		Where: func(q *store.SQL) {
			q.Write(" AND " + asOf.Covers("p", q.Arg))
			s.certificationConditions(q, f)
		},
		Ranges: f.expires,
	}), err
}

// few is the alias of the table of which few rows are wanted, as a list is asked for those of an
// agent or of an identifier; empty if it is not.
func few(agentCode, identifier *string) string {
	switch {
	case agentCode != nil:
		return "a"
	case identifier != nil:
		return "c"
	}
	return ""
}

// dimensions are what certifications can be grouped by, by value of the GraphQL enum.
func dimensions(tenantID int64) map[string]listing.Dimension {
	column := func(name string, label func(*store.SQL, string) string) listing.Dimension {
		return listing.Dimension{Value: func(string) string { return "x." + name }, Label: label}
	}
	return map[string]listing.Dimension{
		"TYPE": column("type", record.NameOf(record.CertificationTypeTable, tenantID)), "STATUS": column("status", nil),
		"JURISDICTION":     column("jurisdiction", record.NameOf(record.JurisdictionTable, tenantID)),
		"PROVIDER_COMPANY": column("provider_company", record.NameOf(record.ProviderCompanyTable, tenantID)),
		"AGENT":            column("agent_code", record.NameOfAgent(tenantID)),
	}
}

func (s *Service) certificationConditions(q *store.SQL, f Filter) {
	s.whoseCertification(q, f.AgentCode, f.Type, f.ProviderCompany, f.Jurisdiction, f.Identifier, f.Status)
	if f.IsResidentCertification != nil {
		q.Write(" AND c.is_resident_certification = ?", *f.IsResidentCertification)
	}
	if f.IsVerified != nil {
		q.Write(" AND c.is_verified = ?", *f.IsVerified)
	}
}

// expires writes the conditions on the last day. An open-ended period does not expire.
func (f Filter) expires(q *store.SQL, byIndex bool) {
	if f.ExpiresFrom == nil && f.ExpiresThrough == nil {
		return
	}
	if q.Write(" AND p.effective_through IS NOT NULL"); byIndex {
		q.Write(history.InOrder)
	}
	if f.ExpiresFrom != nil {
		q.Write(" AND "+history.LastDay+" >= ?", *f.ExpiresFrom)
	}
	if f.ExpiresThrough != nil {
		q.Write(" AND "+history.LastDay+" <= ?", *f.ExpiresThrough)
	}
}

// whoseCertification adds the "filters of both lists: AgentCode, type, providerCompany,
// jurisdiction, status, identifier" (Certifications).
func (s *Service) whoseCertification(q *store.SQL, agentCode, kind, providerCompany, jurisdiction, identifier *string, status []string) {
	for _, equal := range []struct {
		column string
		value  *string
	}{
		{"a.code", agentCode}, {"c.type", kind}, {"c.provider_company", providerCompany},
		{"c.jurisdiction", jurisdiction}, {"c.identifier", identifier},
	} {
		if equal.value != nil {
			q.Write(" AND "+equal.column+" = ?", *equal.value)
		}
	}
	if status != nil {
		q.Write(" AND " + s.store.InTexts("p.status", q.Arg(s.store.Texts(status))))
	}
}

// certificationTexts returns the texts among the conditions of both lists of
// certifications.
func certificationTexts(agentCode, kind, providerCompany, jurisdiction, identifier *string) []record.FilterText {
	return []record.FilterText{record.FilterOn("agentCode", agentCode), record.FilterOf(record.CertificationTypeTable, "type", kind), record.FilterOf(record.ProviderCompanyTable, "providerCompany", providerCompany),
		record.FilterOf(record.JurisdictionTable, "jurisdiction", jurisdiction), record.FilterOn("identifier", identifier)}
}
