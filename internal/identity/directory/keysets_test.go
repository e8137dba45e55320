package directory_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// A keyset is replaced only in place of the one that was read, and only that of
// its tenant.
func TestKeysetsReplace(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		k, ctx := directory.NewKeysets(s), t.Context()
		for tenantID, value := range map[int64]string{1: "one", 2: "two"} {
			_, err := k.Create(ctx, tenantID, []byte(value))
			must(t, err)
		}
		replace := func(tenantID int64, loaded, wrapped string) bool {
			swapped, err := k.Replace(ctx, tenantID, []byte(loaded), []byte(wrapped))
			must(t, err)
			return swapped
		}
		if !replace(1, "one", "uno") {
			t.Error("the stored value was not replaced")
		}
		if replace(1, "one", "eins") || replace(1, "two", "eins") || replace(3, "one", "eins") {
			t.Error("a value that is not stored was replaced")
		}
		for tenantID, want := range map[int64]string{1: "uno", 2: "two"} {
			got, err := k.Load(ctx, tenantID)
			must(t, err)
			if string(got) != want {
				t.Errorf("tenant %d has %q; want %q", tenantID, got, want)
			}
		}
		if _, err := k.Load(ctx, 3); !errors.Is(err, vault.ErrNoKeyset) {
			t.Errorf("a keyset was made: %v", err)
		}
	})
}

// A process that has the keys in memory goes on beside a rotation by another,
// and a new key-encryption key opens what the old one does not any more.
func TestRotateAndRewrapStoredKeysets(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		created, err := w.create(t, valid())
		must(t, err)
		ctx, f := t.Context(), vault.Field{TenantID: created.ID, Table: "t", Column: "c", RowID: 1}
		other := newWorld(t, s).vault
		must(t, other.Prepare(ctx, created.ID))

		must(t, w.vault.Rotate(ctx, created.ID))
		fresh, err := w.vault.Encrypt(ctx, f, "fresh")
		must(t, err)
		late, err := other.Encrypt(ctx, f, "late")
		must(t, err)
		newKey := bytes.Repeat([]byte{8}, vault.KeySize)
		reads := func(who string, v *vault.Vault) {
			t.Helper()
			for want, ciphertext := range map[string][]byte{"fresh": fresh, "late": late} {
				if got, err := v.Decrypt(ctx, f, ciphertext); err != nil || got != want {
					t.Errorf("%s: %q, %v; want %q", who, got, err, want)
				}
			}
		}
		reads("the process that rotated", w.vault)
		reads("the process beside it", other)

		must(t, w.vault.Rewrap(ctx, created.ID, newKey))
		rewrapped, err := vault.New(newKey, directory.NewKeysets(s))
		must(t, err)
		reads("a process with the new key-encryption key", rewrapped)
		if err := newWorld(t, s).vault.Prepare(ctx, created.ID); !errors.Is(err, vault.ErrWrongKey) {
			t.Errorf("a process with the old key-encryption key: %v; want ErrWrongKey", err)
		}
	})
}

// Keys that are missing in memory in the middle of a transaction are read through
// it. Were it another connection, as many writes as there are connections would
// wait for one more until their time is over.
func TestKeysetsAreReadThroughTheTransaction(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		k := directory.NewKeysets(s)
		_, err := k.Create(t.Context(), 1, []byte("one"))
		must(t, err)
		read := func(ctx context.Context, want string) {
			t.Helper()
			got, err := k.Load(ctx, 1)
			must(t, err)
			if string(got) != want {
				t.Errorf("the keyset is %q, not %q", got, want)
			}
		}
		var within context.Context
		rolledBack := errors.New("rolled back")
		err = s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			within = ctx
			_, err := tx.Exec(ctx, "UPDATE tenant_keyset SET wrapped = $1 WHERE tenant_id = 1", []byte("within"))
			must(t, err)
			read(ctx, "within")
			read(t.Context(), "one")
			return rolledBack
		})
		if !errors.Is(err, rolledBack) {
			t.Error(err)
		}
		read(within, "one")
	})
}
