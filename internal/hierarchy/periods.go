package hierarchy

import (
	"cmp"
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
)

// teamHistory has the live upline periods of a team. It does not change.
type teamHistory struct {
	// version is the team's change counter up to which the periods are known.
	version int64
	// agents are all agents that periods name, by id.
	agents []int64
	// spans are in the order of uplines, and of agents, those of each upline from first on.
	// Those of roots come last.
	spans []span
	first []int32
}

// period is an upline period as it is stored; upline is 0 for a root.
type period struct {
	agent, upline int64
	from, through date.Date
}

// span is a period. It has the indexes of its agents among all of the team.
type span struct {
	agent, upline int32 // upline is none without one
	from, through date.Date
}

func (s span) covers(day date.Date) bool { return s.from <= day && day <= s.through }

const (
	none   = -1
	absent = -2
)

// readHistory reads the live periods of a team.
func readHistory(ctx context.Context, q store.Querier, tenantID, teamID, version int64) (*teamHistory, error) {
	periods, err := store.Collect(ctx, q, func(row store.Scanner) (p period, err error) {
		var through *date.Date
		err = row.Scan(&p.agent, &p.upline, &p.from, &through)
		p.through = date.OrMax(through)
		return p, err
	}, `SELECT p.agent_id, coalesce(p.upline_agent_id, 0), p.effective_from, p.effective_through FROM agency_upline_period p
		WHERE p.tenant_id = $1 AND p.team_id = $2 AND p.superseded_at IS NULL`, tenantID, teamID)
	return (&teamHistory{}).with(version, nil, periods), err
}

// with returns the history in which the periods of the changed agents are others.
func (h *teamHistory) with(version int64, changed map[int64]bool, periods []period) *teamHistory {
	next := &teamHistory{version: version, agents: h.agents}
	var strange []int64 // agents that no period has named so far
	for _, p := range periods {
		for _, id := range []int64{p.agent, p.upline} {
			if _, known := h.index(id); !known && id != 0 {
				strange = append(strange, id)
			}
		}
	}
	if len(strange) > 0 {
		next.agents = slices.Concat(h.agents, strange)
		slices.Sort(next.agents)
		next.agents = slices.Compact(next.agents)
	}
	next.spans = make([]span, 0, len(h.spans)+len(periods))
	at := h.indexesIn(next)
	for _, s := range h.spans {
		if changed[h.agents[s.agent]] {
			continue
		}
		if s.agent = at[s.agent]; s.upline >= 0 {
			s.upline = at[s.upline]
		}
		next.spans = append(next.spans, s)
	}
	for _, p := range periods {
		s := span{upline: none, from: p.from, through: p.through}
		s.agent, _ = next.index(p.agent)
		if p.upline != 0 {
			s.upline, _ = next.index(p.upline)
		}
		next.spans = append(next.spans, s)
	}
	next.sort()
	return next
}

// index returns the index of an agent.
func (h *teamHistory) index(id int64) (at int32, found bool) {
	i, found := slices.BinarySearch(h.agents, id)
	return int32(i), found
}

// indexesIn returns the index of each agent in a history that has more.
func (h *teamHistory) indexesIn(next *teamHistory) []int32 {
	indexes, at := make([]int32, len(h.agents)), int32(0)
	for i, id := range h.agents {
		for next.agents[at] != id {
			at++
		}
		indexes[i] = at
	}
	return indexes
}

// sort brings the spans into their order.
func (h *teamHistory) sort() {
	last := int32(len(h.agents))
	slices.SortFunc(h.spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(uint32(a.upline), uint32(b.upline)), cmp.Compare(a.agent, b.agent)) // none is the greatest
	})
	h.first = make([]int32, last+1)
	for agent, at := int32(0), 0; agent <= last; agent++ {
		for at < len(h.spans) && uint32(h.spans[at].upline) < uint32(agent) {
			at++
		}
		h.first[agent] = int32(at)
	}
}
