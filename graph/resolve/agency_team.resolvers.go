package resolve

import (
	"context"
	"time"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/words/date"
)

func (r queryResolver) Team(ctx context.Context, name string, onDate *date.Date, asKnownAt *time.Time) (*model.Team, error) {
	if name != record.DefaultTeam {
		return nil, nil
	}
	id, err := r.Agency.Team(ctx, name)
	return &model.Team{ID: id, Name: name, At: r.AsOf(ctx, onDate, asKnownAt)}, err
}

func (r queryResolver) AgencyHistory(ctx context.Context) (*model.AgencyHistory, error) {
	team, err := r.Agency.Team(ctx, record.DefaultTeam)
	if err != nil {
		return nil, err
	}
	history, err := r.Agency.History(ctx, team)
	if err != nil {
		return nil, err
	}
	months := make([]*model.CountByString, len(history.UplineChanges))
	for i, m := range history.UplineChanges {
		months[i] = &model.CountByString{Key: m.Month, Count: m.Count}
	}
	return &model.AgencyHistory{FirstDate: history.First, LastDate: history.Last, UplineChanges: months}, nil
}

func (r queryResolver) UplinePeriods(ctx context.Context, team string, _ *model.UplinePeriodFilter, _ []*model.PeriodOrder, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.UplinePeriodConnection, error) {
	at := r.AsOf(ctx, nil, nil)
	return connectionOfAll(ctx, r.Resolver, lists.UplinePeriods, at, convert.UplinePeriodView(team, at))
}

func (r queryResolver) LevelPeriods(ctx context.Context, team string, _ *model.LevelPeriodFilter, _ []*model.PeriodOrder, _ *int, _ *string, _ *int, _ *string, _ *int) (*model.LevelPeriodConnection, error) {
	at := r.AsOf(ctx, nil, nil)
	return connectionOfAll(ctx, r.Resolver, lists.LevelPeriods, at, convert.LevelPeriodView(team, at))
}

func (r queryResolver) UplineMembers(ctx context.Context, team string, filter *model.UplineMemberFilter, onDate *date.Date, asKnownAt *time.Time, first *int, after *string, last *int, before *string, offset *int) (*model.HierarchyRelationConnection, error) {
	return r.members(ctx, team, r.AsOf(ctx, onDate, asKnownAt), UplineMemberFilter(filter), true, paging(ctx))
}

func (r queryResolver) DownlineMembers(ctx context.Context, team string, filter *model.DownlineMemberFilter, onDate *date.Date, asKnownAt *time.Time, first *int, after *string, last *int, before *string, offset *int) (*model.HierarchyRelationConnection, error) {
	return r.members(ctx, team, r.AsOf(ctx, onDate, asKnownAt), DownlineMemberFilter(filter), false, paging(ctx))
}

func (r queryResolver) HierarchyBuild(ctx context.Context, team string) (*model.HierarchyBuild, error) {
	return r.Build(ctx, team)
}

func (r mutationResolver) UplinePeriodApply(ctx context.Context, team string, in model.UplinePeriodInput, dryRun bool) (*model.UplinePeriodPayload, error) {
	change, err := r.Agency.ApplyUpline(ctx, team, agency.UplinePeriodInput{
		AgentCode: in.AgentCode, UplineAgentCode: convert.Value(in.UplineAgentCode), EffectiveFrom: in.EffectiveFrom,
		EffectiveThrough: convert.Value(in.EffectiveThrough), Initiator: in.Initiator,
	}, dryRun)
	if err != nil {
		return &model.UplinePeriodPayload{}, err
	}
	p := &model.UplinePeriodPayload{Changes: convert.ChangeSet(change), Applied: change.Changed && !dryRun}
	if p.Build, err = r.Build(ctx, team); err != nil || dryRun {
		return p, err
	}
	p.Period, err = r.uplinePeriodByID(ctx, team, change.Period())
	return p, err
}

func (r mutationResolver) LevelPeriodApply(ctx context.Context, team string, in model.LevelPeriodInput, dryRun bool) (*model.LevelPeriodPayload, error) {
	change, err := r.Agency.ApplyLevel(ctx, team, agency.LevelPeriodInput{
		AgentCode: in.AgentCode, Level: in.Level, EffectiveFrom: in.EffectiveFrom,
		EffectiveThrough: convert.Value(in.EffectiveThrough), Initiator: in.Initiator,
	}, dryRun)
	if err != nil {
		return &model.LevelPeriodPayload{}, err
	}
	p := &model.LevelPeriodPayload{Changes: convert.ChangeSet(change), Applied: change.Changed && !dryRun}
	if !dryRun {
		p.Period, err = r.levelPeriodByID(ctx, team, change.Period())
	}
	return p, err
}

