package webhooks

import (
	"context"
	"net"
	"net/http"

	"github.com/uplinehq/upline/internal/platform/outbound"
)

// IsPublic and Shown are what the fuzz tests call.
var (
	IsPublic = outbound.IsPublic
	Shown    = shown
)

// Client and Dialer are what requests are sent with.
func (s *Service) Client() *http.Client { return s.client.http }

func (s *Service) Dialer() *net.Dialer { return s.client.dialer }

// Outgoing bounds requests.
type Outgoing struct{ *outgoing }

func NewOutgoing(most, ofTenant int) Outgoing { return Outgoing{newOutgoing(most, ofTenant)} }

func (o Outgoing) Enter(ctx context.Context, tenantID, subscriptionID int64) (leave func(), err error) {
	return o.enter(ctx, key{tenantID, subscriptionID})
}

func (o Outgoing) Waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.waiting)
}
