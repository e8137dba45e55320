// Package payee owns how agents are paid: pay statuses and W9s, which are dated, and bank
// details, which are not. Numbers of accounts and of taxpayers are stored sealed
// (record.SealedTable). What agents were paid belongs to internal/insights/facts.
package payee

import (
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// Service has the operations on payees.
type Service struct {
	vault  *vault.Vault
	writer *record.Writer
}

// New returns the service.
func New(v *vault.Vault, w *record.Writer) *Service {
	return &Service{vault: v, writer: w}
}
