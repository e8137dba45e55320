package keyring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/clock"
)

const (
	// signFor is how long a key signs tokens at most.
	signFor = 90 * 24 * time.Hour
	// renewAfter is when a key gets its successor: early enough that the successor
	// is known everywhere before it is needed, with a job that looks once an hour.
	renewAfter = signFor - 24*time.Hour
	// publishFor is how long a key is published: until the last token that it can have
	// signed has expired everywhere. It depends on the key's age alone, so no server
	// signs with a key that another has dropped.
	publishFor = signFor + TokenLifetime + Leeway

	// refreshAfter is when stored keys are read again even if none seems to be missing:
	// another process may have added or withdrawn one.
	refreshAfter = 10 * time.Minute
	// publishAhead is how long a key is published before it signs. By then every server
	// has read the keys again; it includes a minute for clocks that differ and for a slow
	// write.
	publishAhead = refreshAfter + time.Minute
	// lookAgainAfter limits how often tokens with unknown kids, which anyone can send,
	// make the server read the stored keys.
	lookAgainAfter = time.Second
	// gatherFor limits the same while keys are so new that another server may sign with
	// one that this server has not read: at most a hundred reads a second, one after the
	// other, each for all requests that came before it.
	gatherFor = 10 * time.Millisecond
	// readTimeout limits the time of one read of the stored keys.
	readTimeout = 5 * time.Second
)

var (
	// ErrUnknown is returned for a kid of no published key.
	ErrUnknown = errors.New("unknown key")
	// ErrUnavailable is returned if the stored keys cannot be read, so that a token
	// can be neither accepted nor refused. It is a fault of the server.
	ErrUnavailable = errors.New("oauth: the signing keys could not be read")
)

// Ring holds the signing keys of the embedded issuer, for each algorithm. A key stays
// published until its last token has expired.
//
// Servers that share a database share the keys. A key is published before it signs: of
// the keys that every server must have read, the newest signs, and each gets its
// successor a day before it stops. If there is no such key, as in a new database, a key
// signs at once; then servers read the keys at once when they meet an unknown one,
// otherwise at most once a second.
type Ring struct {
	store  Store
	sealer Sealer
	clock  clock.Clock

	current atomic.Pointer[keySet]
	begun   atomic.Uint64 // reads, whatever their result

	mu      sync.Mutex // protects what follows, reads, and setting current
	triedAt time.Time
	lastErr error
}

// New reads the stored keys, and adds the first one if there is none. Keys of the
// other algorithms are made when they are needed, or by Complete: finding an RSA key
// takes a good part of a second.
func New(ctx context.Context, store Store, sealer Sealer, c clock.Clock) (*Ring, error) {
	k := &Ring{store: store, sealer: sealer, clock: c}
	if _, err := k.signer(ctx, EdDSA); err != nil {
		return nil, err
	}
	return k, nil
}

