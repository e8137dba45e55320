package vault

import (
	"context"
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
)

// Rotate adds a fresh key to a tenant's keyset, which encrypts everything from now on.
// The older keys stay, so that values not yet encrypted again, backups, and what other
// processes still write can be opened. Other processes load the fresh key when they meet
// a value that it encrypted.
//
// The key of blind indexes and MACs is not rotated: stored indexes, fingerprints and the
// chain of audit entries could not be computed again without the values.
//
// It returns ErrNoKeyset for a tenant without keysets, and ErrWrongKey.
func (v *Vault) Rotate(ctx context.Context, tenantID int64) error {
	stored, err := v.replace(ctx, tenantID, func(stored []byte) ([]byte, error) {
		h, err := v.kek.unwrap(tenantID, stored)
		if err != nil {
			return nil, err
		}
		if h.encryption, err = withFreshKey(h.encryption); err != nil {
			return nil, fmt.Errorf("vault: add a key for tenant %d: %w", tenantID, err)
		}
		return v.kek.wrap(tenantID, h)
	})
	if err != nil {
		return err
	}
	_, err = v.remember(tenantID, stored)
	return err
}

func withFreshKey(h *keyset.Handle) (*keyset.Handle, error) {
	manager := keyset.NewManagerFromHandle(h)
	added, err := manager.Add(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, err
	}
	if err := manager.SetPrimary(added); err != nil {
		return nil, err
	}
	return manager.Handle()
}

// Rewrap stores a tenant's keysets wrapped by another key-encryption key. The keys in
// them stay the same, and so do all values. A keyset that the other key already opens is
// left as it is, so a run that stopped half way is simply run again. This vault goes on
// with the keys it has in memory but cannot open the stored ones any more: make a vault
// with the other key.
//
// It returns ErrKeyFormat for a malformed key, ErrNoKeyset for a tenant without keysets,
// and ErrWrongKey when neither key opens them.
func (v *Vault) Rewrap(ctx context.Context, tenantID int64, kek []byte) error {
	w, err := newWrapper(kek)
	if err != nil {
		return err
	}
	_, err = v.replace(ctx, tenantID, func(stored []byte) ([]byte, error) {
		if _, err := w.unwrap(tenantID, stored); err == nil {
			return stored, nil
		}
		h, err := v.kek.unwrap(tenantID, stored)
		if err != nil {
			return nil, err
		}
		return w.wrap(tenantID, h)
	})
	return err
}

// maxReplaces is how often a change of a keyset is tried when another process
// changes the same one.
const maxReplaces = 10

// replace changes a stored value and returns the value that is stored afterwards.
func (v *Vault) replace(ctx context.Context, tenantID int64, change func(stored []byte) ([]byte, error)) ([]byte, error) {
	for range maxReplaces {
		stored, err := v.load(ctx, tenantID)
		if err != nil {
			return nil, err
		}
		changed, err := change(stored)
		if err != nil {
			return nil, err
		}
		swapped, err := v.keysets.Replace(ctx, tenantID, stored, changed)
		if err != nil {
			return nil, fmt.Errorf("vault: store the keyset of tenant %d: %w", tenantID, err)
		}
		if swapped {
			return changed, nil
		}
	}
	return nil, errors.New("vault: the keyset is changed by others all the time")
}

// NeedsReencryption reports whether a ciphertext was made with an older key than the one
// that encrypts now. The errors are those of Decrypt.
func (v *Vault) NeedsReencryption(ctx context.Context, tenantID int64, ciphertext []byte) (bool, error) {
	k, err := v.openFor(ctx, tenantID, ciphertext)
	if err != nil {
		return false, err
	}
	id, ok := keyID(ciphertext)
	return !ok || id != k.primary, nil
}
