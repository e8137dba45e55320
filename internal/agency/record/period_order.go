package record

import (
	"strings"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

// The sort keys that lists of periods and of certifications share.
var (
	ByAgentCode = page.Key{Name: "code", SQL: "a.code", Kind: page.Text}
	ByFirstDay  = page.Key{Name: "from", SQL: "p.effective_from", Kind: page.Day}
	ByLastDay   = page.Key{Name: "through", SQL: history.LastDay, Kind: page.Day}
)

// PeriodKeys are the sort keys of periods, by value of the GraphQL enum.
var PeriodKeys = map[string]page.Key{
	"AGENT_CODE":        ByAgentCode,
	"EFFECTIVE_FROM":    ByFirstDay,
	"EFFECTIVE_THROUGH": ByLastDay,
	"LAST_MODIFIED":     {Name: "recorded", SQL: "p.recorded_at", Kind: page.Time},
}

// PeriodOrder returns the sort keys of periods: by agent code and first day unless orders
// say otherwise.
func PeriodOrder(orders []listing.Order) []page.Key {
	if len(orders) == 0 {
		orders = []listing.Order{{Field: "AGENT_CODE"}, {Field: "EFFECTIVE_FROM"}}
	}
	id := page.Key{Name: "id", SQL: "p.id", Kind: page.Int}
	if len(orders) == 1 && orders[0].Field == "AGENT_CODE" {
		id.SQL = "+p.id" // or SQLite reads all rows of the tenant for each agent, in the order of the ids
	}
	return listing.SortKeys(orders, PeriodKeys, id)
}

// ForOneOwner is the order of one owner's periods: by first day.
func ForOneOwner() []listing.Order { return []listing.Order{{Field: "EFFECTIVE_FROM"}} }

// IsOfPeriods reports whether an order begins with a property of the period p itself.
// Each such order has an index of live periods.
func IsOfPeriods(keys []page.Key) bool {
	return strings.HasPrefix(keys[0].SQL, "p.") || keys[0].SQL == history.LastDay
}

// Reads returns two ways to read a list of periods, given what writes it with a join:
// from reads it for a few owners, and whole reads all of it, in the order of an index of
// live periods or agent by agent. whole is nil if it would be the same as from.
func (f PeriodFilter) Reads(s *store.Store, keys []page.Key, write func(q *store.SQL, j Join)) (from, whole func(q *store.SQL)) {
	from = func(q *store.SQL) { write(q, inAnyOrder) }
	switch {
	case f.AgentCode != nil || f.UplineAgentCode != nil: // few
	case IsOfPeriods(keys) && f.Known.At() == nil:
		whole = func(q *store.SQL) {
			write(q, JoinInOrder(s))
			q.Write(history.LiveInOrder)
		}
	case keys[0].Name == ByAgentCode.Name && !s.Postgres():
		whole = func(q *store.SQL) { write(q, agentByAgent) }
	}
	return from, whole
}

// Join says how periods p are joined to their agents a. SQLite keeps the order of a CROSS
// JOIN; PostgreSQL chooses its own.
type Join struct {
	keyword string
	// agentsFirst reads the periods of one agent after the other.
	agentsFirst bool
}

var (
	inAnyOrder     = Join{keyword: "JOIN"}
	periodByPeriod = Join{keyword: "CROSS JOIN"}
	agentByAgent   = Join{keyword: "CROSS JOIN", agentsFirst: true}
)

// JoinInOrder returns the join that reads each period before what belongs to it.
func JoinInOrder(s *store.Store) Join {
	if s.Postgres() {
		return inAnyOrder
	}
	return periodByPeriod
}

// To returns the keyword that joins another table.
func (j Join) To() string { return j.keyword }

// PeriodsOf returns the periods p of a table, joined to their agents a.
func (j Join) PeriodsOf(table string) string {
	if j.agentsFirst {
		return "agency_agent a CROSS JOIN " + table + " p ON p.tenant_id = a.tenant_id AND p.agent_id = a.id"
	}
	return table + " p " + j.To() + " agency_agent a ON a.tenant_id = p.tenant_id AND a.id = p.agent_id"
}
