package vault

import (
	"context"
	"testing"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
)

// one is a Keysets with one stored value for every tenant.
type one []byte

func (o one) Load(context.Context, int64) ([]byte, error)           { return o, nil }
func (o one) Create(context.Context, int64, []byte) ([]byte, error) { return o, nil }

// A keyset with a second, primary key encrypts with the new key and still
// decrypts what the old one encrypted; blind indexes do not change with it.
func TestRotatedKeysetStillDecrypts(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	kek := make([]byte, KeySize)
	vaultOn := func(encryption, index *keyset.Handle) *Vault {
		v, err := New(kek, nil)
		must(err)
		stored, err := v.wrap(1, encryption, index)
		must(err)
		v.keysets = one(stored)
		return v
	}
	encryption, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	must(err)
	index, err := keyset.NewHandle(prf.HMACSHA256PRFKeyTemplate())
	must(err)
	before := vaultOn(encryption, index)

	manager := keyset.NewManagerFromHandle(encryption)
	added, err := manager.Add(aead.AES256GCMKeyTemplate())
	must(err)
	must(manager.SetPrimary(added))
	rotated, err := manager.Handle()
	must(err)
	after := vaultOn(rotated, index)

	f := Field{TenantID: 1, Table: "t", Column: "c", RowID: 1}
	old, err := before.Encrypt(t.Context(), f, "old value")
	must(err)
	if got, err := after.Decrypt(t.Context(), f, old); err != nil || got != "old value" {
		t.Errorf("old ciphertext after the rotation: %q, %v", got, err)
	}
	fresh, err := after.Encrypt(t.Context(), f, "new value")
	must(err)
	if _, err := before.Decrypt(t.Context(), f, fresh); err == nil {
		t.Error("the old key opens a value of the new one: nothing was rotated")
	}
	i, err := before.BlindIndex(t.Context(), 1, "t", "c", "value")
	must(err)
	j, err := after.BlindIndex(t.Context(), 1, "t", "c", "value")
	must(err)
	if string(i) != string(j) {
		t.Error("the blind index changed with the encryption key")
	}
}
