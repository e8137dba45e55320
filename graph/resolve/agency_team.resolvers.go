package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
)

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

func (r mutationResolver) UplinePeriodApply(ctx context.Context, in model.UplinePeriodApplyInput, dryRun bool) (*model.PeriodPayload, error) {
	change, err := r.Agency.ApplyUpline(ctx, in.Team, agency.UplinePeriodInput{
		AgentCode: in.AgentCode, UplineAgentCode: convert.Value(in.UplineAgentCode), EffectiveFrom: in.EffectiveFrom,
		EffectiveThrough: convert.Value(in.EffectiveThrough), Initiator: in.Initiator,
	}, dryRun)
	if err != nil {
		return &model.PeriodPayload{}, err
	}
	p := r.periodPayload(ctx, history.Uplines, change, dryRun)
	p.Build, err = r.build(ctx, in.Team)
	return p, err
}

func (r mutationResolver) LevelPeriodApply(ctx context.Context, in model.LevelPeriodApplyInput, dryRun bool) (*model.PeriodPayload, error) {
	change, err := r.Agency.ApplyLevel(ctx, in.Team, record.PeriodInput[int]{
		AgentCode: in.AgentCode, Value: in.Level, EffectiveFrom: in.EffectiveFrom,
		EffectiveThrough: convert.Value(in.EffectiveThrough), Initiator: in.Initiator,
	}, dryRun)
	return r.periodPayload(ctx, history.Levels, change, dryRun), err
}
