// Package onboarding takes a recruit from the first save of an application to an agent:
// the configuration and content that the agency publishes, the applications, their
// validation against what is published at the time, and the agency's review.
//
// The agency's area owns agents; this one uses it through the interface Agency.
package onboarding

import (
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// Service holds the operations of the area. It is safe for concurrent use.
type Service struct {
	*forms
	*content
	*publishing
	*reading
	*applying
	*reviewing
}

// New returns the service.
func New(s *store.Store, c clock.Clock, v *vault.Vault, a Agency) *Service {
	made, kept := &writes{change.New(s, c, v)}, &forms{v}
	return &Service{kept, &content{s}, &publishing{made, a}, &reading{kept, s, c, listing.NewTotals()}, &applying{made, kept, a}, &reviewing{made, kept, a}}
}
