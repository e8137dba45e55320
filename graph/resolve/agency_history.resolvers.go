package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/record"
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
