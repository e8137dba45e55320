package agency

import (
	"context"
	"reflect"
	"strconv"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// agentKeys are the sort keys of agents, by value of the GraphQL enum.
var agentKeys = map[string]page.Key{
	"AGENT_CODE":         {Name: "code", SQL: "a.code", Kind: page.Text},
	"FIRST_NAME":         {Name: "first", SQL: "a.first_name_key", Kind: page.Text},
	"LAST_NAME":          {Name: "last", SQL: "a.last_name_key", Kind: page.Text},
	"COMMON_NAME":        {Name: "common", SQL: "a.common_name_key", Kind: page.Text},
	"START_DATE":         {Name: "start", SQL: "a.start_date", Kind: page.Time},
	"LAST_MODIFIED":      lastModified,
	"AGENT_CODE_NATURAL": natural,
}

// ranked is the key of lists in the order of how well agents r fit the query.
var ranked = page.Key{Name: "rank", SQL: "r.rank", Kind: page.Int}

// AgentList returns the list of the agents that match, as of a day; without an order those
// first that fit the query best.
func (l *finder) AgentList(ctx context.Context, f AgentFilter, orders []listing.Order, asOf history.AsOf) (listing.Rows, error) {
	c, err := l.compileFilter(ctx, &f, asOf)
	if err != nil {
		return listing.Rows{}, err
	}
	if c.walked, err = c.orNear(ctx, len(orders) > 0); err != nil {
		return listing.Rows{}, err
	}
	keys := listing.SortKeys(orders, agentKeys, page.Key{Name: "id", SQL: "a.id", Kind: page.Int})
	switch {
	case len(orders) == 0 && c.words != nil:
		keys = []page.Key{ranked, {Name: "id", SQL: "r.agent_id", Kind: page.Int}}
	case len(orders) == 0:
		keys = []page.Key{agentKeys["AGENT_CODE"]}
	}
	list := listing.Rows{
		Dimensions: c.dimensions, Row: "a.id AS agent_id",
		Store: l.store, Name: "agents", Keys: keys, Kept: l.totals.Of(ctx),
		ByValue: listing.ByValue(f, f.AgentCodes != nil, f.Email != nil, f.GovernmentIdentifier != nil, f.NPN != nil, f.UplineAgentCode != nil),
		From:    func(q *store.SQL) { c.from(q, keys) },
		Counted: func(q *store.SQL) {
			all := *c // none of those inside: what they have is looked up
			all.counted, all.walked = true, false
			all.from(q, nil)
		},
	}
	if len(orders) == 0 && reflect.DeepEqual(f, AgentFilter{Query: f.Query}) && f.Query != nil && c.past == nil { // of then, some who are found were not there yet
		list.OfPage = c.bestFirst(keys)
	}
	if reflect.ValueOf(f).IsZero() { // all there are, whose number is kept
		list.Total = func(q *store.SQL, _ string) {
			q.Write("SELECT CAST(coalesce(sum(n.agents), 0) AS bigint) FROM agency_agent_count n WHERE n.tenant_id = ?", c.tenantID)
		}
	}
	return list, nil
}

// bestFirst writes where those that nothing but a query finds are read from for one page:
// no more of their rows are looked up than the page has.
func (t *filterTree) bestFirst(keys []page.Key) func(plan *page.Query) func(q *store.SQL) {
	return func(plan *page.Query) func(q *store.SQL) {
		return func(q *store.SQL) {
			if plan.Offset() > 0 {
				t.from(q, keys)
				return
			}
			q.Write("(SELECT r.agent_id, r.rank FROM (")
			t.found(q)
			q.Write(") r WHERE " + plan.Where(q) + " ORDER BY " + plan.OrderBy() + " LIMIT " + strconv.Itoa(plan.Limit()))
			q.Write(") r CROSS JOIN agency_agent a WHERE a.tenant_id = ? AND a.id = r.agent_id", t.tenantID)
		}
	}
}

// AgentDimensions returns what rows with an agent_id can be grouped by, as of a day.
func (l *finder) AgentDimensions(ctx context.Context, asOf history.AsOf) (func() map[string]listing.Dimension, error) {
	c, err := l.compileFilter(ctx, new(AgentFilter), asOf)
	if err != nil {
		return nil, err
	}
	return c.dimensions, nil
}

// dimensions are what agents can be grouped by, by value of the GraphQL enum.
func (t *filterTree) dimensions() map[string]listing.Dimension {
	joined := func(table string, dated, ofTeam bool) func(q *store.SQL, d string) {
		return func(q *store.SQL, d string) {
			q.Write(" LEFT JOIN "+table+" "+d+" ON "+d+".tenant_id = ? AND "+d+".agent_id = x.agent_id", t.tenantID)
			if ofTeam {
				q.Write(" AND "+d+".team_id = ?", t.team.TeamID)
			}
			if dated {
				q.Write(" AND " + t.asOf.Covers(d, q.Arg))
			}
		}
	}
	column := func(name string) func(d string) string { return func(d string) string { return d + "." + name } }
	upline := joined("agency_upline_period", true, true)
	return map[string]listing.Dimension{
		"PAY_STATUS": {Join: joined("agency_pay_status_period", true, false), Value: column("status")},
		"LEVEL": {Join: joined("agency_level_period", true, true), Value: column("level"), Label: func(q *store.SQL, value string) string {
			return "(SELECT l.name FROM agency_agent_level l WHERE l.tenant_id = " + q.Arg(t.tenantID) + " AND l.team_id = " + q.Arg(t.team.TeamID) + " AND l.value = " + value + ")"
		}},
		"HOME_JURISDICTION": {
			Join: func(q *store.SQL, d string) {
				joined("agency_address", false, false)(q, d)
				q.Write(" AND "+d+".kind = ?", string(HomeAddress))
			},
			Value: column("jurisdiction"), Label: record.NameOf(record.JurisdictionTable, t.tenantID),
		},
		"TAG": {Join: joined("agency_tag_assignment", false, false), Value: column("tag")},
		"UPLINE": {
			Join: func(q *store.SQL, d string) {
				upline(q, d)
				q.Write(" LEFT JOIN agency_agent u"+d+" ON u"+d+".tenant_id = ? AND u"+d+".id = "+d+".upline_agent_id", t.tenantID)
			},
			Value: func(d string) string { return "coalesce(u" + d + ".code, " + d + ".deleted_upline_code)" },
			Label: record.NameOfAgent(t.tenantID),
		},
	}
}

// AgentCodes returns the codes of agents by id. It leaves out ids of no agent.
func (l *finder) AgentCodes(ctx context.Context, ids []int64) (map[int64]string, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	return agentCodes(ctx, l.store, tenantID, ids)
}

// AgentIDs returns the ids of agents by code. It leaves out codes of no agent.
func (l *finder) AgentIDs(ctx context.Context, codes []string) (map[string]int64, error) {
	return record.AgentIDs(ctx, l.store, codes)
}
