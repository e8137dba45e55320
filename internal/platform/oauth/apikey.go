package oauth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// APIKeyPrefix begins every API key, so that a key can be recognised wherever it turns
// up.
const APIKeyPrefix = "upl_"

const (
	// apiKeySize is the number of random bytes of a key, as many as of a client secret.
	apiKeySize = 32
	// apiKeyKept is how long a found key is remembered, and so how long a revoked key may
	// still be accepted.
	apiKeyKept = 10 * time.Second
	// cachedAPIKeys limits the keys that are remembered, and separately those that were
	// refused, so that made-up keys do not push out real ones.
	cachedAPIKeys = 4096
	// lookUpTime limits the time of a look-up, for which several requests may wait.
	lookUpTime = 5 * time.Second
)

// ErrUnknownKey is returned by APIKeys for a hash of no key, or of a key that is no
// longer valid.
var ErrUnknownKey = errors.New("oauth: unknown API key")

// APIKey is a bearer token of a client that is used without the token endpoint.
type APIKey struct {
	ID int64
	// UID is its id in the API.
	UID string
	// ClientID is the client that the key belongs to, TenantIdentifier its tenant.
	ClientID, TenantIdentifier string
	// Since is when the client was created.
	Since  time.Time
	Scopes []string
	// Expires is when the key expires; nil for never. LastUsed is accurate to some
	// minutes.
	Expires, LastUsed *time.Time
}

// APIKeys finds API keys.
type APIKeys interface {
	// APIKey returns the key of a HashSecret, or ErrUnknownKey.
	APIKey(ctx context.Context, hash []byte) (APIKey, error)
	// APIKeyUsed notes when a key was used, unless a later use is noted.
	APIKeyUsed(ctx context.Context, id int64, at time.Time) error
}

// NewAPIKey returns a new API key. Its last characters are a checksum, so that a mistyped
// text is refused without asking the database. The checksum is no secret: each made-up
// key with a right one costs one look-up by index.
func NewAPIKey() string {
	secret := make([]byte, apiKeySize)
	rand.Read(secret) // never fails (crypto/rand)
	body := APIKeyPrefix + base64.RawURLEncoding.EncodeToString(secret)
	return body + checksum(body)
}

func checksum(body string) string {
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(body))))
}

// isAPIKey reports whether a text could be a key.
func isAPIKey(token string) bool {
	body := len(APIKeyPrefix) + base64.RawURLEncoding.EncodedLen(apiKeySize)
	return len(token) == body+base64.RawURLEncoding.EncodedLen(4) && checksum(token[:body]) == token[body:]
}

// apiKeys verifies API keys. They are found by their hash, through an index. The time of
// that may reveal something about the hash, but a hash does not lead to a key.
type apiKeys struct {
	store APIKeys
	log   *slog.Logger
	seen  *lru.Cache[[sha256.Size]byte, seenKey]
	// refused are keys that were not found, with the time until which they are not looked
	// up again.
	refused *lru.Cache[[sha256.Size]byte, time.Time]
	// forgotten is that of the verifier.
	forgotten *atomic.Int64
	// lookUps are the look-ups under way; requests with the same key share one.
	lookUps singleflight.Group
}

type seenKey struct {
	APIKey
	until time.Time
}

// AcceptAPIKeys makes the verifier accept API keys besides tokens. It must be called
// before the first request.
func (v *Verifier) AcceptAPIKeys(store APIKeys, log *slog.Logger) error {
	seen, err := lru.New[[sha256.Size]byte, seenKey](cachedAPIKeys)
	if err != nil {
		return err
	}
	refused, err := lru.New[[sha256.Size]byte, time.Time](cachedAPIKeys)
	v.apiKeys = &apiKeys{store: store, log: log, seen: seen, refused: refused, forgotten: &v.forgotten}
	return err
}

