package label

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Alias is "another identifier for an agent, optionally tied to a provider
// company" (Alias). It is not dated.
type Alias struct {
	ID, AgentID     int64
	Identifier      string
	ProviderCompany *string
	CreatedAt       time.Time
	CreatedBy       string
	LastModified    time.Time
	LastModifiedBy  string
	agentCode       string
}

const aliasColumns = `l.id, l.agent_id, l.identifier, l.provider_company, l.created_at, l.created_by, l.last_modified, l.last_modified_by, a.code`

// aliasTables joins aliases to their agents.
const aliasTables = "agency_alias l JOIN agency_agent a ON a.tenant_id = l.tenant_id AND a.id = l.agent_id WHERE l.tenant_id = "

func scanAlias(r store.Scanner) (*Alias, error) {
	l := new(Alias)
	return l, r.Scan(&l.ID, &l.AgentID, &l.Identifier, &l.ProviderCompany, &l.CreatedAt, &l.CreatedBy,
		&l.LastModified, &l.LastModifiedBy, &l.agentCode)
}

// AliasFilter holds the conditions of a list of aliases. A nil field is no condition.
type AliasFilter struct{ AgentCode, Identifier, ProviderCompany *string }

var aliasID = page.Key{Name: "id", SQL: "l.id", Kind: page.Int}

// aliasKeys are the sort keys of aliases, by value of the GraphQL enum.
var aliasKeys = map[string]page.Key{
	"IDENTIFIER":       {Name: "identifier", SQL: "l.identifier", Kind: page.Text},
	"AGENT_CODE":       {Name: "code", SQL: "a.code", Kind: page.Text},
	"PROVIDER_COMPANY": {Name: "company", SQL: "coalesce(l.provider_company, '')", Kind: page.Text},
	"CREATED_AT":       {Name: "created", SQL: "l.created_at", Kind: page.Time},
}

func aliasPlace(l *Alias, key string) any {
	switch key {
	case "identifier":
		return l.Identifier
	case "code":
		return l.agentCode
	case "company":
		if l.ProviderCompany == nil {
			return ""
		}
		return *l.ProviderCompany
	case "created":
		return l.CreatedAt
	}
	return l.ID
}

// AliasList returns the list of the aliases that match exactly, by identifier unless
// orders say otherwise.
func (s *Service) AliasList(ctx context.Context, f AliasFilter, orders []listing.Order) (listing.List[*Alias], error) {
	tenantID, err := record.CheckFilter(ctx, s.store, record.FilterOn("agentCode", f.AgentCode), record.FilterOn("identifier", f.Identifier), record.FilterOf(record.ProviderCompanyTable, "providerCompany", f.ProviderCompany))
	return listing.List[*Alias]{
		Store: s.store,
		Name:  "aliases", Owner: "l.agent_id", Columns: aliasColumns,
		Keys: listing.SortKeys(orders, aliasKeys, aliasKeys["IDENTIFIER"], aliasID),
		From: func(q *store.SQL) {
			q.Write(aliasTables+"?", tenantID)
			exactly(q, "a.code", f.AgentCode)
			exactly(q, "l.identifier", f.Identifier)
			exactly(q, "l.provider_company", f.ProviderCompany)
		},
		Scan: scanAlias, Place: aliasPlace, Kept: s.totals.Of(ctx), ByValue: listing.ByValue(f, f.AgentCode != nil, f.Identifier != nil),
	}, err
}

// Aliases reads aliases by id. It leaves out ids of other tenants.
func (s *Service) Aliases(ctx context.Context, ids []int64) (map[int64]*Alias, error) {
	return record.ReadMap(ctx, s.store, scanAlias, func(l *Alias) int64 { return l.ID }, func(q *store.SQL, tenant string) {
		q.Write("SELECT " + aliasColumns + " FROM " + aliasTables + tenant + " AND " + s.store.In("l.id", q.Arg(s.store.List(ids))))
	})
}

// exactly adds the condition that a column equals a text.
func exactly(q *store.SQL, column string, text *string) {
	if text != nil {
		q.Write(" AND "+column+" = ?", *text)
	}
}
