package vault_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/platform/vault"
)

// memory is a Keysets as a database gives it: the first Create wins.
type memory struct {
	mu      sync.Mutex
	rows    map[int64][]byte
	creates int
	loads   int
}

func (m *memory) Load(_ context.Context, tenantID int64) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.loads++
	if w, ok := m.rows[tenantID]; ok {
		return w, nil
	}
	return nil, vault.ErrNoKeyset
}

func (m *memory) Any(context.Context) (int64, []byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for tenantID, wrapped := range m.rows {
		return tenantID, wrapped, nil
	}
	return 0, nil, vault.ErrNoKeyset
}

func (m *memory) Create(_ context.Context, tenantID int64, wrapped []byte) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.creates++
	if m.rows == nil {
		m.rows = map[int64][]byte{}
	}
	if _, ok := m.rows[tenantID]; !ok {
		m.rows[tenantID] = wrapped
	}
	return m.rows[tenantID], nil
}

func (m *memory) Replace(_ context.Context, tenantID int64, loaded, wrapped []byte) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !bytes.Equal(m.rows[tenantID], loaded) {
		return false, nil
	}
	m.rows[tenantID] = wrapped
	return true, nil
}

var testKey = bytes.Repeat([]byte{7}, vault.KeySize)

func newVault(t testing.TB, keysets vault.Keysets) *vault.Vault {
	t.Helper()
	v, err := vault.New(testKey, keysets)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var taxID = vault.Field{TenantID: 1, Table: "agents", Column: "government_identifier", RowID: 42}

func TestRoundTrip(t *testing.T) {
	v := newVault(t, &memory{})
	rapid.Check(t, func(t *rapid.T) {
		f := vault.Field{
			TenantID: rapid.Int64Range(0, 3).Draw(t, "tenant"),
			Table:    rapid.String().Draw(t, "table"),
			Column:   rapid.String().Draw(t, "column"),
			RowID:    rapid.Int64().Draw(t, "row"),
			RowKey:   rapid.String().Draw(t, "key"),
		}
		plaintext := rapid.String().Draw(t, "plaintext")
		ciphertext, err := v.Encrypt(t.Context(), f, plaintext)
		if err != nil {
			t.Fatal(err)
		}
		if len(plaintext) > 3 && bytes.Contains(ciphertext, []byte(plaintext)) {
			t.Fatal("the ciphertext contains the plaintext")
		}
		if got, err := v.Decrypt(t.Context(), f, ciphertext); err != nil || got != plaintext {
			t.Fatalf("Decrypt = %q, %v; want %q", got, err, plaintext)
		}
		if again, _ := v.Encrypt(t.Context(), f, plaintext); bytes.Equal(again, ciphertext) {
			t.Fatal("two encryptions are equal")
		}
	})
}

// In a table whose rows have keys, a ciphertext opens under its own key only.
func TestCiphertextMovedToAnotherKeyIsRejected(t *testing.T) {
	v := newVault(t, &memory{})
	keyed := vault.Field{TenantID: 1, Table: "answers", Column: "answer", RowKey: "k1"}
	ciphertext, err := v.Encrypt(t.Context(), keyed, "900-12-3456")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"k2", "k", "k1 ", ""} {
		f := keyed
		f.RowKey = key
		if got, err := v.Decrypt(t.Context(), f, ciphertext); !errors.Is(err, vault.ErrDecrypt) || got != "" {
			t.Errorf("under the key %q: %q, %v", key, got, err)
		}
	}
}

// A ciphertext moved to another tenant, table, row or column does not open,
// nor does one whose place only reads the same when its parts are joined.
func TestMovedCiphertextIsRejected(t *testing.T) {
	v := newVault(t, &memory{})
	ciphertext, err := v.Encrypt(t.Context(), taxID, "900-12-3456")
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Prepare(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*vault.Field){
		"tenant":         func(f *vault.Field) { f.TenantID = 2 },
		"table":          func(f *vault.Field) { f.Table = "payees" },
		"column":         func(f *vault.Field) { f.Column = "ein" },
		"row":            func(f *vault.Field) { f.RowID = 43 },
		"row key":        func(f *vault.Field) { f.RowKey = "k" },
		"shifted border": func(f *vault.Field) { f.Table, f.Column = "agentsg", "overnment_identifier" },
	} {
		t.Run(name, func(t *testing.T) {
			f := taxID
			change(&f)
			got, err := v.Decrypt(t.Context(), f, ciphertext)
			if !errors.Is(err, vault.ErrDecrypt) || got != "" {
				t.Errorf("Decrypt = %q, %v; want ErrDecrypt", got, err)
			}
		})
	}
}

