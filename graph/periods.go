package graph

import (
	"context"

	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
)

// known is what a history depends on of what its owner was read as of: it has
// every day.
func known(at history.AsOf) history.AsOf { return history.AsOf{Known: at.Known} }

// Rows of histories by id, as mutations leave them and as nodes.

// periodByID reads a row of a history by id, together with others asked for at
// the same time.
func periodByID[P interface{ RowID() int64 }](ctx context.Context, relation string, id int64, list func(context.Context, agency.PeriodFilter) (listing.List[P], error)) (P, error) {
	return loader.Get(ctx, loader.Key{Relation: relation}, func(ctx context.Context, ids []int64) (map[int64]P, error) {
		l, err := list(ctx, agency.PeriodFilter{}.ByID(ids...))
		if err != nil {
			return nil, err
		}
		return listing.ByID(ctx, l)
	}).Load(ctx, id)
}

func (r *Resolver) certificationPeriodByID(ctx context.Context, id int64) (*model.CertificationPeriod, error) {
	p, err := loader.Get(ctx, loader.Key{Relation: "certificationPeriod"}, r.Agency.CertificationPeriods).Load(ctx, id)
	return found(p, err, certificationPeriodView(r.asOf(ctx, nil, nil)))
}

func (r *Resolver) payStatusPeriodByID(ctx context.Context, id int64) (*model.PayStatusPeriod, error) {
	p, err := periodByID(ctx, "payStatusPeriod", id, func(ctx context.Context, f agency.PeriodFilter) (listing.List[*agency.PayStatusPeriod], error) {
		return r.Agency.PayStatusPeriods(ctx, f, nil)
	})
	return found(p, err, payStatusPeriodView(r.asOf(ctx, nil, nil)))
}

func (r *Resolver) uplinePeriodByID(ctx context.Context, team string, id int64) (*model.UplinePeriod, error) {
	teamID, err := r.Agency.Team(ctx, team)
	if err != nil {
		return nil, err
	}
	p, err := periodByID(ctx, "uplinePeriod", id, func(ctx context.Context, f agency.PeriodFilter) (listing.List[*agency.UplinePeriod], error) {
		return r.Agency.UplinePeriods(ctx, teamID, f, nil)
	})
	return found(p, err, uplinePeriodView(team, r.asOf(ctx, nil, nil)))
}

func (r *Resolver) levelPeriodByID(ctx context.Context, team string, id int64) (*model.LevelPeriod, error) {
	teamID, err := r.Agency.Team(ctx, team)
	if err != nil {
		return nil, err
	}
	p, err := periodByID(ctx, "levelPeriod", id, func(ctx context.Context, f agency.PeriodFilter) (listing.List[*agency.LevelPeriod], error) {
		return r.Agency.LevelPeriods(ctx, teamID, f, nil)
	})
	return found(p, err, levelPeriodView(team, teamID, r.asOf(ctx, nil, nil)))
}
