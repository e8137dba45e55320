package graph

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/loader"
)

// payee primes what is asked for of the payees of agents.
func (a ahead) payee(ctx context.Context, f graphql.CollectedField, ids []int64, depth int) (err error) {
	if depth == 0 {
		return nil
	}
	for _, sub := range graphql.CollectFields(a.op, f.Selections, nil) {
		switch sub.Name {
		case "status":
			err = prime(ctx, a.r.payStatuses(ctx, a.at), ids)
		case "w9":
			err = prime(ctx, a.r.w9s(ctx, a.at), ids)
		case "directDeposit":
			err = prime(ctx, a.r.directDeposits(ctx), ids)
		case "isPayable":
			err = errors.Join(prime(ctx, a.r.payStatuses(ctx, a.at), ids), prime(ctx, a.r.w9s(ctx, a.at), ids), prime(ctx, a.r.directDeposits(ctx), ids))
		case "agent": // the agents themselves
			for _, own := range graphql.CollectFields(a.op, sub.Selections, agentTypes) {
				if err := a.relation(ctx, own, ids, depth-1); err != nil {
					return err
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func prime[V any](ctx context.Context, b *loader.Batch[V], ids []int64) error {
	_, err := b.Prime(ctx, ids)
	return err
}
