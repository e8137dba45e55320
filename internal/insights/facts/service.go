// Package facts keeps what only insights is about: what agents produced, and the
// commissions they were paid. They come one by one, in batches and as files, and stay as
// they are; what they add up to package insights answers.
package facts

import (
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/clock"
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
