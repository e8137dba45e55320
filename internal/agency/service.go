// Package agency is the system of record for agents: who they are, their
// place in the hierarchy, their certifications, their pay status, and the
// reference data these refer to. Every write has an initiator, runs in one
// transaction that first locks the agent it is about, and is refused as a whole
// when anything in it is wrong.
//
// What is dated follows the specification's "Effective-dated history rules";
// internal/history decides, this package stores. The flattened hierarchy
// belongs to internal/hierarchy, which is told of every change of an upline.
package agency

import (
	"context"
	"sync"

	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/clock"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Service holds the operations of the area. It is safe for concurrent use.
type Service struct {
	store  *store.Store
	clock  clock.Clock
	vault  *vault.Vault
	writer *Writer
	// totals keeps how many rows lists have.
	totals *listing.Totals
	// teams remembers ids by tenant and name; both never change.
	teams sync.Map
}

type teamKey struct {
	tenantID int64
	name     string
}

// New returns the service.
func New(s *store.Store, c clock.Clock, v *vault.Vault) *Service {
	return &Service{store: s, clock: c, vault: v, writer: NewWriter(s, c, v), totals: listing.NewTotals()}
}

// Today returns the day it is for the tenant of the context.
func (s *Service) Today(ctx context.Context) date.Date {
	return clock.Today(s.clock, tenant.From(ctx).Zone)
}

// Team returns the id of a team, or a problem when there is none of the name.
func (s *Service) Team(ctx context.Context, name string) (int64, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	key := teamKey{tenantID, name}
	if id, ok := s.teams.Load(key); ok {
		return id.(int64), nil
	}
	id, err := teamID(ctx, s.store, name)
	if err == nil {
		s.teams.Store(key, id)
	}
	return id, err
}
