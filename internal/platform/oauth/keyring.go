package oauth

import (
	"context"
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
	// signFor is how long a key signs tokens at most.
	signFor = 90 * 24 * time.Hour
	// renewAfter is when a key gets its successor: early enough that the successor
	// is known everywhere before it is needed, with a job that looks once an hour.
	renewAfter = signFor - 24*time.Hour
	// publishFor is how long a key is published: until the last token that can
	// have been signed with it has expired everywhere. Each server can tell from
	// the key's age alone, so no server signs with a key another has dropped.
	publishFor = signFor + TokenLifetime + Leeway

	// refreshAfter is when stored keys are read again although nothing seems to
	// be missing: another process may have added or withdrawn one.
	refreshAfter = 10 * time.Minute
	// publishAhead is how long a key is published before it takes the place of one
	// that signs. Every server has read the keys again by then; the minute is for
	// clocks that differ and for a write that takes its time.
	publishAhead = refreshAfter + time.Minute
	// lookAgainAfter bounds how often a token with an unknown kid, which anyone
	// can send, makes the server read the stored keys.
	lookAgainAfter = time.Second
	// gatherFor bounds the same while the keys are so new that another server may
	// sign with one that this server has not met: to a hundred readings a second,
	// one after the other, each for all requests that came before it.
	gatherFor = 10 * time.Millisecond
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

// KeyRing holds the signing keys of the embedded issuer, of each algorithm. They
// stay published until their last token has expired.
//
// Servers that share a database share the keys. A key is published before it signs:
// the newest signs of those that every server must know by now, and each gets its
// successor a day before it stops. Only where there is no such key, as in a new
// database, one signs at once. Servers look for a key that they do not know at once
// then, and otherwise no more than once a second.
type KeyRing struct {
	store  Keys
	sealer Sealer
	clock  clock.Clock

	current atomic.Pointer[keySet]
	begun   atomic.Uint64 // readings, whatever became of them

	mu      sync.Mutex // guards what follows, reading, and writing current
	triedAt time.Time
	lastErr error
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

// Complete adds a key of each algorithm that has none or only old ones, so that all
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

// Rotate adds a key of each algorithm, which signs as soon as every server must
// know it. The keys before them stay valid.
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
		key, err := k.find(ctx, t.Method.Alg(), kid)
		// RFC 8725 §3.1: "Each key MUST be used with exactly one algorithm".
		if err == nil && key.algorithm != t.Method.Alg() {
			err = errUnknownKey
		}
		if err != nil {
			return nil, err
		}
		return key.public, nil
	}
}

// find returns the published key with an id that a token of an algorithm names. When
// the stored keys cannot be read the ones read last go on being used, so that a short
// outage of the database does not turn good tokens bad.
func (k *KeyRing) find(ctx context.Context, algorithm, kid string) (*ringKey, error) {
	set, err := k.keys(ctx, refreshAfter)
	if set == nil {
		return nil, err
	}
	if key := set.byID[kid]; key != nil {
		return key, nil
	}
	if set.settled(algorithm, k.clock.Now()) {
		set, err = k.keys(ctx, lookAgainAfter)
	} else {
		set, err = k.readAnew(ctx)
	}
	if err != nil {
		return nil, err
	}
	if key := set.byID[kid]; key != nil {
		return key, nil
	}
	return nil, errUnknownKey
}

// toPublish returns the keys for other programs, and whether these may keep them for
// a while: not as long as a key may appear that signs at once.
func (k *KeyRing) toPublish(ctx context.Context) (set *keySet, keep bool, err error) {
	set, err = k.keys(ctx, lookAgainAfter)
	if set == nil {
		return nil, false, err
	}
	for name := range ringAlgorithms {
		if !set.settled(name, k.clock.Now()) {
			set, err = k.readAnew(ctx)
			return set, false, err
		}
	}
	return set, true, err
}

// signer returns the key to sign with, after it added one when it is time.
func (k *KeyRing) signer(ctx context.Context, algorithm string) (*ringKey, error) {
	set, err := k.keys(ctx, refreshAfter)
	if err == nil && !set.renewed(algorithm, k.clock.Now()) {
		set, err = k.renew(ctx, algorithm)
	}
	if err != nil {
		return nil, err
	}
	return set.signer(algorithm, k.clock.Now()), nil
}

// renew adds a key of an algorithm, unless another request, or another server, was
// faster.
func (k *KeyRing) renew(ctx context.Context, algorithm string) (*keySet, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	set, err := k.read(ctx)
	if err != nil || set.renewed(algorithm, k.clock.Now()) {
		return set, err
	}
	return k.add(ctx, algorithm)
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

// readAnew returns a reading of the stored keys that began after it was asked for.
// It waits a moment first, so that requests which come together share one. A store
// that fails is left alone as keys does.
func (k *KeyRing) readAnew(ctx context.Context) (*keySet, error) {
	begun := k.begun.Load()
	k.mu.Lock()
	defer k.mu.Unlock()
	failed := k.lastErr != nil && k.clock.Now().Sub(k.triedAt) < lookAgainAfter
	if failed || k.begun.Load() != begun {
		return k.current.Load(), k.lastErr
	}
	time.Sleep(gatherFor)
	return k.read(ctx)
}

// read reads the stored keys; k.mu is held.
func (k *KeyRing) read(ctx context.Context) (*keySet, error) {
	// All requests share what is read, so the one that happens to read must not
	// spoil it for the others by going away.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
	defer cancel()
	k.begun.Add(1)
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
