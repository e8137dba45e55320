// Package insights answers questions about an agency as tables: the curated
// queries, each with its parameters and columns (specification, "Business
// Insights"). It also keeps the facts that only they are about: what agents
// produced, and the commissions they were paid.
//
// Money is counted in hundredths, as integers, and written as a decimal text:
// no sum of it passes through a floating-point number.
package insights

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/clock"
)

// Service holds the operations of the area. It is safe for concurrent use.
type Service struct {
	store  *store.Store
	clock  clock.Clock
	writer *change.Writer
}

// New returns the service.
func New(s *store.Store, c clock.Clock, v *vault.Vault) *Service {
	return &Service{store: s, clock: c, writer: change.New(s, c, v)}
}

// each runs a query and calls scan for every row.
func each(ctx context.Context, q store.Querier, s *store.SQL, scan func(store.Scanner) error) error {
	_, err := store.Collect(ctx, q, func(row store.Scanner) (struct{}, error) { return struct{}{}, scan(row) }, s.Text(), s.Args()...)
	return err
}
