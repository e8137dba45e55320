package graph

import (
	"context"

	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/internal/onboarding"
)

// The relations of applications to what is published and to their past, read for
// many applications at once.

func (r *Resolver) validations(ctx context.Context) *loader.Batch[*onboarding.Validation] {
	return ofApplications(ctx, r, "validation", r.Onboarding.Validate)
}

func (r *Resolver) allowedTransitions(ctx context.Context) *loader.Batch[[]onboarding.Status] {
	return ofApplications(ctx, r, "allowedTransitions", r.Onboarding.AllowedTransitions)
}

func (r *Resolver) statusHistory(ctx context.Context) *loader.Batch[[]*onboarding.StatusChange] {
	return loader.Get(ctx, loader.Key{Relation: "statusHistory"}, r.Onboarding.StatusHistory)
}

// ofApplications loads what a function says of applications.
func ofApplications[T any](ctx context.Context, r *Resolver, relation string, read func(context.Context, map[int64]*onboarding.Application) (map[int64]T, error)) *loader.Batch[T] {
	return loader.Get(ctx, loader.Key{Relation: relation}, func(ctx context.Context, ids []int64) (map[int64]T, error) {
		applications, err := r.applications(ctx).Prime(ctx, ids)
		if err != nil {
			return nil, err
		}
		return read(ctx, applications)
	})
}
