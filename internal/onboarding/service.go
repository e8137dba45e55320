// Package onboarding takes a recruit from the first save of an application to an agent:
// the configuration and content that the agency publishes, the applications, their
// validation against what is published at the time, and the agency's review.
//
// The agency's area owns agents; this one uses it through the interface Agency.
package onboarding

import (
	"context"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Service holds the operations of the area. It is safe for concurrent use.
type Service struct {
	store  *store.Store
	clock  clock.Clock
	vault  *vault.Vault
	writer *change.Writer
	agency Agency
	// totals keeps the sizes of lists.
	totals *listing.Totals
}

// New returns the service.
func New(s *store.Store, c clock.Clock, v *vault.Vault, a Agency) *Service {
	return &Service{store: s, clock: c, vault: v, writer: change.New(s, c, v), agency: a, totals: listing.NewTotals()}
}

// write runs f in a transaction. Its initiator is the token's subject, since applications
// name none (Application).
func (s *Service) write(ctx context.Context, f func(ctx context.Context, w *change.Writing) error) error {
	caller, _ := tenant.CallerFrom(ctx)
	return s.writer.Write(ctx, caller.Subject, f)
}

func unknownApplication(field ...string) error {
	return problem.Missing(problem.NotFoundCode, "There is no such application", field...)
}
