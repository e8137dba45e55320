package resolve

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/uplinehq/upline/graph/follow"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/record"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/tail"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

func (r queryResolver) Events(ctx context.Context, after *string, first *int, types []string, agentCode *string) (*model.EventConnection, error) {
	filter := events.Filter{Types: types, Areas: readableAreas(ctx), AgentCode: agentCode}
	p, err := r.Resolver.Events.Page(ctx, filter, page.Args{First: first, After: after, Counted: selects(ctx, "totalCount")})
	if err != nil {
		return nil, err
	}
	in := tenant.From(ctx).Identifier
	c := model.Connect(p, func(e *events.Stored) *model.Event { return &model.Event{Stored: e, TenantIdentifier: in} })
	return &c, nil
}

// readableAreas are the areas whose events the caller may read.
func readableAreas(ctx context.Context) []events.Area {
	caller, _ := tenant.CallerFrom(ctx)
	readable := []events.Area{}
	for area, scope := range events.ReadScopes() {
		if caller.HasScope(scope) {
			readable = append(readable, area)
		}
	}
	return readable
}

func (r subscriptionResolver) HierarchyBuildCompleted(ctx context.Context, team string) (<-chan *model.Object, error) {
	if _, err := r.Agency.Team(ctx, team); err != nil {
		return nil, err
	}
	return follow.Rows(ctx, r.Log, r.eventsThat(isType(events.HierarchyBuildCompleted)), func(ctx context.Context, e *events.Stored) (*model.Object, error) {
		var of struct{ Team string }
		if err := json.Unmarshal(e.Data, &of); err != nil {
			return nil, fmt.Errorf("event %s: %w", e.ID, err)
		}
		if of.Team != team {
			return nil, nil
		}
		built, err := r.build(ctx, team)
		if err != nil {
			return nil, err
		}
		_, err = r.Read.Fill(loader.NewContext(ctx), built) // an event has no field around it
		return built, err
	})
}

func (r subscriptionResolver) AgentChanged(ctx context.Context, agentCode *string, rootAgentCode *string, after *string) (<-chan *model.AgentChange, error) {
	below, err := r.below(ctx, rootAgentCode)
	if err != nil {
		return nil, err
	}
	// Every other event of an agent is accompanied by one of these.
	changed := isType(events.AgentCreated, events.AgentUpdated, events.AgentDeleted)
	wants := func(e *events.Stored) bool {
		return changed(e) && e.AgentCode != nil && (agentCode == nil || *agentCode == *e.AgentCode)
	}
	subscribe := r.eventsThat(wants)
	if after != nil {
		place, err := r.Resolver.Events.PlaceOf(ctx, *after)
		if err != nil {
			return nil, err
		}
		subscribe = func(ctx context.Context) (*tail.Subscription[*events.Stored], error) {
			return r.Live.SubscribeFrom(ctx, place, wants)
		}
	}
	return follow.Rows(ctx, r.Log, subscribe, func(ctx context.Context, e *events.Stored) (*model.AgentChange, error) {
		if is, err := below(ctx, *e.AgentCode); err != nil || !is {
			return nil, err
		}
		return model.AgentChangeOf(e)
	})
}

// below returns a function that reports whether an agent is the root or in its downline
// today. Without a root it accepts every agent that the caller sees.
func (r *Resolver) below(ctx context.Context, root *string) (func(ctx context.Context, code string) (bool, error), error) {
	if root == nil {
		return r.sees, nil
	}
	found, err := r.Agency.AgentIDs(ctx, []string{*root})
	if err != nil {
		return nil, err
	}
	top := found[*root]
	if top == 0 {
		return nil, problem.Missing(problem.UnknownAgent, "There is no agent with this code", "rootAgentCode")
	}
	return func(ctx context.Context, code string) (bool, error) {
		found, err := r.Agency.AgentIDs(ctx, []string{code})
		if err != nil || found[code] == 0 {
			return false, err
		}
		return r.isBelow(ctx, found[code], top)
	}, nil
}

// sees reports whether the caller sees an agent. Events do not pass through the
// statements that limit a caller, so each is checked for a limited one.
func (r *Resolver) sees(ctx context.Context, code string) (bool, error) {
	if _, limited := tenant.LimitOf(ctx); !limited {
		return true, nil
	}
	found, err := r.Agency.AgentIDs(ctx, []string{code})
	return found[code] != 0, err
}

func (r agentChangeResolver) Cursor(ctx context.Context, obj *model.AgentChange) (string, error) {
	return r.Resolver.Events.Cursor(ctx, obj.Stored)
}

func (r agentChangeResolver) Agent(_ context.Context, obj *model.AgentChange) (*model.Object, error) {
	return &model.Object{Type: model.AgentType, Code: obj.AgentCode}, nil
}

// eventsThat returns a function that subscribes to the events that wants accepts.
func (r *Resolver) eventsThat(wants func(*events.Stored) bool) func(context.Context) (*tail.Subscription[*events.Stored], error) {
	return func(ctx context.Context) (*tail.Subscription[*events.Stored], error) {
		return r.Live.Subscribe(ctx, wants)
	}
}

func isType(names ...string) func(*events.Stored) bool {
	return func(e *events.Stored) bool { return slices.Contains(names, e.Type) }
}

// isBelow reports whether an agent is a root or in its downline today.
func (r *Resolver) isBelow(ctx context.Context, agentID, rootID int64) (bool, error) {
	if agentID == rootID {
		return true, nil
	}
	view, err := r.Read.View(ctx, record.DefaultTeam, history.AsOf{Day: r.Read.Today(ctx)})
	if err != nil {
		return false, err
	}
	chains, err := view.Chain(ctx, r.Store, []int64{agentID}, math.MaxInt)
	for _, link := range chains[agentID] {
		if link.AgentID == rootID {
			return true, err
		}
	}
	return false, err
}
