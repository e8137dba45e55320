package vault

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/core/cryptofmt"
	"github.com/tink-crypto/tink-go/v2/prf"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// Keysets stores one wrapped value per tenant. The value is of use only
// together with the key-encryption key.
type Keysets interface {
	// Load returns the tenant's stored value, or ErrNoKeyset.
	Load(ctx context.Context, tenantID int64) (wrapped []byte, err error)
	// Any returns a stored value of any tenant, or ErrNoKeyset when there is none.
	Any(ctx context.Context) (tenantID int64, wrapped []byte, err error)
	// Create stores the value unless the tenant has one, and returns the one
	// that is stored: of two callers at once, both get the same. It must be
	// committed when it returns. A part of a transaction that is rolled back
	// would lose a key that the vault goes on using.
	Create(ctx context.Context, tenantID int64, wrapped []byte) (stored []byte, err error)
	// Replace stores a value in place of the one that was loaded. If another one is
	// stored by now, it changes nothing and swapped is false. It must be committed when
	// it returns, as with Create.
	Replace(ctx context.Context, tenantID int64, loaded, wrapped []byte) (swapped bool, err error)
}

var (
	// ErrNoKeyset is returned by Keysets.Load, and by everything that makes no keysets
	// itself, for a tenant without keysets: nothing was ever encrypted for it, or its
	// keys were deleted.
	ErrNoKeyset = errors.New("vault: the tenant has no keyset")

	// ErrWrongKey is returned when the key-encryption key of the configuration
	// is not the one that wrapped the stored keysets, or when the stored
	// keysets were changed or belong to another tenant.
	ErrWrongKey = errors.New("vault: the stored keyset does not open with the configured key-encryption key")
)

// keys are a tenant's keysets, ready for use.
type keys struct {
	stored  []byte // what they were opened from
	aead    tink.AEAD
	prf     *prf.Set
	ids     map[uint32]bool // of the keys that encrypt or once did
	primary uint32          // of the one that encrypts
}

// Prepare makes the tenant's keysets when there are none, and opens them. Call
// it where a tenant is created and for Platform at start-up: then no write ever
// has to make keys in the middle of a transaction. It returns ErrWrongKey, or
// the error of the store.
func (v *Vault) Prepare(ctx context.Context, tenantID int64) error {
	_, err := v.openOrCreate(ctx, tenantID)
	return err
}

func (v *Vault) openOrCreate(ctx context.Context, tenantID int64) (*keys, error) {
	k, err := v.open(ctx, tenantID)
	if !errors.Is(err, ErrNoKeyset) {
		return k, err
	}
	if err := v.opensAny(ctx); err != nil {
		return nil, err
	}
	h, err := newHandles()
	if err != nil {
		return nil, fmt.Errorf("vault: make a keyset for tenant %d: %w", tenantID, err)
	}
	fresh, err := v.kek.wrap(tenantID, h)
	if err != nil {
		return nil, fmt.Errorf("vault: wrap the keyset of tenant %d: %w", tenantID, err)
	}
	stored, err := v.keysets.Create(ctx, tenantID, fresh)
	if err != nil {
		return nil, fmt.Errorf("vault: store the keyset of tenant %d: %w", tenantID, err)
	}
	return v.remember(tenantID, stored)
}

// opensAny refuses a key-encryption key that does not open a keyset that is stored: what
// it wrapped, no other process could open.
func (v *Vault) opensAny(ctx context.Context) error {
	tenantID, stored, err := v.keysets.Any(ctx)
	if errors.Is(err, ErrNoKeyset) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("vault: load any keyset: %w", err)
	}
	_, err = v.kek.unwrap(tenantID, stored)
	return err
}

// Check opens the tenant's keysets. Unlike Prepare it makes none. It returns ErrNoKeyset,
// ErrWrongKey, or the error of the store.
func (v *Vault) Check(ctx context.Context, tenantID int64) error {
	_, err := v.open(ctx, tenantID)
	return err
}

// open returns the tenant's keys from memory or from the store. It never makes keysets:
// an existing value cannot have been encrypted with a key that does not exist.
func (v *Vault) open(ctx context.Context, tenantID int64) (*keys, error) {
	if k := v.inMemory(tenantID); k != nil {
		return k, nil
	}
	stored, err := v.load(ctx, tenantID)
	if err != nil {
		return nil, err
	}
	return v.remember(tenantID, stored)
}

// openFor returns the tenant's keys with the one that made a ciphertext, if
// there is such a key. Another process may have added it since the keys in
// memory were read; then they are read again. A ciphertext that no stored key
// made costs one read of a row each time, no more.
func (v *Vault) openFor(ctx context.Context, tenantID int64, ciphertext []byte) (*keys, error) {
	k, err := v.open(ctx, tenantID)
	if err != nil {
		return nil, err
	}
	if id, ok := keyID(ciphertext); !ok || k.ids[id] {
		return k, nil
	}
	stored, err := v.load(ctx, tenantID)
	if err != nil || bytes.Equal(stored, k.stored) {
		return k, err
	}
	return v.remember(tenantID, stored)
}

func (v *Vault) inMemory(tenantID int64) *keys {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.opened[tenantID]
}

func (v *Vault) load(ctx context.Context, tenantID int64) ([]byte, error) {
	stored, err := v.keysets.Load(ctx, tenantID)
	if err != nil {
		return nil, fmt.Errorf("vault: load the keyset of tenant %d: %w", tenantID, err)
	}
	return stored, nil
}

// remember opens what is stored and keeps it. Of two callers at once it does
// not matter whose result stays: keys are only ever added, and one that is
// missed is read when a value needs it.
func (v *Vault) remember(tenantID int64, stored []byte) (*keys, error) {
	h, err := v.kek.unwrap(tenantID, stored)
	if err != nil {
		return nil, err
	}
	k, err := h.keys(stored)
	if err != nil {
		return nil, fmt.Errorf("%w (tenant %d)", ErrWrongKey, tenantID)
	}
	v.mu.Lock()
	v.opened[tenantID] = k
	v.mu.Unlock()
	return k, nil
}

func (h handles) keys(stored []byte) (k *keys, err error) {
	info := h.encryption.KeysetInfo()
	k = &keys{stored: stored, ids: map[uint32]bool{}, primary: info.GetPrimaryKeyId()}
	for _, key := range info.GetKeyInfo() {
		k.ids[key.GetKeyId()] = true
	}
	if k.aead, err = aead.New(h.encryption); err != nil {
		return nil, err
	}
	k.prf, err = prf.NewPRFSet(h.index)
	return k, err
}

// keyID returns the id of the key that made a ciphertext, which Tink writes in
// front of it.
func keyID(ciphertext []byte) (id uint32, ok bool) {
	if len(ciphertext) < cryptofmt.TinkPrefixSize || ciphertext[0] != cryptofmt.TinkStartByte {
		return 0, false
	}
	return binary.BigEndian.Uint32(ciphertext[1:]), true
}
