package oauth

import (
	"context"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Grants knows what people granted to clients.
type Grants interface {
	// GrantLives reports whether a grant has not ended.
	GrantLives(ctx context.Context, id int64) (bool, error)
}

const (
	// grantKept is how long a grant that lives is not looked up again, and so how
	// long it takes until the tokens of one that ended are refused.
	grantKept = 10 * time.Second
	// cachedGrants bounds those that are remembered.
	cachedGrants = 4096
)

// liveGrants checks the grants of tokens: signing out, another password and a code
// or refresh token that comes twice end tokens that have not expired.
type liveGrants struct {
	store Grants
	seen  *lru.Cache[int64, time.Time]
}

// CheckGrants makes the verifier refuse the tokens of grants that have ended. It is
// for the tokens of the embedded issuer, and called before the first request.
func (v *Verifier) CheckGrants(store Grants) error {
	seen, err := lru.New[int64, time.Time](cachedGrants)
	v.grants = &liveGrants{store: store, seen: seen}
	return err
}

// ended refuses a token whose grant has ended.
func (v *Verifier) ended(ctx context.Context, c Claims) error {
	if v.grants == nil || c.GrantID == 0 {
		return nil
	}
	now := v.clock.Now()
	if until, ok := v.grants.seen.Get(c.GrantID); ok && now.Before(until) {
		return nil
	}
	lives, err := v.grants.store.GrantLives(ctx, c.GrantID)
	if err != nil {
		return err
	}
	if !lives {
		v.grants.seen.Remove(c.GrantID)
		return invalidToken("the token was revoked")
	}
	v.grants.seen.Add(c.GrantID, now.Add(grantKept))
	return nil
}
