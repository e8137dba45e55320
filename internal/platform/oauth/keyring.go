package oauth

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/words/clock"
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

// KeyRing holds the signing keys of the embedded issuer, of each algorithm. The
// newest of an algorithm signs; older ones stay published until their last token
// has expired. When the newest is 90 days old the next token is signed with a new
// one.
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
	// signers are the newest keys, opened, by algorithm.
	signers map[string]*signingKey
}

type publicKey struct {
	id, algorithm string
	key           crypto.PublicKey
	createdAt     time.Time
}

// published reports whether tokens signed with a key may still be valid.
func published(createdAt, now time.Time) bool { return now.Before(createdAt.Add(publishFor)) }

type signingKey struct {
	publicKey
	private crypto.Signer
}

// NewKeyRing reads the stored keys, and adds the first one if there is none.
// Keys of the other algorithms are made when they are needed, or by Complete:
// looking for an RSA key takes a good part of a second.
func NewKeyRing(ctx context.Context, store Keys, sealer Sealer, c clock.Clock) (*KeyRing, error) {
	k := &KeyRing{store: store, sealer: sealer, clock: c}
	if _, err := k.signer(ctx, EdDSA); err != nil {
		return nil, err
	}
	return k, nil
}

// Complete adds a key of each algorithm that has none which may sign, so that all
// are published before they are needed, and are rotated though nobody asks for
// tokens.
func (k *KeyRing) Complete(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(ringAlgorithms)) {
		if _, err := k.signer(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// Rotate adds a key of each algorithm, which signs from now on. The keys before
// them stay valid.
func (k *KeyRing) Rotate(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(ringAlgorithms)) {
		if _, err := k.add(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// KeyfuncCtx implements VerificationKeys.
func (k *KeyRing) KeyfuncCtx(ctx context.Context) jwt.Keyfunc {
	return func(t *jwt.Token) (any, error) {
		if _, ok := ringAlgorithms[t.Method.Alg()]; !ok {
			return nil, errUnknownKey
		}
		kid, _ := t.Header["kid"].(string)
		key, err := k.find(ctx, kid)
		// RFC 8725 §3.1: "Each key MUST be used with exactly one algorithm".
		if err == nil && key.algorithm != t.Method.Alg() {
			err = errUnknownKey
		}
		if err != nil {
			return nil, err
		}
		return key.key, nil
	}
}

// find returns the published key with an id. When the stored keys cannot be read
// the ones read last go on being used, so that a short outage of the database
// does not turn good tokens bad.
func (k *KeyRing) find(ctx context.Context, kid string) (key publicKey, err error) {
	set, err := k.keys(ctx, refreshAfter)
	if set == nil {
		return key, err
	}
	key, ok := set.byID[kid]
	if !ok {
		if set, err = k.keys(ctx, lookAgainAfter); err != nil {
			return key, err
		}
		key, ok = set.byID[kid]
	}
	if !ok {
		return key, errUnknownKey
	}
	return key, nil
}

// signer returns the key to sign with, adding one when it is time.
func (k *KeyRing) signer(ctx context.Context, algorithm string) (*signingKey, error) {
	set, err := k.keys(ctx, refreshAfter)
	if err != nil {
		return nil, err
	}
	if key := k.maySign(set, algorithm); key != nil {
		return key, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	// Another request, or another server, may have been faster.
	if set, err = k.read(ctx); err != nil {
		return nil, err
	}
	if key := k.maySign(set, algorithm); key != nil {
		return key, nil
	}
	if set, err = k.add(ctx, algorithm); err != nil {
		return nil, err
	}
	return set.signers[algorithm], nil
}

// maySign returns the key of a reading that may sign, nil when it has none.
func (k *KeyRing) maySign(set *keySet, algorithm string) *signingKey {
	key := set.signers[algorithm]
	if key == nil || !k.clock.Now().Before(key.createdAt.Add(signFor)) {
		return nil
	}
	return key
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
	set := &keySet{readAt: now, byID: make(map[string]publicKey, len(stored)), signers: map[string]*signingKey{}}
	newest := map[string]StoredKey{}
	for _, s := range stored {
		// A key of another algorithm belongs to a later version of this program,
		// which may already run beside this one.
		a, ok := ringAlgorithms[s.Algorithm]
		if !ok || !published(s.CreatedAt, now) {
			continue
		}
		public, err := a.parsePublic(s.PublicKey)
		if err != nil {
			return nil, fmt.Errorf("public key %s: %w", s.ID, err)
		}
		set.byID[s.ID] = publicKey{s.ID, s.Algorithm, public, s.CreatedAt}
		if s.CreatedAt.After(newest[s.Algorithm].CreatedAt) {
			newest[s.Algorithm] = s
		}
	}
	for name, s := range newest {
		if set.signers[name], err = k.open(ctx, s, set.byID[s.ID]); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// open decrypts a private key, unless the last reading already had it.
func (k *KeyRing) open(ctx context.Context, s StoredKey, public publicKey) (*signingKey, error) {
	if set := k.current.Load(); set != nil && set.signers[s.Algorithm] != nil && set.signers[s.Algorithm].id == s.ID {
		return set.signers[s.Algorithm], nil
	}
	encoded, err := k.sealer.Open(ctx, s.SealedPrivate, sealedFor(s.ID))
	if err != nil {
		return nil, fmt.Errorf("open key %s: %w", s.ID, err)
	}
	private, err := openKey(s, encoded)
	return &signingKey{public, private}, err
}

// add stores a new key, in place of those that no token needs any more: their
// private halves must not lie around. k.mu is held.
func (k *KeyRing) add(ctx context.Context, algorithm string) (*keySet, error) {
	a := ringAlgorithms[algorithm]
	signer, err := a.generate()
	if err != nil {
		return nil, fmt.Errorf("oauth: generate key: %w", err)
	}
	public, private := a.marshal(signer)
	kid := thumbprint(a.jwk(signer.Public()))
	sealed, err := k.sealer.Seal(ctx, private, sealedFor(kid))
	if err != nil {
		return nil, fmt.Errorf("oauth: seal key: %w", err)
	}
	now := k.clock.Now()
	key := StoredKey{ID: kid, Algorithm: algorithm, PublicKey: public, SealedPrivate: sealed, CreatedAt: now}
	if err := k.store.AddKey(ctx, key, now.Add(-publishFor)); err != nil {
		return nil, fmt.Errorf("oauth: store key: %w", err)
	}
	return k.read(ctx)
}

// sealedFor ties an encrypted key to its row.
func sealedFor(kid string) []byte { return []byte("oauth signing key " + kid) }
