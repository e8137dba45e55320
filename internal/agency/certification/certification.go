package certification

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/fields"
	"github.com/uplinehq/upline/internal/words/patch"
)

// Details are the properties of a certification that can change, apart from its status.
type Details struct {
	IsResidentCertification patch.Field[bool]   `name:"isResidentCertification" column:"is_resident_certification" always:"true" default:"false" about:"true or false"`
	IsVerified              patch.Field[bool]   `name:"isVerified" column:"is_verified" always:"true" default:"false" about:"true or false"`
	Note                    patch.Field[string] `name:"note" column:"note" as:"note" about:"a note; where the file says none, there is none"`
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

// CertificationList returns the list of the "certifications that have a current status
// (inactive statuses such as Expired included)" (specification, Certifications), as of a
// day.
func (s *Service) CertificationList(ctx context.Context, f Filter, orders []listing.Order, asOf history.AsOf) (listing.Rows, error) {
	tenantID, err := record.CheckFilter(ctx, s.store, certificationTexts(f.AgentCode, f.Type, f.ProviderCompany, f.Jurisdiction, f.Identifier)...)
	if f.ExpiresThrough != nil && (f.ExpiresFrom == nil || *f.ExpiresFrom < asOf.Day) {
		f.ExpiresFrom = &asOf.Day // a period that covers the day ends then or later; the index is read from there
	}
	keys := listing.SortKeys(orders, certificationKeys, certificationKeys["ID"])
	ofPeriods := record.IsOfPeriods(keys)
	if ofPeriods {
		keys = listing.SortKeys(orders, certificationKeys, byPeriodID)
	}
	join := "JOIN"
	list := listing.Rows{
		Store: s.store, Name: "certifications", Owner: "c.agent_id", Keys: keys,
		From: func(q *store.SQL) {
			q.Write("agency_certification c " + join + " agency_agent a ON a.tenant_id = c.tenant_id AND a.id = c.agent_id " + join +
				" agency_certification_period p ON p.tenant_id = c.tenant_id AND p.certification_id = c.id AND " + asOf.Covers("p", q.Arg))
			q.Write(" WHERE c.tenant_id = ?", tenantID)
			s.certificationConditions(q, f)
		},
		// A certification in the list has one period, that of the day.
		Counted: countedPeriods(tenantID, func(q *store.SQL) {
			q.Write(" AND " + asOf.Covers("p", q.Arg))
			s.certificationConditions(q, f)
		}),
		Kept:    s.totals.Of(ctx),
		ByValue: listing.ByValue(f, f.AgentCode != nil, f.Identifier != nil, f.ExpiresThrough != nil),
	}
	if !s.store.Postgres() && f.AgentCode == nil && f.ExpiresThrough == nil && !ofPeriods && keys[0].Name != record.ByAgentCode.Name {
		join = "CROSS JOIN" // in the order of the certifications, or SQLite reads all periods for a page of one
	}
	isSortedByAgent := slices.ContainsFunc(keys, func(k page.Key) bool { return k.Name == record.ByAgentCode.Name })
	if s.store.Postgres() && !isSortedByAgent && !ofPeriods && f.AgentCode == nil {
		// OFFSET keeps the planner from reading the periods of the tenant first.
		list.Each = func(q *store.SQL) {
			tenant := q.Arg(tenantID)
			q.Write("agency_certification c CROSS JOIN LATERAL (SELECT p.status, p.effective_from, p.effective_through FROM agency_certification_period p" +
				" WHERE p.tenant_id = " + tenant + " AND p.certification_id = c.id AND " + asOf.Covers("p", q.Arg) + " OFFSET 0) p WHERE c.tenant_id = " + tenant)
			s.certificationConditions(q, f)
		}
	}
	if ofPeriods && f.AgentCode == nil && asOf.Known.At() == nil {
		list.Whole = func(q *store.SQL) {
			q.Write(certificationsOfPeriods(record.JoinInOrder(s.store)), tenantID)
			p := "p"
			if !s.store.Postgres() && keys[0].SQL != record.ByFirstDay.SQL {
				p = "+p" // or SQLite takes the index by the first day
			}
			q.Write(" AND " + asOf.Covers(p, q.Arg) + history.LiveInOrder)
			if keys[0].SQL == history.LastDay { // the place in the index where it begins
				q.Write(" AND "+history.LastDay+" >= ?", asOf.Day)
			}
			s.certificationConditions(q, f)
		}
	}
	if keys[0].Name == record.ByAgentCode.Name && f.Identifier == nil {
		list.Keys = sortedByAgent(keys)
		list.Whole = func(q *store.SQL) {
			q.Write(certificationsOfAgents, tenantID)
			q.Write(" AND " + asOf.Covers("p", q.Arg))
			s.certificationConditions(q, f)
		}
	}
	return list, err
}

// countedPeriods writes the FROM and WHERE clauses that count the periods p that meet
// conditions. It joins certifications c and agents a only if the conditions name them.
func countedPeriods(tenantID int64, conditions func(q *store.SQL)) func(q *store.SQL) {
	return func(q *store.SQL) {
		from, tenant, where := "agency_certification_period p", q.Arg(tenantID), q.Piece(conditions)
		ofAgents := strings.Contains(where, " a.")
		if ofAgents || strings.Contains(where, " c.") {
			from += " JOIN agency_certification c ON c.tenant_id = p.tenant_id AND c.id = p.certification_id"
		}
		if ofAgents {
			from += " JOIN agency_agent a ON a.tenant_id = c.tenant_id AND a.id = c.agent_id"
		}
		q.Write(from + " WHERE p.tenant_id = " + tenant + where)
	}
}

// These read the certifications of one agent after the other, and then their periods:
// SQLite keeps the order of a CROSS JOIN. Otherwise, once there is a cursor, it would
// read all of them for each agent, in the order of an index.
const (
	certificationsOfAgents = "agency_agent a CROSS JOIN agency_certification c CROSS JOIN agency_certification_period p WHERE a.tenant_id = ?" +
		" AND c.tenant_id = a.tenant_id AND c.agent_id = a.id AND p.tenant_id = a.tenant_id AND p.certification_id = c.id"
)

// certificationsOfPeriods joins each period to its certification and its agent.
func certificationsOfPeriods(j record.Join) string {
	return "agency_certification_period p " + j.To() + " agency_certification c ON c.tenant_id = p.tenant_id AND c.id = p.certification_id " + j.To() +
		" agency_agent a ON a.tenant_id = c.tenant_id AND a.id = c.agent_id WHERE p.tenant_id = ?"
}

// sortedByAgent hides from SQLite the indexes in the order of the keys after the agent
// code, for the same reason. The few rows of an agent are sorted instead.
func sortedByAgent(keys []page.Key) []page.Key {
	for i, k := range keys {
		switch k.Name {
		case "id":
			keys[i].SQL = "+c.id"
		case "type", "jurisdiction":
			keys[i].SQL = "(" + k.SQL + " || '')"
		case "modified":
			keys[i].SQL = "coalesce(" + k.SQL + ", " + k.SQL + ")"
		}
	}
	return keys
}

func (s *Service) certificationConditions(q *store.SQL, f Filter) {
	s.whoseCertification(q, f.AgentCode, f.Type, f.ProviderCompany, f.Jurisdiction, f.Identifier, f.Status)
	if f.IsResidentCertification != nil {
		q.Write(" AND c.is_resident_certification = ?", *f.IsResidentCertification)
	}
	if f.IsVerified != nil {
		q.Write(" AND c.is_verified = ?", *f.IsVerified)
	}
	if f.ExpiresFrom == nil && f.ExpiresThrough == nil {
		return
	}
	q.Write(" AND p.effective_through IS NOT NULL")    // an open-ended one does not expire
	if s.store.Postgres() || f.ExpiresThrough != nil { // SQLite would read all that end later, and sort them
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
