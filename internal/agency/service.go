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
	*teams
	*finder
	*registry
	*editor
	*placing
	*searchKeys
	writer *record.Writer
}

// New returns the service.
func New(s *store.Store, c clock.Clock, v *vault.Vault) *Service {
	w, totals, t := record.NewWriter(s, c, v), listing.NewTotals(), &teams{store: s}
	return &Service{
		certifications: certification.New(s, c, w, totals), labels: label.New(s, w, totals), payees: payee.New(v, w), referenceData: reference.New(s, w),
		teams: t, finder: &finder{teams: t, store: s, clock: c, vault: v, writer: w, totals: totals}, registry: &registry{teams: t, clock: c, vault: v, writer: w},
		editor: &editor{c, v, w}, placing: &placing{t, w}, searchKeys: &searchKeys{s, w}, writer: w,
	}
}

// Today returns today's date in the zone of the context's tenant.
func (s *Service) Today(ctx context.Context) date.Date { return s.writer.Today(ctx) }