func (r agentResolver) UplineChain(ctx context.Context, obj *model.Agent, team string, maxLevel *int) ([]*model.UplineLink, error) {
	id, err := r.Agency.Team(ctx, team)
	if err != nil {
		return nil, err
	}
	chain, err := r.chains(ctx, id, obj.At, maxLevel).Load(ctx, obj.ID)
	if err != nil {
		return nil, err
	}
	links := make([]*model.UplineLink, len(chain))
	for i, l := range chain {
		a, err := r.agent(ctx, l.AgentID, obj.At)
		if err != nil {
			return nil, err
		}
		links[i] = &model.UplineLink{Level: l.Level, Agent: a, Since: l.Since}
	}
	return links, nil
}

func (r teamResolver) Levels(ctx context.Context, obj *model.Team) ([]*model.AgentLevel, error) {
	return r.levelsOf(ctx, obj.Name, obj.ID)
}

func (r teamResolver) Roots(ctx context.Context, obj *model.Team, first *int, after *string, last *int, before *string, offset *int) (*model.AgentConnection, error) {
	view, err := r.View(ctx, obj.Name, obj.At)
	if err != nil {
		return nil, err
	}
	list, err := view.RootList(ctx, r.Store)
	if err != nil {
		return nil, err
	}
	p, err := list.Page(ctx, paging(ctx))
	if err != nil {
		return nil, err
	}
	byID, err := r.agents(ctx).Prime(ctx, p.Items)
	if err != nil {
		return nil, err
	}
	p = p.Only(func(id int64) bool { return byID[id] != nil })
	c := model.Connect(p, func(id int64) *model.Agent { return model.NewAgent(byID[id], obj.At) })
	return &c, nil
}

func (r teamResolver) MemberCount(ctx context.Context, obj *model.Team) (int, error) {
	view, err := r.View(ctx, obj.Name, obj.At)
	if err != nil {
		return 0, err
	}
	return view.MemberCount(ctx, r.Store)
}

func (r teamResolver) Hierarchy(ctx context.Context, obj *model.Team) (*model.HierarchyBuild, error) {
	return r.Build(ctx, obj.Name)
}

func (r teamMembershipResolver) DirectUpline(ctx context.Context, obj *model.TeamMembership) (*model.Agent, error) {
	u, err := inside[*agentKey](ctx, r.Resolver, obj.Agent.At, obj.Agent.ID, "id")
	return r.agentOf(ctx, u, obj.Agent.At, err)
}

func (r teamMembershipResolver) DirectUplineCode(ctx context.Context, obj *model.TeamMembership) (*string, error) {
	return inside[*string](ctx, r.Resolver, obj.Agent.At, obj.Agent.ID)
}

func (r teamMembershipResolver) Level(ctx context.Context, obj *model.TeamMembership) (*model.AgentLevel, error) {
	l, err := inside[*struct{ Value int }](ctx, r.Resolver, obj.Agent.At, obj.Agent.ID, "value")
	if err != nil || l == nil {
		return nil, err
	}
	return r.agentLevel(ctx, obj.Team, l.Value)
}

func (r teamMembershipResolver) UplineSince(ctx context.Context, obj *model.TeamMembership) (*date.Date, error) {
	return inside[*date.Date](ctx, r.Resolver, obj.Agent.At, obj.Agent.ID)
}

func (r teamMembershipResolver) LevelSince(ctx context.Context, obj *model.TeamMembership) (*date.Date, error) {
	return inside[*date.Date](ctx, r.Resolver, obj.Agent.At, obj.Agent.ID)
}

func (r uplinePeriodResolver) Agent(ctx context.Context, obj *model.UplinePeriod) (*model.Agent, error) {
	return r.agent(ctx, obj.AgentID, obj.At)
}

func (r uplinePeriodResolver) Upline(ctx context.Context, obj *model.UplinePeriod) (*model.Agent, error) {
	if obj.UplineID == nil {
		return nil, nil
	}
	return r.agent(ctx, *obj.UplineID, obj.At)
}

func (r levelPeriodResolver) Agent(ctx context.Context, obj *model.LevelPeriod) (*model.Agent, error) {
	return r.agent(ctx, obj.AgentID, obj.At)
}

func (r levelPeriodResolver) Level(ctx context.Context, obj *model.LevelPeriod) (*model.AgentLevel, error) {
	return r.agentLevel(ctx, obj.Team, obj.LevelPeriod.Level)
}
