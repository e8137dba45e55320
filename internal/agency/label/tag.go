package label

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// TagAssignmentFilter holds the conditions of a list of tag assignments. A nil field is
// no condition.
type TagAssignmentFilter struct{ AgentCode, Tag *string }

// tagAssignmentKeys are the sort keys of tag assignments, by value of the GraphQL enum.
var tagAssignmentKeys = map[string]page.Key{
	"AGENT_CODE":  {Name: "code", SQL: "a.code", Kind: page.Text},
	"TAG":         {Name: "tag", SQL: "x.tag", Kind: page.Text},
	"ASSIGNED_AT": {Name: "at", SQL: "x.assigned_at", Kind: page.Time},
}

// TagAssignmentList returns the list of the "tag assignments across all agents" (Agents),
// by agent code and tag unless orders say otherwise.
func (s *Service) TagAssignmentList(ctx context.Context, f TagAssignmentFilter, orders []listing.Order) (listing.Rows, error) {
	tenantID, err := record.CheckFilter(ctx, s.store, record.FilterOn("agentCode", f.AgentCode), record.FilterOf(record.TagTable, "tag", f.Tag))
	return listing.Rows{
		Store: s.store, Name: "tagAssignments",
		Keys: listing.SortKeys(orders, tagAssignmentKeys, tagAssignmentKeys["AGENT_CODE"], tagAssignmentKeys["TAG"]),
		From: func(q *store.SQL) {
			q.Write("agency_tag_assignment x JOIN agency_agent a ON a.tenant_id = x.tenant_id AND a.id = x.agent_id WHERE x.tenant_id = ?", tenantID)
			exactly(q, "a.code", f.AgentCode)
			exactly(q, "x.tag", f.Tag)
		},
		Kept: s.totals.Of(ctx), ByValue: listing.ByValue(f, f.AgentCode != nil),
	}, err
}
