// Package agency is the system of record for agents: who they are, how to reach them, and
// their place in the hierarchy. Its rooms certification, label, payee and reference hold
// the rest. They stand beside each other, on record, which writes what belongs to an
// agent, and on imports, which applies rows of files. This package is above them all, and
// its Service has all their operations.
//
// What is dated follows the specification's "Effective-dated history rules":
// internal/history decides, record stores. The flattened hierarchy belongs to
// internal/hierarchy, which is told of every change of an upline.
package agency

import (
	"context"
	"sync"

	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// The services of the rooms, under different names, since Service embeds them all.
type (
	certifications = certification.Service
	labels         = label.Service
	payees         = payee.Service
	referenceData  = reference.Service
)

// Service has the operations of the area, including those of its rooms. It is safe for
// concurrent use.
type Service struct {
	*certifications
	*labels
	*payees
	*referenceData
	store  *store.Store
	clock  clock.Clock
	vault  *vault.Vault
	writer *record.Writer
	// totals keeps the sizes of lists.
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
	w, totals := record.NewWriter(s, c, v), listing.NewTotals()
	return &Service{
		certifications: certification.New(s, c, w, totals), labels: label.New(s, w, totals), payees: payee.New(v, w), referenceData: reference.New(s, w),
		store: s, clock: c, vault: v, writer: w, totals: totals,
	}
}

// Today returns today's date in the zone of the context's tenant.
func (s *Service) Today(ctx context.Context) date.Date { return s.writer.Today(ctx) }

// Team returns the id of the team with a name, or a problem if there is none.
func (s *Service) Team(ctx context.Context, name string) (int64, error) {
	return s.teamIn(ctx, s.store, name)
}

// teamIn is Team inside a transaction, which does not wait for another connection.
func (s *Service) teamIn(ctx context.Context, q store.Querier, name string) (int64, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	key := teamKey{tenantID, name}
	if id, ok := s.teams.Load(key); ok {
		return id.(int64), nil
	}
	id, err := record.TeamID(ctx, q, name)
	if err == nil {
		s.teams.Store(key, id)
	}
	return id, err
}
