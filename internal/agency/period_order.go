package agency

import (
	"strings"

	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
)

// lastDay is the last day of a period, behind all others where it is open-ended. It says
// CASE, as the indexes do: PostgreSQL looks nothing up by coalesce for a role that policies
// hold for.
const lastDay = "CASE WHEN p.effective_through IS NULL THEN '9999-12-31' ELSE p.effective_through END"

// The sort keys that lists of periods and of certifications have in common.
var (
	byFirstDay = page.Key{Name: "from", SQL: "p.effective_from", Kind: page.Day}
	byLastDay  = page.Key{Name: "through", SQL: lastDay, Kind: page.Day}
)

// periodKeys are the sort keys of periods by GraphQL enum value.
var periodKeys = map[string]page.Key{
	"AGENT_CODE":        {Name: byAgentCode, SQL: "a.code", Kind: page.Text},
	"EFFECTIVE_FROM":    byFirstDay,
	"EFFECTIVE_THROUGH": byLastDay,
	"LAST_MODIFIED":     {Name: "recorded", SQL: "p.recorded_at", Kind: page.Time},
}

func (p *Period) place(key string) any {
	switch key {
	case byAgentCode:
		return p.agentCode
	case byFirstDay.Name:
		return p.EffectiveFrom
	case byLastDay.Name:
		return date.OrMax(p.EffectiveThrough)
	case "recorded":
		return p.RecordedAt
	}
	return p.ID
}

// periodOrder sorts periods; by agent code and first day unless told otherwise.
func periodOrder(orders []listing.Order) []page.Key {
	if len(orders) == 0 {
		orders = []listing.Order{{Field: "AGENT_CODE"}, {Field: "EFFECTIVE_FROM"}}
	}
	id := page.Key{Name: "id", SQL: "p.id", Kind: page.Int}
	if len(orders) == 1 && orders[0].Field == "AGENT_CODE" {
		id.SQL = "+p.id" // or SQLite reads all rows of the tenant for each agent, in the order of the ids
	}
	return listing.SortKeys(orders, periodKeys, id)
}

// isOfPeriods reports whether an order begins with what a period p itself has. Each such
// order has an index of live periods, with the id behind.
func isOfPeriods(keys []page.Key) bool {
	return strings.HasPrefix(keys[0].SQL, "p.") || keys[0].SQL == lastDay
}

// inOrder writes the whole list of periods in its order, from what writes it with a kind of
// join: in that of an index of live periods, or agent by agent. It is nil where the list is
// narrowed to few rows, and where the database finds the order by itself.
func (s *Service) inOrder(keys []page.Key, f PeriodFilter, from func(j join) func(q *store.SQL)) func(q *store.SQL) {
	switch {
	case f.AgentCode != nil || f.ids != nil:
		return nil
	case isOfPeriods(keys) && f.Known.At() == nil:
		return func(q *store.SQL) {
			from(s.joinInOrder())(q)
			q.Write(beginning)
		}
	case keys[0].Name == byAgentCode && !s.store.Postgres():
		return from(agentByAgent)
	}
	return nil
}

// join says how periods p are joined to their agents a, and what else there is. SQLite keeps
// to the order of a CROSS JOIN, PostgreSQL finds its own.
type join string

const (
	anyhow         join = "JOIN"
	periodByPeriod join = "CROSS JOIN"
	agentByAgent   join = "agents CROSS JOIN"
)

func (s *Service) joinInOrder() join {
	if s.store.Postgres() {
		return anyhow
	}
	return periodByPeriod
}

// to returns the keyword that joins another table.
func (j join) to() string { return strings.TrimPrefix(string(j), "agents ") }

// periodsOf returns a table of periods p, joined to their agents a.
func (j join) periodsOf(table string) string {
	if j == agentByAgent {
		return "agency_agent a CROSS JOIN " + table + " p ON p.tenant_id = a.tenant_id AND p.agent_id = a.id"
	}
	return table + " p " + j.to() + " agency_agent a ON a.tenant_id = p.tenant_id AND a.id = p.agent_id"
}
