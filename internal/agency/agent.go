package agency

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/text"
)

// DisplayName returns the name under which a person is shown: the common name, or else
// the first name, and then the last name.
func DisplayName(first string, common *string, last string) string {
	if common != nil {
		first = *common
	}
	return first + " " + last
}

// SearchKey returns a name in the form in which it is searched and sorted: in lower case,
// and the same on every database.
func SearchKey(s *string) string {
	if s == nil {
		return ""
	}
	return text.SearchKey(*s)
}

// AgentCodes returns the codes of agents by id. It leaves out ids of no agent.
func (s *Service) AgentCodes(ctx context.Context, ids []int64) (map[int64]string, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	return agentCodes(ctx, s.store, tenantID, ids)
}

// AgentIDs returns the ids of agents by code. It leaves out codes of no agent.
func (s *Service) AgentIDs(ctx context.Context, codes []string) (map[string]int64, error) {
	return record.AgentIDs(ctx, s.store, codes)
}

func governmentIdentifierField(tenantID, agentID int64) vault.Field {
	return vault.Field{TenantID: tenantID, Table: "agency_agent", Column: "government_identifier", RowID: agentID}
}

// governmentIdentifierIndex returns the blind index of an SSN or SIN, the same however
// the number is punctuated.
func governmentIdentifierIndex(ctx context.Context, v *vault.Vault, tenantID int64, identifier string) ([]byte, error) {
	return v.BlindIndex(ctx, tenantID, "agency_agent", "government_identifier", text.Identifier(identifier))
}

// sealGovernmentIdentifier returns what is stored of an agent's SSN or SIN: the
// encrypted value, bound to the agent's row, and its blind index.
func sealGovernmentIdentifier(ctx context.Context, v *vault.Vault, tenantID, agentID int64, identifier string) (sealed, index []byte, err error) {
	if sealed, err = v.Encrypt(ctx, governmentIdentifierField(tenantID, agentID), identifier); err != nil {
		return nil, nil, err
	}
	index, err = governmentIdentifierIndex(ctx, v, tenantID, identifier)
	return sealed, index, err
}

// maxCodes: "GET /agents agentCodes filter: up to 100 codes" (Limits).
const maxCodes = 100

// AgentFilter holds the conditions of a list of agents. A nil field is no condition.
type AgentFilter struct {
	AgentCodes           []string
	Search               *string
	IsActive             *bool
	Email                *string
	FirstName, LastName  *string
	Jurisdiction         *string
	GovernmentIdentifier *string
	NPN                  *string
	ModifiedSince        *time.Time
	PayStatus            []string
	UplineAgentCode      *string
}

// agentKeys are the sort keys of agents, by value of the GraphQL enum.
var agentKeys = map[string]page.Key{
	"AGENT_CODE":    {Name: "code", SQL: "a.code", Kind: page.Text},
	"FIRST_NAME":    {Name: "first", SQL: "a.first_name_key", Kind: page.Text},
	"LAST_NAME":     {Name: "last", SQL: "a.last_name_key", Kind: page.Text},
	"COMMON_NAME":   {Name: "common", SQL: "a.common_name_key", Kind: page.Text},
	"START_DATE":    {Name: "start", SQL: "a.start_date", Kind: page.Time},
	"LAST_MODIFIED": lastModified,
}

// lastModified is the key of lists in the order of changes, which agency_agent_modified m
// has in an index.
var lastModified = page.Key{Name: "modified", SQL: "m.last_modified", Kind: page.Time}

// AgentList returns the list of the agents that match, as of a day.
func (s *Service) AgentList(ctx context.Context, f AgentFilter, orders []listing.Order, asOf history.AsOf) (listing.Rows, error) {
	var c record.Check
	c.AtMost(len(f.AgentCodes), maxCodes, "codes", "filter", "agentCodes")
	c.AtMost(len(searchWords(f.Search)), maxWords, "words", "filter", "search")
	tenantID, err := record.CheckFilter(ctx, s.store, f.texts()...)
	if err := record.FirstOf(c.Err(), err); err != nil {
		return listing.Rows{}, err
	}
	var index []byte
	if f.GovernmentIdentifier != nil {
		if index, err = governmentIdentifierIndex(ctx, s.vault, tenantID, *f.GovernmentIdentifier); err != nil {
			return listing.Rows{}, err
		}
	}
	keys := listing.SortKeys(orders, agentKeys, page.Key{Name: "id", SQL: "a.id", Kind: page.Int})
	if len(orders) == 0 {
		keys = []page.Key{agentKeys["AGENT_CODE"]}
	}
	list := listing.Rows{
		Store: s.store, Name: "agents", Keys: keys, Kept: s.totals.Of(ctx),
		ByValue: listing.ByValue(f, f.AgentCodes != nil, f.Email != nil, f.GovernmentIdentifier != nil, f.NPN != nil, f.UplineAgentCode != nil),
		From: func(q *store.SQL) {
			agentsFrom(q, tenantID, f.ModifiedSince != nil || slices.ContainsFunc(keys, func(k page.Key) bool { return k.Name == lastModified.Name }))
			s.agentConditions(q, tenantID, f, index, asOf, false)
		},
		Counted: func(q *store.SQL) {
			agentsFrom(q, tenantID, f.ModifiedSince != nil)
			s.agentConditions(q, tenantID, f, index, asOf, true)
		},
	}
	if reflect.ValueOf(f).IsZero() { // all there are, whose number is kept
		list.Total = func(q *store.SQL, _ string) {
			q.Write("SELECT CAST(coalesce(sum(n.agents), 0) AS bigint) FROM agency_agent_count n WHERE n.tenant_id = ?", tenantID)
		}
	}
	return list, nil
}