// verifyKey returns the claims of a key, as if it were a token that expires when the key
// has to be looked up again. So everything that lasts longer than a request checks the
// key again (Claims.Renewable), and ends soon after the key is revoked.
func (v *Verifier) verifyKey(ctx context.Context, token string) (bearer.Claims, error) {
	if !isAPIKey(token) {
		return bearer.Claims{}, bearer.InvalidToken("the API key is malformed")
	}
	now := v.clock.Now()
	key, err := v.apiKeys.find(ctx, token, now)
	if errors.Is(err, ErrUnknownKey) || err == nil && key.expired(now) {
		return bearer.Claims{}, bearer.InvalidToken("the API key is not valid")
	}
	if err != nil {
		return bearer.Claims{}, err
	}
	c := bearer.Claims{Subject: key.ClientID, ClientID: key.ClientID, Tenant: key.TenantIdentifier, Scopes: key.Scopes, Since: key.Since, Expires: key.until, Renewable: true}
	if key.Expires != nil && key.Expires.Before(c.Expires) {
		c.Expires = *key.Expires
	}
	return c, nil
}

// apiKey returns a valid key from the database, not from memory. It does not count as a
// use of the key.
func (v *Verifier) apiKey(ctx context.Context, token string) (APIKey, error) {
	if v.apiKeys == nil || !isAPIKey(token) {
		return APIKey{}, bearer.InvalidToken("the API key is not valid")
	}
	key, err := v.apiKeys.store.APIKey(ctx, HashSecret(token))
	if errors.Is(err, ErrUnknownKey) || err == nil && key.expired(v.clock.Now()) {
		return APIKey{}, bearer.InvalidToken("the API key is not valid")
	}
	return key, err
}

// expired reports whether the key has expired.
func (k APIKey) expired(now time.Time) bool { return k.Expires != nil && !now.Before(*k.Expires) }

// find takes the key from memory or looks it up, and notes its use from time to time.
func (k *apiKeys) find(ctx context.Context, token string, now time.Time) (seenKey, error) {
	hash := [sha256.Size]byte(HashSecret(token))
	if key, known, err := k.remembered(hash, now); known {
		return key, err
	}
	select {
	case found := <-k.lookUps.DoChan(string(hash[:])+strconv.FormatInt(k.forgotten.Load(), 10), func() (any, error) { return k.lookUp(context.WithoutCancel(ctx), hash, now) }):
		if found.Err != nil {
			return seenKey{}, found.Err
		}
		return found.Val.(seenKey), nil
	case <-ctx.Done():
		return seenKey{}, ctx.Err()
	}
}

// remembered is the result of a recent look-up; known is false for a key that has to be
// looked up.
func (k *apiKeys) remembered(hash [sha256.Size]byte, now time.Time) (key seenKey, known bool, err error) {
	if seen, ok := k.seen.Get(hash); ok && now.Before(seen.until) {
		return seen, true, nil
	}
	if until, ok := k.refused.Get(hash); ok && now.Before(until) {
		return seenKey{}, true, ErrUnknownKey
	}
	return seenKey{}, false, nil
}

// lookUp asks the store, and remembers the answer. An expired key does not count as used.
func (k *apiKeys) lookUp(ctx context.Context, hash [sha256.Size]byte, now time.Time) (seenKey, error) {
	if key, known, err := k.remembered(hash, now); known { // another look-up ended just before this one began
		return key, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookUpTime)
	defer cancel()
	forgotten := k.forgotten.Load()
	key, err := k.store.APIKey(ctx, hash[:])
	if err != nil {
		if k.seen.Remove(hash); errors.Is(err, ErrUnknownKey) {
			k.refused.Add(hash, now.Add(apiKeyKept))
		}
		return seenKey{}, err
	}
	if !key.expired(now) && dueNote(key.LastUsed, now) {
		if err := k.store.APIKeyUsed(ctx, key.ID, now); err != nil {
			k.log.WarnContext(ctx, "cannot note the use of an API key", "error", err)
		}
	}
	seen := seenKey{key, now.Add(apiKeyKept)}
	if k.refused.Remove(hash); forgotten == k.forgotten.Load() {
		k.seen.Add(hash, seen)
	}
	return seen, nil
}

// looksLikeAPIKey reports whether a bearer token is meant as a key.
func looksLikeAPIKey(token string) bool { return strings.HasPrefix(token, APIKeyPrefix) }
