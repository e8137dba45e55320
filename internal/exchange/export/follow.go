package export

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/tail"
	"github.com/uplinehq/upline/internal/tenant"
)

// changed is the signal that this process has changed exports of a tenant.
const changed = "exports"

// followFor is how long after its end an export still reaches its followers.
const followFor = 5 * time.Minute

// versions are the versions of the exports that were read, by id.
type versions map[int64]int64

func (s *Service) newFollowers() *tail.Hub[*Export, versions] {
	hub := tail.New(tail.Source[*Export, versions]{
		Name: "exports", Next: s.changedBehind,
		Head: func(ctx context.Context) (versions, error) {
			_, to, _, err := s.changedBehind(ctx, nil)
			return to, err
		},
		IsBehind: func(e *Export, v versions) bool { return e.version > v[e.ID] },
	}, s.Log)
	s.Store.Listen(changed, hub.Wake)
	return hub
}

// Follow returns an export of the context's caller as it is now, and again whenever any
// process changes it. An export that is over comes once, and nothing follows.
func (s *Service) Follow(ctx context.Context, id int64) (*tail.Subscription[*Export], error) {
	e, err := s.Export(ctx, id)
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, unknown("id")
	}
	return s.followers.SubscribeFrom(ctx, versions{}, func(other *Export) bool { return other.ID == id })
}

// Followers counts those who follow exports through this process.
func (s *Service) Followers() int { return s.followers.Subscribers() }

// EndFollowing ends every Follow.
func (s *Service) EndFollowing() { s.followers.Close() }

// changedBehind reads those exports of the context's tenant that have changed since the
// given versions, among the unfinished ones and those that ended within followFor.
func (s *Service) changedBehind(ctx context.Context, from versions) (rows []*Export, to versions, more bool, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, from, false, err
	}
	all, err := store.Collect(ctx, s.Store, scan, "SELECT "+columns+` FROM export e WHERE e.tenant_id = $1 AND (e.finished_at IS NULL OR e.finished_at > $2) ORDER BY e.id`,
		tenantID, s.Clock.Now().Add(-followFor))
	if err != nil {
		return nil, from, false, err
	}
	to = versions{}
	for _, e := range all {
		if to[e.ID] = e.version; e.version > from[e.ID] {
			rows = append(rows, e)
		}
	}
	return rows, to, false, nil
}
