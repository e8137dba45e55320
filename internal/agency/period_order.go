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

// inOrder writes the whole list of periods in the order of an index of live ones, from what
// writes it with a kind of join; nil where there is no such index, or where the list is
// narrowed to few rows. SQLite keeps to the order of a CROSS JOIN, PostgreSQL finds its own.
func (s *Service) inOrder(keys []page.Key, f PeriodFilter, from func(join string) func(q *store.SQL)) func(q *store.SQL) {
	if !isOfPeriods(keys) || f.AgentCode != nil || f.ids != nil || f.Known.At() != nil {
		return nil
	}
	return func(q *store.SQL) {
		from(s.joinInOrder())(q)
		q.Write(beginning)
	}
}

func (s *Service) joinInOrder() string {
	if s.store.Postgres() {
		return "JOIN"
	}
	return "CROSS JOIN"
}
