package vault

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// Keysets stores one wrapped value per tenant. The value is of use only
// together with the key-encryption key.
type Keysets interface {
	// Load returns the tenant's stored value, or ErrNoKeyset.
	Load(ctx context.Context, tenantID int64) (wrapped []byte, err error)
	// Create stores the value unless the tenant has one, and returns the one
	// that is stored: of two callers at once, both get the same. It must be
	// committed when it returns. A part of a transaction that is rolled back
	// would lose a key that the vault goes on using.
	Create(ctx context.Context, tenantID int64, wrapped []byte) (stored []byte, err error)
}

var (
	// ErrNoKeyset is returned by Keysets.Load, and by Decrypt and Open, for a
	// tenant without keysets: nothing was ever encrypted for it, or its keys
	// were deleted.
	ErrNoKeyset = errors.New("vault: the tenant has no keyset")

	// ErrWrongKey is returned when the key-encryption key of the configuration
	// is not the one that wrapped the stored keysets, or when the stored
	// keysets were changed or belong to another tenant.
	ErrWrongKey = errors.New("vault: the stored keyset does not open with the configured key-encryption key")
)

// keys are a tenant's keysets, opened.
type keys struct {
	aead tink.AEAD
	prf  *prf.Set
}

// envelope is the stored form: both keysets, each encrypted by the
// key-encryption key.
type envelope struct {
	AEAD []byte `json:"aead"`
	PRF  []byte `json:"prf"`
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
	fresh, err := v.wrapNew(tenantID)
	if err != nil {
		return nil, fmt.Errorf("vault: make a keyset for tenant %d: %w", tenantID, err)
	}
	stored, err := v.keysets.Create(ctx, tenantID, fresh)
	if err != nil {
		return nil, fmt.Errorf("vault: store the keyset of tenant %d: %w", tenantID, err)
	}
	return v.remember(tenantID, stored)
}

// open returns the tenant's keys from memory or from the store. It never makes
// any: a value that exists cannot have been encrypted with a key that does not.
func (v *Vault) open(ctx context.Context, tenantID int64) (*keys, error) {
	v.mu.RLock()
	k := v.opened[tenantID]
	v.mu.RUnlock()
	if k != nil {
		return k, nil
	}
	stored, err := v.keysets.Load(ctx, tenantID)
	if err != nil {
		return nil, fmt.Errorf("vault: load the keyset of tenant %d: %w", tenantID, err)
	}
	return v.remember(tenantID, stored)
}

// remember opens what is stored and keeps it. Two callers at once open the same
// stored value, so it does not matter whose result stays.
func (v *Vault) remember(tenantID int64, stored []byte) (*keys, error) {
	k, err := v.unwrap(tenantID, stored)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	v.opened[tenantID] = k
	v.mu.Unlock()
	return k, nil
}

func (v *Vault) wrapNew(tenantID int64) ([]byte, error) {
	encryption, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, err
	}
	index, err := keyset.NewHandle(prf.HMACSHA256PRFKeyTemplate())
	if err != nil {
		return nil, err
	}
	return v.wrap(tenantID, encryption, index)
}

func (v *Vault) wrap(tenantID int64, encryption, index *keyset.Handle) ([]byte, error) {
	var a, p bytes.Buffer
	if err := encryption.WriteWithAssociatedData(keyset.NewBinaryWriter(&a), v.kek, wrapData(tenantID, "aead")); err != nil {
		return nil, err
	}
	if err := index.WriteWithAssociatedData(keyset.NewBinaryWriter(&p), v.kek, wrapData(tenantID, "prf")); err != nil {
		return nil, err
	}
	return json.Marshal(envelope{AEAD: a.Bytes(), PRF: p.Bytes()})
}

// unwrap opens a stored value. Every failure is ErrWrongKey: the reasons of the
// libraries below say nothing that an operator could use.
func (v *Vault) unwrap(tenantID int64, stored []byte) (*keys, error) {
	k, err := v.unwrapKeys(tenantID, stored)
	if err != nil {
		return nil, fmt.Errorf("%w (tenant %d)", ErrWrongKey, tenantID)
	}
	return k, nil
}

func (v *Vault) unwrapKeys(tenantID int64, stored []byte) (*keys, error) {
	var e envelope
	if err := json.Unmarshal(stored, &e); err != nil {
		return nil, err
	}
	encryption, err := keyset.ReadWithAssociatedData(keyset.NewBinaryReader(bytes.NewReader(e.AEAD)), v.kek, wrapData(tenantID, "aead"))
	if err != nil {
		return nil, err
	}
	index, err := keyset.ReadWithAssociatedData(keyset.NewBinaryReader(bytes.NewReader(e.PRF)), v.kek, wrapData(tenantID, "prf"))
	if err != nil {
		return nil, err
	}
	k := &keys{}
	if k.aead, err = aead.New(encryption); err != nil {
		return nil, err
	}
	if k.prf, err = prf.NewPRFSet(index); err != nil {
		return nil, err
	}
	return k, nil
}

// wrapData binds a wrapped keyset to its tenant and purpose: a keyset copied to
// another tenant's row does not open there.
func wrapData(tenantID int64, purpose string) []byte {
	return fmt.Appendf(nil, "upline keyset %s tenant %d", purpose, tenantID)
}
