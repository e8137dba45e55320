package oauth

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/clock"
)

const (
	// signFor is how long a key signs tokens.
	signFor = 90 * 24 * time.Hour
	// publishFor is how long a key is published: until the last token that can
	// have been signed with it has expired everywhere. Each server can tell from
	// the key's age alone, so no server signs with a key another has dropped.
	publishFor = signFor + TokenLifetime + Leeway

	// refreshAfter is when stored keys are read again although nothing seems to
	// be missing: another process may have added or withdrawn one.
	refreshAfter = 10 * time.Minute
	// lookAgainAfter bounds how often a token with an unknown kid, which anyone
	// can send, makes the server read the stored keys.
	lookAgainAfter = time.Second
	// readTimeout bounds one read of the stored keys.
	readTimeout = 5 * time.Second
)

var (
	// errUnknownKey is returned for a kid that no published key has.
	errUnknownKey = errors.New("unknown key")
	// errKeysUnavailable is returned when the stored keys could not be read, so
	// that nothing can be said about a token. It is a fault of the server.
	errKeysUnavailable = errors.New("oauth: the signing keys could not be read")
)

// KeyRing holds the signing keys of the embedded issuer. The newest signs; older
// ones stay published until their last token has expired. When the newest is 90
// days old the next token is signed with a new one.
//
// Servers that share a database share the keys. Two that find none at the same
// moment may both add one; each accepts the other's as soon as it meets it.
type KeyRing struct {
	store  Keys
	sealer Sealer
	clock  clock.Clock

	current atomic.Pointer[keySet]

	mu      sync.Mutex // guards what follows, and writing current
	triedAt time.Time
	lastErr error
}

// keySet is one reading of the stored keys. It never changes.
type keySet struct {
	readAt time.Time
	// byID are the public keys that were published when they were read.
	byID map[string]publicKey
	// signer is the newest key, opened; nil when none may sign.
	signer *signingKey
}

type publicKey struct {
	id        string
	key       ed25519.PublicKey
	createdAt time.Time
}

// published reports whether tokens signed with the key may still be valid.
func (k publicKey) published(now time.Time) bool { return now.Before(k.createdAt.Add(publishFor)) }

type signingKey struct {
	publicKey
	private ed25519.PrivateKey
}

// NewKeyRing reads the stored keys, and adds the first one if there is none.
func NewKeyRing(ctx context.Context, store Keys, sealer Sealer, c clock.Clock) (*KeyRing, error) {
	k := &KeyRing{store: store, sealer: sealer, clock: c}
	if _, err := k.signer(ctx); err != nil {
		return nil, err
	}
	return k, nil
}

// Rotate adds a key, which signs from now on. The keys before it stay valid.
func (k *KeyRing) Rotate(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, err := k.add(ctx)
	return err
}

// KeyfuncCtx implements VerificationKeys.
func (k *KeyRing) KeyfuncCtx(ctx context.Context) jwt.Keyfunc {
	return func(t *jwt.Token) (any, error) {
		// RFC 8725 §3.1: "Each key MUST be used with exactly one algorithm".
		if t.Method.Alg() != jwt.SigningMethodEdDSA.Alg() {
			return nil, errUnknownKey
		}
		kid, _ := t.Header["kid"].(string)
		return k.find(ctx, kid)
	}
}

// find returns the published key with an id. When the stored keys cannot be read
// the ones read last go on being used, so that a short outage of the database
// does not turn good tokens bad.
func (k *KeyRing) find(ctx context.Context, kid string) (ed25519.PublicKey, error) {
	set, err := k.keys(ctx, refreshAfter)
	if set == nil {
		return nil, err
	}
	key, ok := set.byID[kid]
	if !ok {
		if set, err = k.keys(ctx, lookAgainAfter); err != nil {
			return nil, err
		}
		key, ok = set.byID[kid]
	}
	if !ok {
		return nil, errUnknownKey
	}
	return key.key, nil
}

