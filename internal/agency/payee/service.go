// Package payee owns how agents are paid: pay statuses and W9s, which are dated, and bank
// details, which are not. Numbers of accounts and of taxpayers are stored sealed
// (record.SealedTable). What agents were paid belongs to internal/insights/facts.
package payee

import (
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// Service has the operations on payees.
type Service struct {
	store  *store.Store
	vault  *vault.Vault
	writer *record.Writer
	// totals keeps the sizes of lists.
	totals *listing.Totals
}

// New returns the service.
func New(s *store.Store, v *vault.Vault, w *record.Writer, totals *listing.Totals) *Service {
	return &Service{store: s, vault: v, writer: w, totals: totals}
}
