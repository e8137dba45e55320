package hierarchy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
)

// levels returns the agents in what is compared whose level differs.
func (c Comparison) levels(ctx context.Context, q store.Querier, tenantID int64, in days) (changes map[int64]LevelChange, err error) {
	if c.Was == nil {
		changes, err = c.levelsBetween(ctx, q, tenantID)
	} else if is, failed := levelsOn(ctx, q, tenantID, c.TeamID, c.To); failed != nil {
		err = failed
	} else {
		changes = levelsDiffer(c.Was.levels, is)
	}
	maps.DeleteFunc(changes, func(id int64, l LevelChange) bool {
		return !in.has(id) || l.From != nil && l.To != nil && *l.From == *l.To
	})
	return changes, err
}

func levelsDiffer(was, is map[int64]held) map[int64]LevelChange {
	changes := make(map[int64]LevelChange, len(is))
	for id, before := range was {
		changes[id] = LevelChange{AgentID: id, From: &before.level}
	}
	for id, now := range is {
		l := changes[id]
		l.AgentID, l.To, l.Since = id, &now.level, &now.since
		changes[id] = l
	}
	return changes
}

// levelsOn returns the levels of a team's agents on a day.
func levelsOn(ctx context.Context, q store.Querier, tenantID, teamID int64, day date.Date) (map[int64]held, error) {
	var s store.SQL
	s.Write("SELECT p.agent_id, p.level, p.effective_from FROM agency_level_period p WHERE p.tenant_id = " + s.Arg(tenantID) + " AND p.team_id = " + s.Arg(teamID) +
		" AND " + history.AsOf{Day: day}.Covers("p", s.Arg))
	levels := map[int64]held{}
	err := store.Each(ctx, q, &s, func(row store.Scanner) error {
		var id int64
		var h held
		err := row.Scan(&id, &h.level, &h.since)
		levels[id] = h
		return err
	})
	return levels, err
}

// levelsBetween reads the periods that cover only one of the days: those that begin, or
// end, in between.
func (c Comparison) levelsBetween(ctx context.Context, q store.Querier, tenantID int64) (map[int64]LevelChange, error) {
	var s store.SQL
	from, to := s.Arg(c.From), s.Arg(c.To)
	periods := " AS later, p.agent_id, p.level, p.effective_from FROM agency_level_period p WHERE p.tenant_id = " + s.Arg(tenantID) +
		" AND p.team_id = " + s.Arg(c.TeamID) + history.LiveInOrder
	s.Write("SELECT false" + periods + " AND " + history.LastDay + " >= " + from + " AND " + history.LastDay + " < " + to + " AND p.effective_from <= " + from +
		" UNION ALL SELECT true" + periods + " AND p.effective_from > " + from + " AND p.effective_from <= " + to + " AND " + history.LastDay + " >= " + to)
	changes := map[int64]LevelChange{}
	err := store.Each(ctx, q, &s, func(row store.Scanner) error {
		var (
			later bool
			id    int64
			level int
			since date.Date
		)
		err := row.Scan(&later, &id, &level, &since)
		l := changes[id]
		l.AgentID = id
		if later {
			l.To, l.Since = &level, &since
		} else {
			l.From = &level
		}
		changes[id] = l
		return err
	})
	return changes, err
}

func keysOf[T any](m map[int64]T) []int64 { return slices.Collect(maps.Keys(m)) }

// cut brings each list into the order of agent codes, and cuts it to what is behind a
// code: one agent more than is shown, if there are more.
func (c Comparison) cut(ctx context.Context, q store.Querier, tenantID int64, lists [][]int64) error {
	var s store.SQL
	var parts []string
	tenant, after, most := s.Arg(tenantID), s.Arg(c.After), s.Arg(c.Most+1)
	for i, ids := range lists {
		if len(ids) > 0 {
			parts = append(parts, fmt.Sprintf("SELECT * FROM (SELECT %d AS list, a.code, a.id FROM agency_agent a WHERE a.tenant_id = %s AND a.code > %s AND %s ORDER BY a.code LIMIT %s) l%d",
				i, tenant, after, q.In("a.id", s.Arg(q.List(ids))), most, i))
		}
		lists[i] = nil
	}
	if len(parts) == 0 {
		return nil
	}
	s.Write(strings.Join(parts, " UNION ALL ") + " ORDER BY 1, 2")
	return store.Each(ctx, q, &s, func(row store.Scanner) error {
		var list int
		var code string
		var id int64
		err := row.Scan(&list, &code, &id)
		lists[list] = append(lists[list], id)
		return err
	})
}

// transfers returns moved agents with the latest period of each that begins by the later
// day. If it has ended by then, the agent has a place because others report to it, and
// no upline since that end.
func (c Comparison) transfers(ctx context.Context, q store.Querier, tenantID int64, in days, moved []int64) ([]Transfer, error) {
	if len(moved) == 0 {
		return nil, nil
	}
	var s store.SQL
	s.Write("SELECT p.agent_id, p.effective_from, p.effective_through, p.recorded_by FROM agency_upline_period p WHERE p.tenant_id = " + s.Arg(tenantID) +
		" AND p.team_id = " + s.Arg(c.TeamID) + " AND p.superseded_at IS NULL AND p.effective_from <= " + s.Arg(c.To) + " AND " + q.In("p.agent_id", s.Arg(q.List(moved))) +
		" ORDER BY p.effective_from")
	latest := map[int64]Transfer{}
	err := store.Each(ctx, q, &s, func(row store.Scanner) error {
		var t Transfer
		var through *date.Date
		err := row.Scan(&t.AgentID, &t.Since, &through, &t.RecordedBy)
		if last := date.OrMax(through); last < c.To {
			t.Since = last.AddDays(1)
		}
		latest[t.AgentID] = t
		return err
	})
	var all []Transfer
	for _, id := range moved {
		if t, found := latest[id]; found { // not if all of its periods were removed meanwhile
			t.FromUplineID, t.ToUplineID = in.uplinesOf(id)
			all = append(all, t)
		}
	}
	return all, err
}