// agentsFrom writes what agents a are read from: modified, in the order of their changes.
func agentsFrom(q *store.SQL, tenantID int64, modified bool) {
	if modified {
		q.Write("agency_agent_modified m JOIN agency_agent a ON a.tenant_id = m.tenant_id AND a.id = m.agent_id WHERE m.tenant_id = ?", tenantID)
		return
	}
	q.Write("agency_agent a WHERE a.tenant_id = ?", tenantID)
}

// agentConditions writes the conditions of agents; counted, if all of them are to be
// found, not the first few in an order.
func (s *Service) agentConditions(q *store.SQL, tenantID int64, f AgentFilter, index []byte, asOf history.AsOf, counted bool) {
	if f.AgentCodes != nil {
		q.Write(" AND " + s.store.InTexts("a.code", q.Arg(s.store.Texts(f.AgentCodes))))
	}
	if f.Email != nil {
		// The index leaves out agents without an address; only a condition that
		// says so for any value can use it.
		q.Write(" AND a.email_key = ? AND a.email_key <> ''", SearchKey(f.Email))
	}
	prefix(q, "a.first_name_key", f.FirstName)
	prefix(q, "a.last_name_key", f.LastName)
	searched(q, tenantID, searchWords(f.Search))
	if f.NPN != nil {
		q.Write(" AND a.npn = ?", *f.NPN)
	}
	if f.ModifiedSince != nil {
		q.Write(" AND m.last_modified >= ?", *f.ModifiedSince)
	}
	if f.GovernmentIdentifier != nil {
		q.Write(" AND a.government_identifier_index = ?", index)
	}
	if f.Jurisdiction != nil {
		q.Write(" AND EXISTS (SELECT 1 FROM agency_address d WHERE d.tenant_id = a.tenant_id AND d.agent_id = a.id AND d.jurisdiction = ?)", *f.Jurisdiction)
	}
	s.datedAgentConditions(q, tenantID, f, asOf, counted)
}

func (s *Service) datedAgentConditions(q *store.SQL, tenantID int64, f AgentFilter, asOf history.AsOf, counted bool) {
	const of = " WHERE p.tenant_id = a.tenant_id AND p.agent_id = a.id AND "
	if f.IsActive != nil {
		not := ""
		if !*f.IsActive {
			not = " NOT"
		}
		q.Write(" AND" + not + " EXISTS (SELECT 1 FROM agency_pay_status_period p JOIN agency_pay_status s ON s.tenant_id = p.tenant_id AND s.name = p.status" + of +
			asOf.Covers("p", q.Arg) + " AND s.is_active)")
	}
	if f.PayStatus != nil {
		if counted { // SQLite reads the periods in one go, which takes less than half as long
			q.Write(" AND a.id IN (SELECT p.agent_id FROM agency_pay_status_period p WHERE p.tenant_id = ? AND ", tenantID)
		} else {
			q.Write(" AND EXISTS (SELECT 1 FROM agency_pay_status_period p" + of)
		}
		q.Write(asOf.Covers("p", q.Arg) + " AND " + s.store.InTexts("p.status", q.Arg(s.store.Texts(f.PayStatus))) + history.InOrder + ")") // there is an index by the status
	}
	if f.UplineAgentCode != nil {
		// A period keeps the code of an upline that has been deleted since.
		const team = " JOIN agency_team t ON t.tenant_id = p.tenant_id AND t.id = p.team_id AND t.name = ?"
		q.Write(" AND a.id IN (SELECT p.agent_id FROM agency_upline_period p JOIN agency_agent u ON u.tenant_id = p.tenant_id AND u.id = p.upline_agent_id"+team+
			" WHERE p.tenant_id = ? AND u.code = ? AND ", record.DefaultTeam, tenantID, *f.UplineAgentCode)
		q.Write(asOf.Covers("p", q.Arg)+" UNION ALL SELECT p.agent_id FROM agency_upline_period p"+team+
			" WHERE p.tenant_id = ? AND p.deleted_upline_code = ? AND ", record.DefaultTeam, tenantID, *f.UplineAgentCode)
		q.Write(asOf.Covers("p", q.Arg) + ")")
	}
}

// prefix adds the condition that a key starts with a text, in a form that an index can
// answer.
func prefix(q *store.SQL, column string, text *string) {
	key := SearchKey(text)
	if key == "" {
		return
	}
	q.Write(" AND "+column+" >= ? AND "+column+" < ?", key, key+last)
}

// last comes after all that texts which begin with another go on with.
const last = "\U0010FFFF"

func (f AgentFilter) texts() []record.FilterText {
	texts := record.FilterList("agentCodes", f.AgentCodes)
	for i := range f.PayStatus {
		texts = append(texts, record.FilterOf(record.PayStatusTable, "payStatus", &f.PayStatus[i]))
	}
	return append(texts, record.FilterOn("email", f.Email), record.FilterOn("firstName", f.FirstName), record.FilterOn("lastName", f.LastName),
		record.FilterOf(record.JurisdictionTable, "jurisdiction", f.Jurisdiction), record.FilterOn("governmentIdentifier", f.GovernmentIdentifier), record.FilterOn("npn", f.NPN),
		record.FilterOn("uplineAgentCode", f.UplineAgentCode), record.FilterOn("search", f.Search))
}
