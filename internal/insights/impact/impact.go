// Package impact is a part of the area insights: it reads what a reorganisation does to
// uplines, levels and premium, for whoever makes it and takes it back.
package impact

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Impact reads what a reorganisation does beside moving agents, for whoever makes it
// between Before and After.
type Impact struct {
	q        store.Querier
	tenantID int64
	view     hierarchy.View
	below    map[int64][]int64
}

// Effect is what a reorganisation does to an agent that it moves.
type Effect struct {
	// Followers are the agents that were and are below it, by id.
	Followers []int64
	// Uplines are those above it then, nearest first.
	Uplines []int64
	// Level is its level then, UplineLevel that of the nearest upline; nil for none.
	Level, UplineLevel *int
	// Premium is what it and its followers placed in the year.
	Premium money.Amount
}

// New returns the impact on a team on a day.
func New(ctx context.Context, q store.Querier, teamID int64, on date.Date) (*Impact, error) {
	tenantID, err := tenant.ID(ctx)
	return &Impact{q: q, tenantID: tenantID, view: hierarchy.View{TeamID: teamID, AsOf: history.AsOf{Day: on}}}, err
}

// Before reads who is below agents as long as these are not moved.
func (i *Impact) Before(ctx context.Context, agents []int64) (err error) {
	i.below, err = i.view.Below(ctx, i.q, agents, authorization.MaxUplineDepth)
	return err
}

// withBelow returns some of the agents of Before, and all below them.
func (i *Impact) withBelow(agents []int64) []int64 {
	all := slices.Clone(agents)
	for _, id := range agents {
		all = append(all, i.below[id]...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// After reads what the moves did to the agents, and what these and all below those with
// another upline placed in the year up to a day.
func (i *Impact) After(ctx context.Context, agents, relocated []int64, through date.Date) (map[int64]Effect, money.Amount, error) {
	below, err := i.view.Below(ctx, i.q, agents, authorization.MaxUplineDepth)
	if err != nil {
		return nil, 0, err
	}
	chains, err := i.view.Chain(ctx, i.q, agents, authorization.MaxUplineDepth)
	if err != nil {
		return nil, 0, err
	}
	named := slices.Clone(agents)
	for _, chain := range chains {
		named = append(named, chain[0].AgentID)
	}
	levels, err := i.levels(ctx, named)
	if err != nil {
		return nil, 0, err
	}
	placed, err := i.placed(ctx, i.withBelow(agents), through)
	if err != nil {
		return nil, 0, err
	}
	effects := make(map[int64]Effect, len(agents))
	for _, id := range agents {
		e := Effect{Level: levels[id], Premium: placed[id]}
		for _, link := range chains[id] {
			e.Uplines = append(e.Uplines, link.AgentID)
		}
		if len(e.Uplines) > 0 {
			e.UplineLevel = levels[e.Uplines[0]]
		}
		for _, other := range i.below[id] {
			if _, still := slices.BinarySearch(below[id], other); still {
				e.Followers = append(e.Followers, other)
				e.Premium += placed[other]
			}
		}
		effects[id] = e
	}
	var total money.Amount
	for _, id := range i.withBelow(relocated) {
		total += placed[id]
	}
	return effects, total, nil
}

func (i *Impact) levels(ctx context.Context, agents []int64) (map[int64]*int, error) {
	var s store.SQL
	s.Write("SELECT p.agent_id, p.level FROM agency_level_period p WHERE p.tenant_id = " + s.Arg(i.tenantID) + " AND p.team_id = " + s.Arg(i.view.TeamID) +
		" AND " + i.q.In("p.agent_id", s.Arg(i.q.List(agents))) + " AND " + i.view.Covers("p", s.Arg))
	levels := map[int64]*int{}
	return levels, store.Each(ctx, i.q, &s, func(row store.Scanner) error {
		var (
			id    int64
			level int
		)
		err := row.Scan(&id, &level)
		levels[id] = &level
		return err
	})
}

// placed returns the annual premium of the policies that agents placed in the year up to a
// day.
func (i *Impact) placed(ctx context.Context, agents []int64, through date.Date) (map[int64]money.Amount, error) {
	var s store.SQL
	s.Write("SELECT p.agent_id, CAST(sum(p.annual_premium_cents) AS bigint) FROM insights_production_record p WHERE p.tenant_id = " + s.Arg(i.tenantID) +
		" AND p.placed_on > " + s.Arg(through.AddDays(-yearOfDays)) + " AND p.placed_on <= " + s.Arg(through) + " AND " + i.q.In("p.agent_id", s.Arg(i.q.List(agents))) + " GROUP BY p.agent_id")
	placed := map[int64]money.Amount{}
	return placed, store.Each(ctx, i.q, &s, func(row store.Scanner) error {
		var (
			id     int64
			amount int64
		)
		err := row.Scan(&id, &amount)
		placed[id] = money.Amount(amount)
		return err
	})
}

const yearOfDays = 365
