package oauth

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// Grants tells which grants of people to clients have not ended.
type Grants interface {
	// GrantLives reports whether a grant has not ended.
	GrantLives(ctx context.Context, id int64) (bool, error)
}

const (
	// grantKept is how long the verifier remembers that a grant has not ended, and so how
	// long tokens of an ended grant may still be accepted.
	grantKept = 10 * time.Second
	// cachedGrants limits how many it remembers.
	cachedGrants = 4096
)

// liveGrants checks the grants of tokens: signing out, a new password, and a code or
// refresh token that is used twice end tokens before they expire.
type liveGrants struct {
	store Grants
	seen  *lru.Cache[int64, time.Time]
}

// CheckGrants makes the verifier refuse tokens whose grant has ended. It is for tokens of
// the embedded issuer, and must be called before the first request.
func (v *Verifier) CheckGrants(store Grants) error {
	seen, err := lru.New[int64, time.Time](cachedGrants)
	v.grants = &liveGrants{store: store, seen: seen}
	return err
}

// ended refuses a token whose grant has ended.
func (v *Verifier) ended(ctx context.Context, c bearer.Claims) error {
	if v.grants == nil || c.GrantID == 0 {
		return nil
	}
	now := v.clock.Now()
	if until, ok := v.grants.seen.Get(c.GrantID); ok && now.Before(until) {
		return nil
	}
	forgotten := v.forgotten.Load()
	lives, err := v.grants.store.GrantLives(ctx, c.GrantID)
	if err != nil {
		return err
	}
	if !lives {
		v.grants.seen.Remove(c.GrantID)
		return bearer.InvalidToken("the token was revoked")
	}
	if forgotten == v.forgotten.Load() {
		v.grants.seen.Add(c.GrantID, now.Add(grantKept))
	}
	return nil
}
