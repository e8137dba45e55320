// Package vault encrypts sensitive values one field at a time: tax ids, bank
// details, W9 signatures, webhook secrets, custom header values, and the
// signing keys of the token issuer.
//
// There are two layers of keys. One key-encryption key comes from the
// configuration and is never stored in the database. Under it every tenant has
// its own keysets, stored wrapped: one encrypts, the other makes the blind
// indexes that equality searches use. Deleting a tenant's stored keysets makes
// its values unreadable for good.
//
// A ciphertext is bound to its tenant, table, row and column: copied to any
// other place, it no longer opens.
package vault

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Platform is the tenant id of the platform's own keysets, which Seal and Open
// use.
const Platform int64 = 0

// BlindIndexSize is the length of a blind index in bytes. With 128 bits two
// different values of one column practically never share an index.
const BlindIndexSize = 16

// ErrDecrypt is returned for a ciphertext that was changed, that belongs to
// another field, or whose key is not in the keyset.
var ErrDecrypt = errors.New("vault: the stored value cannot be decrypted here")

// Unreadable reports whether an error says that a single stored value is lost, not
// that the vault is out of order.
func Unreadable(err error) bool { return errors.Is(err, ErrDecrypt) || errors.Is(err, ErrNoKeyset) }

// Vault encrypts and decrypts. It is safe for concurrent use.
type Vault struct {
	kek     wrapper
	keysets Keysets

	mu     sync.RWMutex
	opened map[int64]*keys

	decryptions atomic.Int64
}

// New returns a vault whose tenant keysets are wrapped by kek, KeySize bytes
// from ParseKey or LoadOrCreateKeyFile. It returns ErrKeyFormat for a kek of
// another length. Whether kek is the right one shows when the first keyset is
// opened; call Prepare at start-up to know then.
func New(kek []byte, keysets Keysets) (*Vault, error) {
	w, err := newWrapper(kek)
	if err != nil {
		return nil, err
	}
	return &Vault{kek: w, keysets: keysets, opened: map[int64]*keys{}}, nil
}

// Field is the place of a value in the database: everything a ciphertext is
// bound to.
type Field struct {
	TenantID      int64
	Table, Column string
	RowID         int64
	// RowKey names the row of a table that has no RowID.
	RowKey string
}

// Encrypt returns the ciphertext of plaintext for a field. Two calls never
// return the same bytes. It makes the tenant's keysets on first use; the errors
// are those of Prepare.
func (v *Vault) Encrypt(ctx context.Context, f Field, plaintext string) ([]byte, error) {
	k, err := v.openOrCreate(ctx, f.TenantID)
	if err != nil {
		return nil, err
	}
	ciphertext, err := k.aead.Encrypt([]byte(plaintext), f.associatedData())
	if err != nil {
		return nil, fmt.Errorf("vault: encrypt %s.%s: %w", f.Table, f.Column, err)
	}
	return ciphertext, nil
}

// Decrypt returns what Encrypt was given for the same field. It returns
// ErrDecrypt when the ciphertext is not of this field, ErrNoKeyset when the
// tenant's keysets are gone, and ErrWrongKey as Prepare does.
func (v *Vault) Decrypt(ctx context.Context, f Field, ciphertext []byte) (string, error) {
	k, err := v.openFor(ctx, f.TenantID, ciphertext)
	if err != nil {
		return "", err
	}
	v.decryptions.Add(1)
	plaintext, err := k.aead.Decrypt(ciphertext, f.associatedData())
	if err != nil {
		return "", fmt.Errorf("%w (%s.%s, row %d)", ErrDecrypt, f.Table, f.Column, f.RowID)
	}
	return string(plaintext), nil
}

// Decryptions returns how often Decrypt decrypted something.
func (v *Vault) Decryptions() int64 { return v.decryptions.Load() }

// BlindIndex returns BlindIndexSize bytes that are equal for equal values of
// one column of one tenant, and that say nothing else about the value without
// the tenant's key. The caller normalises: identifiers with
// text.Identifier. The errors are those of Prepare.
func (v *Vault) BlindIndex(ctx context.Context, tenantID int64, table, column, normalised string) ([]byte, error) {
	k, err := v.openOrCreate(ctx, tenantID)
	if err != nil {
		return nil, err
	}
	index, err := k.prf.ComputePrimaryPRF(prefixed(nil, table, column, normalised), BlindIndexSize)
	if err != nil {
		return nil, fmt.Errorf("vault: blind index of %s.%s: %w", table, column, err)
	}
	return index, nil
}

// MACSize is the length of a MAC in bytes.
const MACSize = 32

// MAC returns MACSize bytes that nobody can compute without the tenant's key:
// equal for equal data of one purpose. Like Decrypt it makes no keysets, so it
// may be called inside a transaction once Prepare was; the errors are those of
// Decrypt.
func (v *Vault) MAC(ctx context.Context, tenantID int64, purpose string, data []byte) ([]byte, error) {
	k, err := v.open(ctx, tenantID)
	if err != nil {
		return nil, err
	}
	// No table has an empty name, so no MAC is a blind index.
	mac, err := k.prf.ComputePrimaryPRF(append(prefixed(nil, "", purpose), data...), MACSize)
	if err != nil {
		return nil, fmt.Errorf("vault: mac of %s: %w", purpose, err)
	}
	return mac, nil
}

// Seal encrypts bytes of the platform itself, bound to associatedData. The
// errors are those of Prepare.
func (v *Vault) Seal(ctx context.Context, plaintext, associatedData []byte) ([]byte, error) {
	k, err := v.openOrCreate(ctx, Platform)
	if err != nil {
		return nil, err
	}
	return k.aead.Encrypt(plaintext, sealedData(associatedData))
}

// Open returns what Seal was given with the same associatedData. The errors are
// those of Decrypt.
func (v *Vault) Open(ctx context.Context, ciphertext, associatedData []byte) ([]byte, error) {
	k, err := v.openFor(ctx, Platform, ciphertext)
	if err != nil {
		return nil, err
	}
	plaintext, err := k.aead.Decrypt(ciphertext, sealedData(associatedData))
	if err != nil {
		return nil, ErrDecrypt
	}
	return plaintext, nil
}

// The first byte of the associated data keeps fields, sealed bytes and fields of
// rows with a key apart, so that none can be passed off as another.
const (
	kindField byte = 1 + iota
	kindSealed
	kindKeyed
)

// associatedData writes the field so that no two fields have the same bytes:
// the numbers have a fixed length, each text is preceded by its length.
func (f Field) associatedData() []byte {
	b := make([]byte, 0, 32+len(f.Table)+len(f.Column))
	b = append(b, kindField)
	b = binary.BigEndian.AppendUint64(b, uint64(f.TenantID))
	b = binary.BigEndian.AppendUint64(b, uint64(f.RowID))
	b = prefixed(b, f.Table, f.Column)
	if f.RowKey == "" {
		return b
	}
	b[0] = kindKeyed
	return prefixed(b, f.RowKey)
}

func sealedData(associatedData []byte) []byte {
	return append([]byte{kindSealed}, associatedData...)
}

func prefixed(b []byte, texts ...string) []byte {
	for _, s := range texts {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}