// Complete adds a key for each algorithm that has none or only old ones, so that all are
// published before they are needed, and are rotated even if nobody asks for tokens.
func (k *Ring) Complete(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(ringAlgorithms)) {
		if _, err := k.signer(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// Rotate adds a key for each algorithm, which signs as soon as every server must have
// read it. The keys before remain valid.
func (k *Ring) Rotate(ctx context.Context) error {
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
func (k *Ring) KeyfuncCtx(ctx context.Context) jwt.Keyfunc {
	return func(t *jwt.Token) (any, error) {
		if !CanSign(t.Method.Alg()) {
			return nil, ErrUnknown
		}
		kid, _ := t.Header["kid"].(string)
		key, err := k.find(ctx, t.Method.Alg(), kid)
		// RFC 8725 §3.1: "Each key MUST be used with exactly one algorithm".
		if err == nil && key.algorithm != t.Method.Alg() {
			err = ErrUnknown
		}
		if err != nil {
			return nil, err
		}
		return key.public, nil
	}
}

// find returns the published key with the id that a token of an algorithm names. If the
// stored keys cannot be read, it uses those read last, so that a short outage of the
// database does not make good tokens bad.
func (k *Ring) find(ctx context.Context, algorithm, kid string) (*ringKey, error) {
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
	return nil, ErrUnknown
}

// Publish returns the public keys of all tokens that may still be valid, the newest
// first, and whether other programs may keep them for a while; they may not while a key
// may appear that signs at once. The keys are nil if they cannot be read.
func (k *Ring) Publish(ctx context.Context) (keys []JWK, keep bool, err error) {
	set, keep, err := k.toPublish(ctx)
	if set == nil {
		return nil, false, err
	}
	all := slices.Collect(maps.Values(set.byID))
	slices.SortFunc(all, func(a, b *ringKey) int {
		return cmp.Or(b.createdAt.Compare(a.createdAt), cmp.Compare(a.id, b.id))
	})
	keys = make([]JWK, len(all))
	for n, key := range all {
		keys[n] = ringAlgorithms[key.algorithm].jwk(key.public)
		keys[n].ID, keys[n].Use, keys[n].Algorithm = key.id, "sig", key.algorithm
	}
	return keys, keep, err
}

func (k *Ring) toPublish(ctx context.Context) (set *keySet, keep bool, err error) {
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

// Sign signs claims as a JWT of a type, with the key of an algorithm that signs at
// present.
func (k *Ring) Sign(ctx context.Context, algorithm, typ string, claims jwt.Claims) (string, error) {
	key, err := k.signer(ctx, algorithm)
	if err != nil {
		return "", err
	}
	token := jwt.NewWithClaims(ringAlgorithms[algorithm].method, claims)
	token.Header["typ"] = typ
	token.Header["kid"] = key.id
	signed, err := token.SignedString(key.private)
	if err != nil {
		return "", fmt.Errorf("oauth: sign: %w", err)
	}
	return signed, nil
}

// signer returns the key to sign with, and adds one first if it is time to.
func (k *Ring) signer(ctx context.Context, algorithm string) (*ringKey, error) {
	set, err := k.keys(ctx, refreshAfter)
	if err == nil && !set.renewed(algorithm, k.clock.Now()) {
		set, err = k.renew(ctx, algorithm)
	}
	if err != nil {
		return nil, err
	}
	return set.signer(algorithm, k.clock.Now()), nil
}

// renew adds a key for an algorithm, unless another request, or another server, was
// faster.
func (k *Ring) renew(ctx context.Context, algorithm string) (*keySet, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	set, err := k.read(ctx)
	if err != nil || set.renewed(algorithm, k.clock.Now()) {
		return set, err
	}
	return k.add(ctx, algorithm)
}

// keys returns the stored keys as read no longer than maxAge ago. If they cannot be read,
// it returns the last good read with the error, nil if there is none.
func (k *Ring) keys(ctx context.Context, maxAge time.Duration) (*keySet, error) {
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

// readAnew returns the stored keys as read after it was called. It waits a moment first,
// so that concurrent requests share a read. Like keys, it spares a store that fails.
func (k *Ring) readAnew(ctx context.Context) (*keySet, error) {
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

// read reads the stored keys; the caller holds k.mu.
func (k *Ring) read(ctx context.Context) (*keySet, error) {
	// All requests share the result, so the end of the request that happens to read must
	// not stop it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTimeout)
	defer cancel()
	k.begun.Add(1)
	k.triedAt = k.clock.Now()
	set, err := k.load(ctx, k.triedAt)
	if err != nil {
		k.lastErr = fmt.Errorf("%w: %w", ErrUnavailable, err)
		return k.current.Load(), k.lastErr
	}
	k.lastErr = nil
	k.current.Store(set)
	return set, nil
}

// add stores a new key and deletes those that no token needs any more, so that their
// private halves do not lie around. The caller holds k.mu.
func (k *Ring) add(ctx context.Context, algorithm string) (*keySet, error) {
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

// sealedFor binds an encrypted key to its row.
func sealedFor(kid string) []byte { return []byte("oauth signing key " + kid) }
