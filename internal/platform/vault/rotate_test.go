package vault_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/uplinehq/upline/internal/platform/vault"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func encrypt(t *testing.T, v *vault.Vault, value string) []byte {
	t.Helper()
	ciphertext, err := v.Encrypt(t.Context(), taxID, value)
	must(t, err)
	return ciphertext
}

func opens(t *testing.T, what string, v *vault.Vault, ciphertext []byte, want string) {
	t.Helper()
	if got, err := v.Decrypt(t.Context(), taxID, ciphertext); err != nil || got != want {
		t.Errorf("%s: %q, %v; want %q", what, got, err, want)
	}
}

func needs(t *testing.T, what string, v *vault.Vault, ciphertext []byte, want bool) {
	t.Helper()
	if got, err := v.NeedsReencryption(t.Context(), 1, ciphertext); err != nil || got != want {
		t.Errorf("%s needs re-encryption: %t, %v; want %t", what, got, err, want)
	}
}

// After a rotation the new key encrypts, the old one still decrypts, and blind
// indexes and MACs are what they were. A vault of another process, with the
// keysets of before in memory, reads and writes on beside it.
func TestRotate(t *testing.T) {
	keysets := &memory{}
	v, other := newVault(t, keysets), newVault(t, keysets)
	old := encrypt(t, v, "old value")
	opens(t, "before", other, old, "old value")
	index, err := v.BlindIndex(t.Context(), 1, "t", "c", "value")
	must(t, err)
	mac, err := v.MAC(t.Context(), 1, "p", []byte("value"))
	must(t, err)
	needs(t, "a value of the only key", v, old, false)

	must(t, v.Rotate(t.Context(), 1))
	fresh := encrypt(t, v, "new value")
	opens(t, "old value after the rotation", v, old, "old value")
	needs(t, "a value of the old key", v, old, true)
	needs(t, "a value of the new key", v, fresh, false)

	late := encrypt(t, other, "late value")
	needs(t, "a value written late by the other process", v, late, true)
	opens(t, "late value", v, late, "late value")
	opens(t, "new value in the other process", other, fresh, "new value")
	needs(t, "a value that the other process writes then", v, encrypt(t, other, "x"), false)

	again, err := newVault(t, keysets).BlindIndex(t.Context(), 1, "t", "c", "value")
	if err != nil || !bytes.Equal(again, index) {
		t.Errorf("the blind index changed with the encryption key: %v", err)
	}
	if again, err := v.MAC(t.Context(), 1, "p", []byte("value")); err != nil || !bytes.Equal(again, mac) {
		t.Errorf("the MAC changed with the encryption key: %v", err)
	}
}

// NeedsReencryption, too, takes up a key that another process added.
func TestNeedsReencryptionAfterRotationElsewhere(t *testing.T) {
	keysets := &memory{}
	v, other := newVault(t, keysets), newVault(t, keysets)
	old := encrypt(t, other, "x")
	must(t, v.Rotate(t.Context(), 1))
	needs(t, "a value of the new key", other, encrypt(t, v, "x"), false)
	needs(t, "a value of the old key", other, old, true)
}

