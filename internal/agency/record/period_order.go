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

// ForOneOwner is the order of one owner's periods: by first day.
func ForOneOwner() []listing.Order { return []listing.Order{{Field: "EFFECTIVE_FROM"}} }

// IsOfPeriods reports whether an order begins with a property of the period p itself.
// Each such order has an index of live periods.
func IsOfPeriods(keys []page.Key) bool {
	return strings.HasPrefix(keys[0].SQL, "p.") || keys[0].SQL == history.LastDay
}

// InOrder writes the conditions of the index of live periods p by a sort key: those that
// it demands, and, for periods that cover a day, where it begins. It is nil for what was
// known earlier, of which there is no index.
func InOrder(asOf history.AsOf) func(q *store.SQL, first page.Key) {
	if asOf.Known.At() != nil {
		return nil
	}
	return func(q *store.SQL, first page.Key) {
		q.Write(history.LiveInOrder)
		if first.SQL == history.LastDay && asOf.Day != 0 {
			q.Write(" AND "+history.LastDay+" >= ?", asOf.Day)
		}
	}
}
