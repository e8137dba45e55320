package keyring

import (
	"cmp"
	"context"
	"crypto"
	"fmt"
	"time"
)

// keySet is the result of one read of the stored keys. It never changes.
type keySet struct {
	readAt time.Time
	// byID are the keys that were published when they were read.
	byID map[string]*ringKey
}

// ringKey is a key of the ring. It has no private half if it was already too old to sign
// when it was read.
type ringKey struct {
	id, algorithm string
	public        crypto.PublicKey
	private       crypto.Signer
	createdAt     time.Time
}

// published reports whether tokens signed with a key may still be valid.
func published(createdAt, now time.Time) bool { return now.Before(createdAt.Add(publishFor)) }

// maySign reports whether a key is young enough to sign.
func maySign(createdAt, now time.Time) bool { return now.Before(createdAt.Add(signFor)) }

// isKnown reports whether every server must have read a key by now.
func (k *ringKey) isKnown(now time.Time) bool { return !now.Before(k.createdAt.Add(publishAhead)) }

// isBetter reports whether a key is to sign rather than another. A key that every server
// knows comes first. Of the known keys the newest signs; of the others the oldest, so
// that the first key keeps signing when a second one is added.
func (k *ringKey) isBetter(other *ringKey, now time.Time) bool {
	known := k.isKnown(now)
	if known != other.isKnown(now) {
		return known
	}
	newer := cmp.Or(k.createdAt.Compare(other.createdAt), cmp.Compare(k.id, other.id)) > 0
	return newer == known
}

// signer returns the key that signs for an algorithm, nil if there is none.
func (s *keySet) signer(algorithm string, now time.Time) *ringKey {
	var best *ringKey
	for _, key := range s.byID {
		if key.algorithm == algorithm && key.private != nil && maySign(key.createdAt, now) && (best == nil || key.isBetter(best, now)) {
			best = key
		}
	}
	return best
}

// settled reports whether every server signs with a key that every server knows.
func (s *keySet) settled(algorithm string, now time.Time) bool {
	key := s.signer(algorithm, now)
	return key != nil && key.isKnown(now)
}

// renewed reports whether an algorithm has a key that needs no successor yet.
func (s *keySet) renewed(algorithm string, now time.Time) bool {
	for _, key := range s.byID {
		if key.algorithm == algorithm && now.Before(key.createdAt.Add(renewAfter)) {
			return true
		}
	}
	return false
}

// load returns the stored keys that are published, with the private halves of those
// that may sign.
func (k *Ring) load(ctx context.Context, now time.Time) (*keySet, error) {
	stored, err := k.store.Keys(ctx)
	if err != nil {
		return nil, err
	}
	set := &keySet{readAt: now, byID: make(map[string]*ringKey, len(stored))}
	for _, s := range stored {
		// A key of an unknown algorithm belongs to a later version of this program, which
		// may already run beside this one.
		a, ok := ringAlgorithms[s.Algorithm]
		if !ok || !published(s.CreatedAt, now) {
			continue
		}
		key := &ringKey{id: s.ID, algorithm: s.Algorithm, createdAt: s.CreatedAt}
		if key.public, err = a.parsePublic(s.PublicKey); err != nil {
			return nil, fmt.Errorf("public key %s: %w", s.ID, err)
		}
		if maySign(s.CreatedAt, now) {
			if key.private, err = k.open(ctx, s); err != nil {
				return nil, err
			}
		}
		set.byID[s.ID] = key
	}
	return set, nil
}

// open decrypts a private key, unless the last read already has it.
func (k *Ring) open(ctx context.Context, s StoredKey) (crypto.Signer, error) {
	if set := k.current.Load(); set != nil && set.byID[s.ID] != nil && set.byID[s.ID].private != nil {
		return set.byID[s.ID].private, nil
	}
	encoded, err := k.sealer.Open(ctx, s.SealedPrivate, sealedFor(s.ID))
	if err != nil {
		return nil, fmt.Errorf("open key %s: %w", s.ID, err)
	}
	return openKey(s, encoded)
}
