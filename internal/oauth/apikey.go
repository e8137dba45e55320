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
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// APIKeyPrefix begins every API key, so that a key is known for one wherever it
// turns up.
const APIKeyPrefix = "upl_"

const (
	// apiKeySize are the random bytes of a key, as many as of a client secret.
	apiKeySize = 32
	// apiKeyKept is how long a key that was found is not looked up again, and so
	// how long it takes until one that was revoked is refused.
	apiKeyKept = 10 * time.Second
	// cachedAPIKeys bounds the keys that are remembered.
	cachedAPIKeys = 4096
)

// ErrUnknownKey is returned by APIKeys for a hash that no key has, or only one
// that counts no more.
var ErrUnknownKey = errors.New("oauth: unknown API key")

// APIKey is a bearer token of a client that needs no token endpoint.
type APIKey struct {
	ID int64
	// UID is its id in the API.
	UID string
	// ClientID is the client that the key belongs to, TenantIdentifier its tenant.
	ClientID, TenantIdentifier string
	Scopes                     []string
	// Expires is when the key counts no more; nil for never. LastUsed is to some
	// minutes.
	Expires, LastUsed *time.Time
}

// APIKeys finds API keys.
type APIKeys interface {
	// APIKey returns the key of a HashSecret, or ErrUnknownKey.
	APIKey(ctx context.Context, hash []byte) (APIKey, error)
	// APIKeyUsed notes when a key was used.
	APIKeyUsed(ctx context.Context, id int64, at time.Time) error
}

// NewAPIKey returns a new API key. Its last characters are a checksum: what was
// never a key is refused without asking the database.
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

// apiKeys verifies API keys. They are found by their hash, in an index: how long
// that takes tells something of the hash at most, and a hash leads to no key.
type apiKeys struct {
	store APIKeys
	log   *slog.Logger
	seen  *lru.Cache[[sha256.Size]byte, seenKey]
}

type seenKey struct {
	APIKey
	until time.Time
}

// AcceptAPIKeys lets the verifier accept API keys beside tokens. It is called
// before the first request.
func (v *Verifier) AcceptAPIKeys(store APIKeys, log *slog.Logger) error {
	seen, err := lru.New[[sha256.Size]byte, seenKey](cachedAPIKeys)
	v.apiKeys = &apiKeys{store: store, log: log, seen: seen}
	return err
}

// verifyKey returns what a key says, as if it were a token of an hour: whatever
// lasts longer than a request has to show the key again.
func (v *Verifier) verifyKey(ctx context.Context, token string) (Claims, error) {
	now := v.clock.Now()
	key, err := v.checkKey(token, now, func() (APIKey, error) { return v.apiKeys.find(ctx, token, now) })
	if err != nil {
		return Claims{}, err
	}
	c := Claims{Subject: key.ClientID, ClientID: key.ClientID, Tenant: key.TenantIdentifier, Scopes: key.Scopes, Expires: now.Add(TokenLifetime)}
	if key.Expires != nil && key.Expires.Before(c.Expires) {
		c.Expires = *key.Expires
	}
	return c, nil
}

// apiKey returns a key that counts, without what this server remembers. It is no
// use of the key.
func (v *Verifier) apiKey(ctx context.Context, token string) (APIKey, error) {
	if v.apiKeys == nil {
		return APIKey{}, invalidToken("the API key is not valid")
	}
	return v.checkKey(token, v.clock.Now(), func() (APIKey, error) { return v.apiKeys.store.APIKey(ctx, HashSecret(token)) })
}

// checkKey refuses a key that was never one, is not found or has expired.
func (v *Verifier) checkKey(token string, now time.Time, find func() (APIKey, error)) (APIKey, error) {
	if !isAPIKey(token) {
		return APIKey{}, invalidToken("the API key is malformed")
	}
	key, err := find()
	if errors.Is(err, ErrUnknownKey) || err == nil && key.Expires != nil && !now.Before(*key.Expires) {
		return APIKey{}, invalidToken("the API key is not valid")
	}
	return key, err
}

// forgetKey makes the next request with a key look it up.
func (v *Verifier) forgetKey(token string) { v.apiKeys.seen.Remove(sha256.Sum256([]byte(token))) }

// find answers from memory or looks the key up, and notes its use now and then.
func (k *apiKeys) find(ctx context.Context, token string, now time.Time) (APIKey, error) {
	hash := [sha256.Size]byte(HashSecret(token))
	if seen, ok := k.seen.Get(hash); ok && now.Before(seen.until) {
		return seen.APIKey, nil
	}
	key, err := k.store.APIKey(ctx, hash[:])
	if err != nil {
		k.seen.Remove(hash)
		return APIKey{}, err
	}
	if dueNote(key.LastUsed, now) {
		if err := k.store.APIKeyUsed(ctx, key.ID, now); err != nil {
			k.log.WarnContext(ctx, "cannot note the use of an API key", "error", err)
		}
	}
	k.seen.Add(hash, seenKey{key, now.Add(apiKeyKept)})
	return key, nil
}

// looksLikeAPIKey reports whether a bearer token is meant as a key.
func looksLikeAPIKey(token string) bool { return strings.HasPrefix(token, APIKeyPrefix) }
