// Package facts keeps the facts that only insights needs: what agents produced, and the
// commissions they were paid. They are recorded one by one, in batches and from files.
// Package insights adds them up.
package facts

import (
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// Service records facts. It is safe for concurrent use.
type Service struct {
	store  *store.Store
	writer *change.Writer
}

// New returns the service.
func New(s *store.Store, c clock.Clock, v *vault.Vault) *Service {
	return &Service{store: s, writer: change.New(s, c, v)}
}