// Two processes that rotate at once lose neither key.
func TestRotationsRace(t *testing.T) {
	keysets := &memory{}
	must(t, newVault(t, keysets).Prepare(t.Context(), 1))
	const processes = 4
	ciphertexts := make([][]byte, processes)
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() {
			v := newVault(t, keysets)
			if err := v.Rotate(t.Context(), 1); err != nil {
				t.Error(err)
			}
			var err error
			if ciphertexts[i], err = v.Encrypt(t.Context(), taxID, "value"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	later := newVault(t, keysets)
	for i, ciphertext := range ciphertexts {
		opens(t, fmt.Sprintf("value of process %d", i), later, ciphertext, "value")
	}
}

// A value that no key made costs one read of the stored keysets and opens none.
func TestGarbageCausesNoStorm(t *testing.T) {
	keysets := &memory{}
	v := newVault(t, keysets)
	garbage := encrypt(t, v, "x")
	garbage[1] ^= 1
	before := keysets.loads
	const tries = 5
	for range tries {
		if _, err := v.Decrypt(t.Context(), taxID, garbage); !errors.Is(err, vault.ErrDecrypt) {
			t.Errorf("Decrypt = %v; want ErrDecrypt", err)
		}
	}
	if n := keysets.loads - before; n != tries {
		t.Errorf("%d loads for %d values of an unknown key", n, tries)
	}
	if _, err := v.Decrypt(t.Context(), taxID, []byte("raw")); !errors.Is(err, vault.ErrDecrypt) || keysets.loads-before != tries {
		t.Errorf("bytes without a key id: %v, %d loads", err, keysets.loads-before)
	}
	delete(keysets.rows, taxID.TenantID)
	if _, err := v.Decrypt(t.Context(), taxID, garbage); !errors.Is(err, vault.ErrNoKeyset) {
		t.Errorf("the keysets are gone meanwhile: %v; want ErrNoKeyset", err)
	}
}

// After Rewrap the new key-encryption key opens what the old one does not, and
// nothing else changed. Running it again changes nothing.
func TestRewrap(t *testing.T) {
	keysets := &memory{}
	v := newVault(t, keysets)
	ciphertext := encrypt(t, v, "value")
	newKey := bytes.Repeat([]byte("N"), vault.KeySize)
	must(t, v.Rewrap(t.Context(), 1, newKey))
	opens(t, "from memory", v, ciphertext, "value")

	if err := newVault(t, keysets).Prepare(t.Context(), 1); !errors.Is(err, vault.ErrWrongKey) {
		t.Errorf("the old key-encryption key: %v; want ErrWrongKey", err)
	}
	after, err := vault.New(newKey, keysets)
	must(t, err)
	opens(t, "with the new key-encryption key", after, ciphertext, "value")
	needs(t, "a value after Rewrap", after, ciphertext, false)

	stored := keysets.rows[1]
	must(t, v.Rewrap(t.Context(), 1, newKey))
	if !bytes.Equal(stored, keysets.rows[1]) {
		t.Error("the second run stored something else")
	}
}

func TestRotationErrors(t *testing.T) {
	keysets := &memory{}
	v := newVault(t, keysets)
	for what, err := range map[string]error{"Rotate": v.Rotate(t.Context(), 1), "Rewrap": v.Rewrap(t.Context(), 1, testKey)} {
		if !errors.Is(err, vault.ErrNoKeyset) {
			t.Errorf("%s without keysets: %v; want ErrNoKeyset", what, err)
		}
	}
	must(t, v.Prepare(t.Context(), 1))
	if err := v.Rewrap(t.Context(), 1, testKey[1:]); !errors.Is(err, vault.ErrKeyFormat) {
		t.Errorf("Rewrap with a short key: %v; want ErrKeyFormat", err)
	}
	wrongKey, thirdKey := bytes.Repeat([]byte("W"), vault.KeySize), bytes.Repeat([]byte("3"), vault.KeySize)
	wrong, err := vault.New(wrongKey, keysets)
	must(t, err)
	for what, err := range map[string]error{"Rotate": wrong.Rotate(t.Context(), 1), "Rewrap": wrong.Rewrap(t.Context(), 1, thirdKey)} {
		if !errors.Is(err, vault.ErrWrongKey) {
			t.Errorf("%s with the wrong key: %v; want ErrWrongKey", what, err)
			continue
		}
		for _, material := range []string{string(wrongKey), string(thirdKey), base64.StdEncoding.EncodeToString(thirdKey), string(keysets.rows[1])} {
			if strings.Contains(err.Error(), material) {
				t.Errorf("the error of %s contains key material", what)
			}
		}
	}
}

// A vault, printed or logged in any way, shows no key and no value.
func TestVaultIsNeverPrinted(t *testing.T) {
	key := []byte("canary-key-canary-key-canary-key")
	v, err := vault.New(key, &memory{})
	must(t, err)
	must(t, v.Prepare(t.Context(), 1))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		out := fmt.Sprintf(verb, v)
		if strings.Contains(out, string(key)) || strings.Contains(out, fmt.Sprintf("%x", key)) || strings.Contains(out, fmt.Sprint(key)) || out == "" {
			t.Errorf("%s prints the key", verb)
		}
	}
}

func TestMAC(t *testing.T) {
	v := newVault(t, &memory{})
	if _, err := v.MAC(t.Context(), 1, "p", nil); !errors.Is(err, vault.ErrNoKeyset) {
		t.Errorf("MAC without keysets: %v; want ErrNoKeyset", err)
	}
	must(t, v.Prepare(t.Context(), 1))
	must(t, v.Prepare(t.Context(), 2))
	mac := func(tenantID int64, purpose, data string) string {
		b, err := v.MAC(t.Context(), tenantID, purpose, []byte(data))
		if err != nil || len(b) != vault.MACSize {
			t.Fatalf("MAC: %d bytes, %v", len(b), err)
		}
		return string(b)
	}
	first := mac(1, "chain", "data")
	if mac(1, "chain", "data") != first {
		t.Error("equal data has different MACs")
	}
	for what, other := range map[string]string{
		"data": mac(1, "chain", "date"), "purpose": mac(1, "print", "data"), "tenant": mac(2, "chain", "data"), "border": mac(1, "chaind", "ata"),
	} {
		if other == first {
			t.Errorf("another %s has the same MAC", what)
		}
	}
	index, err := v.BlindIndex(t.Context(), 1, "chain", "", "data")
	must(t, err)
	if strings.HasPrefix(first, string(index)) {
		t.Error("a blind index is the beginning of a MAC")
	}
}
