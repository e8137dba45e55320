package vault

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// KeySize is the length of the key-encryption key in bytes.
const KeySize = 32

// ErrKeyFormat is returned for a key-encryption key that is not KeySize bytes.
var ErrKeyFormat = fmt.Errorf("vault: the key-encryption key must be %d bytes, written in base64", KeySize)

// ParseKey reads a key-encryption key as the configuration writes it: KeySize
// bytes in standard base64; white space around it is ignored. It returns
// ErrKeyFormat for anything else.
func ParseKey(s string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(s))
	if err != nil || len(key) != KeySize {
		return nil, ErrKeyFormat
	}
	return key, nil
}

// LoadOrCreateKeyFile returns the key-encryption key in a file, and makes a file
// with a random key, readable by its owner only, when there is none. Processes
// that start at the same time get the same key. It returns ErrKeyFormat for a
// file that holds something else: the file is never overwritten, since a lost
// key makes everything encrypted under it unreadable.
func LoadOrCreateKeyFile(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = createKeyFile(path); err == nil {
			content, err = os.ReadFile(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("vault: key file: %w", err)
	}
	key, err := ParseKey(string(content))
	if err != nil {
		return nil, fmt.Errorf("%w (key file %s)", err, path)
	}
	return key, nil
}

// createKeyFile writes the whole file under another name and then links it:
// nobody sees half a key, and of two processes the first one wins.
func createKeyFile(path string) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".key-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(tmp.Name())) }()
	_, err = tmp.WriteString(newKey() + "\n")
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err = os.Link(tmp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	// The name must outlast a loss of power, as what will be encrypted does. When
	// the other process won, it may not have come that far yet.
	return syncFolder(filepath.Dir(path))
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func newKey() string {
	key := make([]byte, KeySize)
	rand.Read(key) // never fails: the runtime stops the process instead
	return base64.StdEncoding.EncodeToString(key)
}
