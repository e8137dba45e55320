package vault_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/uplinehq/upline/internal/platform/vault"
)

func TestParseKey(t *testing.T) {
	good := base64.StdEncoding.EncodeToString(testKey)
	if key, err := vault.ParseKey(" " + good + "\n"); err != nil || !bytes.Equal(key, testKey) {
		t.Errorf("ParseKey: %v", err)
	}
	for _, bad := range []string{"", "x", good[:40], base64.StdEncoding.EncodeToString(testKey[:31]), strings.Repeat("!", 44)} {
		_, err := vault.ParseKey(bad)
		if !errors.Is(err, vault.ErrKeyFormat) {
			t.Errorf("%d characters: %v; want ErrKeyFormat", len(bad), err)
		} else if len(bad) > 1 && strings.Contains(err.Error(), bad) {
			t.Error("the error echoes the key")
		}
	}
}

func TestKeyFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "upline.key")
	keys := make([][]byte, 8)
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			var err error
			if keys[i], err = vault.LoadOrCreateKeyFile(path); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, key := range keys {
		if len(key) != vault.KeySize || !bytes.Equal(key, keys[0]) {
			t.Fatal("processes that start together have different keys")
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v; want 0600", info.Mode().Perm())
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%d files in the folder; want the key file only", len(left))
	}
}

func TestKeyFileIsNeverOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "upline.key")
	if err := os.WriteFile(path, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := vault.LoadOrCreateKeyFile(path)
	if !errors.Is(err, vault.ErrKeyFormat) || strings.Contains(err.Error(), "damaged") {
		t.Errorf("err = %v; want ErrKeyFormat without the content", err)
	}
	if content, _ := os.ReadFile(path); string(content) != "damaged" {
		t.Error("the file was overwritten")
	}
}

func TestKeyFileInMissingFolder(t *testing.T) {
	if _, err := vault.LoadOrCreateKeyFile(filepath.Join(t.TempDir(), "none", "upline.key")); err == nil {
		t.Error("no error for a folder that does not exist")
	}
}