// A wrapped keyset is bound to its tenant as the values are to their place.
func TestKeysetCopiedToAnotherTenantDoesNotOpen(t *testing.T) {
	store := &memory{}
	if err := newVault(t, store).Prepare(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	store.rows[2] = store.rows[1]
	if err := newVault(t, store).Prepare(t.Context(), 2); !errors.Is(err, vault.ErrWrongKey) {
		t.Errorf("Prepare = %v; want ErrWrongKey", err)
	}
}

func TestChangedCiphertextIsRejected(t *testing.T) {
	v := newVault(t, &memory{})
	ciphertext, err := v.Encrypt(t.Context(), taxID, "x")
	if err != nil {
		t.Fatal(err)
	}
	for i := range ciphertext {
		changed := bytes.Clone(ciphertext)
		changed[i] ^= 1
		if _, err := v.Decrypt(t.Context(), taxID, changed); !errors.Is(err, vault.ErrDecrypt) {
			t.Errorf("byte %d changed: %v", i, err)
		}
		if _, err := v.Decrypt(t.Context(), taxID, ciphertext[:i]); !errors.Is(err, vault.ErrDecrypt) {
			t.Errorf("cut to %d bytes: %v", i, err)
		}
	}
}

// Many first users at once, in two processes, end with one keyset, and each
// reads what any other wrote.
func TestFirstUsersRace(t *testing.T) {
	store := &memory{}
	vaults := []*vault.Vault{newVault(t, store), newVault(t, store)}
	const users = 16
	ciphertexts, indexes := make([][]byte, users), make([][]byte, users)
	var wg sync.WaitGroup
	for i := range users {
		wg.Go(func() {
			var err error
			v := vaults[i%2]
			if ciphertexts[i], err = v.Encrypt(t.Context(), taxID, "value"); err != nil {
				t.Error(err)
			}
			if indexes[i], err = v.BlindIndex(t.Context(), 1, "agents", "ssn", "900123456"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	later := newVault(t, store)
	for i := range users {
		if got, err := later.Decrypt(t.Context(), taxID, ciphertexts[i]); err != nil || got != "value" {
			t.Errorf("user %d: %q, %v", i, got, err)
		}
		if !bytes.Equal(indexes[i], indexes[0]) {
			t.Errorf("user %d has another blind index", i)
		}
	}
}

func TestKeysetIsLoadedOnce(t *testing.T) {
	store := &memory{}
	v := newVault(t, store)
	for range 5 {
		if _, err := v.Encrypt(t.Context(), taxID, "x"); err != nil {
			t.Fatal(err)
		}
	}
	if store.loads != 1 || store.creates != 1 {
		t.Errorf("%d loads and %d creates for five uses; want 1 and 1", store.loads, store.creates)
	}
}

func TestWrongKey(t *testing.T) {
	store := &memory{}
	if err := newVault(t, store).Prepare(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	other := bytes.Repeat([]byte("K"), vault.KeySize)
	v, err := vault.New(other, store)
	if err != nil {
		t.Fatal(err)
	}
	err = v.Prepare(t.Context(), 1)
	if !errors.Is(err, vault.ErrWrongKey) {
		t.Fatalf("Prepare = %v; want ErrWrongKey", err)
	}
	for _, material := range []string{string(other), base64.StdEncoding.EncodeToString(other), fmt.Sprint(other), string(store.rows[1])} {
		if strings.Contains(err.Error(), material) {
			t.Error("the error contains key material")
		}
	}
	if _, err := v.Encrypt(t.Context(), taxID, "x"); !errors.Is(err, vault.ErrWrongKey) {
		t.Errorf("Encrypt = %v; want ErrWrongKey", err)
	}
}

// After the keys of a tenant are deleted, reading fails and does not quietly
// make a new keyset.
func TestReadingWithoutKeysetMakesNone(t *testing.T) {
	store := &memory{}
	v := newVault(t, store)
	if _, err := v.Decrypt(t.Context(), taxID, []byte("anything")); !errors.Is(err, vault.ErrNoKeyset) {
		t.Errorf("Decrypt = %v; want ErrNoKeyset", err)
	}
	if _, err := v.Open(t.Context(), []byte("anything"), nil); !errors.Is(err, vault.ErrNoKeyset) {
		t.Errorf("Open = %v; want ErrNoKeyset", err)
	}
	if store.creates != 0 {
		t.Error("a read made a keyset")
	}
}

type broken struct{ err error }

func (b broken) Load(context.Context, int64) ([]byte, error)           { return nil, b.err }
func (b broken) Any(context.Context) (int64, []byte, error)            { return 0, nil, b.err }
func (b broken) Create(context.Context, int64, []byte) ([]byte, error) { return nil, b.err }
func (b broken) Replace(context.Context, int64, []byte, []byte) (bool, error) {
	return false, b.err
}

// An unreachable store must not be taken for a tenant without keys.
func TestStoreErrorIsPassedOn(t *testing.T) {
	down := errors.New("database is down")
	_, err := newVault(t, broken{down}).Encrypt(t.Context(), taxID, "x")
	if !errors.Is(err, down) || errors.Is(err, vault.ErrNoKeyset) {
		t.Errorf("Encrypt = %v", err)
	}
}

func TestBlindIndex(t *testing.T) {
	v := newVault(t, &memory{})
	index := func(tenantID int64, table, column, value string) string {
		b, err := v.BlindIndex(t.Context(), tenantID, table, column, value)
		if err != nil || len(b) != vault.BlindIndexSize {
			t.Fatalf("BlindIndex: %d bytes, %v", len(b), err)
		}
		return string(b)
	}
	first := index(1, "agents", "ssn", "900123456")
	if index(1, "agents", "ssn", "900123456") != first {
		t.Error("equal values have different indexes")
	}
	for name, other := range map[string]string{
		"value":  index(1, "agents", "ssn", "900123457"),
		"tenant": index(2, "agents", "ssn", "900123456"),
		"table":  index(1, "payees", "ssn", "900123456"),
		"column": index(1, "agents", "sin", "900123456"),
		"border": index(1, "agents", "ssn9", "00123456"),
	} {
		if other == first {
			t.Errorf("another %s has the same index", name)
		}
	}
}

func TestSealAndOpen(t *testing.T) {
	v := newVault(t, &memory{})
	sealed, err := v.Seal(t.Context(), []byte("signing key"), []byte("kid-1"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v.Open(t.Context(), sealed, []byte("kid-1")); err != nil || string(got) != "signing key" {
		t.Errorf("Open = %q, %v", got, err)
	}
	if _, err := v.Open(t.Context(), sealed, []byte("kid-2")); !errors.Is(err, vault.ErrDecrypt) {
		t.Errorf("Open with other associated data = %v; want ErrDecrypt", err)
	}
	field := vault.Field{TenantID: vault.Platform}
	if _, err := v.Decrypt(t.Context(), field, sealed); !errors.Is(err, vault.ErrDecrypt) {
		t.Errorf("sealed bytes read as a field = %v; want ErrDecrypt", err)
	}
}

func TestNewRefusesOtherLengths(t *testing.T) {
	for _, n := range []int{0, 16, 31, 33} {
		if _, err := vault.New(make([]byte, n), &memory{}); !errors.Is(err, vault.ErrKeyFormat) {
			t.Errorf("%d bytes: %v; want ErrKeyFormat", n, err)
		}
	}
}

func BenchmarkEncrypt(b *testing.B) {
	v := newVault(b, &memory{})
	for b.Loop() {
		if _, err := v.Encrypt(b.Context(), taxID, "900-12-3456"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecrypt(b *testing.B) {
	v := newVault(b, &memory{})
	ciphertext, err := v.Encrypt(b.Context(), taxID, "900-12-3456")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := v.Decrypt(b.Context(), taxID, ciphertext); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBlindIndex(b *testing.B) {
	v := newVault(b, &memory{})
	for b.Loop() {
		if _, err := v.BlindIndex(b.Context(), 1, "agents", "government_identifier", "900123456"); err != nil {
			b.Fatal(err)
		}
	}
}
