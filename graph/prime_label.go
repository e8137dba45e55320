package graph

import (
	"context"
	"maps"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/internal/agency"
)

// aliases primes the connection of each agent, as far as certifications does.
func (a ahead) aliases(ctx context.Context, f graphql.CollectedField, ids []int64) error {
	args, ok := a.onlyFirst(f)
	if !ok {
		return nil
	}
	return prime(ctx, a.r.aliasesOf(agency.AliasFilter{}, nil, args).pages(ctx), ids)
}

// tags primes the tags of each agent, and how many agents wear each of them
// when asked for.
func (a ahead) tags(ctx context.Context, f graphql.CollectedField, ids []int64) error {
	byAgent, err := a.r.tagsOf(ctx).Prime(ctx, ids)
	if err != nil || len(a.below(f.Selections, countOfAssignments)) == 0 {
		return err
	}
	return a.r.primeAssignedCounts(ctx, slices.Concat(slices.Collect(maps.Values(byAgent))...))
}

var countOfAssignments = []string{"assignedCount"}

func (r *Resolver) primeAssignedCounts(ctx context.Context, tags []*agency.Tag) error {
	ids := make([]int64, len(tags))
	for i, t := range tags {
		ids[i] = t.ID
	}
	return prime(ctx, r.assignedCounts(ctx), ids)
}
