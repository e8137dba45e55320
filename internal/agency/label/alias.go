package label

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// aliasTables joins aliases to their agents.
const aliasTables = "agency_alias l JOIN agency_agent a ON a.tenant_id = l.tenant_id AND a.id = l.agent_id WHERE l.tenant_id = "

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

// AliasList returns the list of the aliases that match exactly, by identifier unless
// orders say otherwise.
func (s *Service) AliasList(ctx context.Context, f AliasFilter, orders []listing.Order) (listing.Rows, error) {
	tenantID, err := record.CheckFilter(ctx, s.store, record.FilterOn("agentCode", f.AgentCode), record.FilterOn("identifier", f.Identifier), record.FilterOf(record.ProviderCompanyTable, "providerCompany", f.ProviderCompany))
	return listing.Rows{
		Store: s.store, Name: "aliases", Owner: "l.agent_id",
		Keys: listing.SortKeys(orders, aliasKeys, aliasKeys["IDENTIFIER"], aliasID),
		From: func(q *store.SQL) {
			q.Write(aliasTables+"?", tenantID)
			exactly(q, "a.code", f.AgentCode)
			exactly(q, "l.identifier", f.Identifier)
			exactly(q, "l.provider_company", f.ProviderCompany)
		},
		Kept: s.totals.Of(ctx), ByValue: listing.ByValue(f, f.AgentCode != nil, f.Identifier != nil),
	}, err
}

// exactly adds the condition that a column equals a text.
func exactly(q *store.SQL, column string, text *string) {
	if text != nil {
		q.Write(" AND "+column+" = ?", *text)
	}
}