// signer returns the key to sign with, adding one when it is time.
func (k *KeyRing) signer(ctx context.Context) (*signingKey, error) {
	set, err := k.keys(ctx, refreshAfter)
	if err != nil {
		return nil, err
	}
	if k.maySign(set) {
		return set.signer, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	// Another request, or another server, may have been faster.
	if set, err = k.read(ctx); err != nil {
		return nil, err
	}
	if k.maySign(set) {
		return set.signer, nil
	}
	if set, err = k.add(ctx); err != nil {
		return nil, err
	}
	return set.signer, nil
}

func (k *KeyRing) maySign(set *keySet) bool {
	return set.signer != nil && k.clock.Now().Before(set.signer.createdAt.Add(signFor))
}

// keys returns a reading of the stored keys that is younger than maxAge. When
// reading fails it returns the last good one with the error, nil if there is none.
func (k *KeyRing) keys(ctx context.Context, maxAge time.Duration) (*keySet, error) {
	now := k.clock.Now()
	if set := k.current.Load(); set != nil && now.Sub(set.readAt) < maxAge {
		return set, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if now.Sub(k.triedAt) < lookAgainAfter {
		return k.current.Load(), k.lastErr
	}
	return k.read(ctx)
}

// read reads the stored keys; k.mu is held.
func (k *KeyRing) read(ctx context.Context) (*keySet, error) {
	// All requests share what is read, so the one that happens to read must not
	// spoil it for the others by going away.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
	defer cancel()
	k.triedAt = k.clock.Now()
	set, err := k.load(ctx, k.triedAt)
	if err != nil {
		k.lastErr = fmt.Errorf("%w: %w", errKeysUnavailable, err)
		return k.current.Load(), k.lastErr
	}
	k.lastErr = nil
	k.current.Store(set)
	return set, nil
}

func (k *KeyRing) load(ctx context.Context, now time.Time) (*keySet, error) {
	stored, err := k.store.Keys(ctx)
	if err != nil {
		return nil, err
	}
	set := &keySet{readAt: now, byID: make(map[string]publicKey, len(stored))}
	var newest *StoredKey
	for i, s := range stored {
		key := publicKey{s.ID, s.PublicKey, s.CreatedAt}
		// A key of another algorithm belongs to a later version of this program,
		// which may already run beside this one.
		if s.Algorithm != jwt.SigningMethodEdDSA.Alg() || !key.published(now) {
			continue
		}
		set.byID[s.ID] = key
		if newest == nil || s.CreatedAt.After(newest.CreatedAt) {
			newest = &stored[i]
		}
	}
	if newest != nil {
		set.signer, err = k.open(ctx, *newest)
	}
	return set, err
}

// open decrypts a private key, unless the last reading already had it.
func (k *KeyRing) open(ctx context.Context, s StoredKey) (*signingKey, error) {
	if set := k.current.Load(); set != nil && set.signer != nil && set.signer.id == s.ID {
		return set.signer, nil
	}
	seed, err := k.sealer.Open(ctx, s.SealedPrivate, sealedFor(s.ID))
	if err != nil {
		return nil, fmt.Errorf("open key %s: %w", s.ID, err)
	}
	if len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("key %s has the wrong size", s.ID)
	}
	private := ed25519.NewKeyFromSeed(seed)
	public := private.Public().(ed25519.PublicKey)
	if !public.Equal(ed25519.PublicKey(s.PublicKey)) {
		return nil, fmt.Errorf("the halves of key %s do not belong together", s.ID)
	}
	return &signingKey{publicKey{s.ID, public, s.CreatedAt}, private}, nil
}

// add stores a new key, in place of those that no token needs any more: their
// private halves must not lie around. k.mu is held.
func (k *KeyRing) add(ctx context.Context) (*keySet, error) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, fmt.Errorf("oauth: generate key: %w", err)
	}
	kid := thumbprint(public)
	sealed, err := k.sealer.Seal(ctx, private.Seed(), sealedFor(kid))
	if err != nil {
		return nil, fmt.Errorf("oauth: seal key: %w", err)
	}
	now := k.clock.Now()
	key := StoredKey{
		ID: kid, Algorithm: jwt.SigningMethodEdDSA.Alg(),
		PublicKey: public, SealedPrivate: sealed, CreatedAt: now,
	}
	if err := k.store.AddKey(ctx, key, now.Add(-publishFor)); err != nil {
		return nil, fmt.Errorf("oauth: store key: %w", err)
	}
	return k.read(ctx)
}

// sealedFor ties an encrypted key to its row.
func sealedFor(kid string) []byte { return []byte("oauth signing key " + kid) }
