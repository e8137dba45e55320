package vault

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/aead/subtle"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// wrapper is the key-encryption key, ready for use.
type wrapper struct{ tink.AEAD }

func newWrapper(kek []byte) (wrapper, error) {
	if len(kek) != KeySize {
		return wrapper{}, ErrKeyFormat
	}
	w, err := subtle.NewAESGCM(kek)
	if err != nil {
		return wrapper{}, ErrKeyFormat
	}
	return wrapper{w}, nil
}

// envelope is the stored form: both keysets, each encrypted by the
// key-encryption key.
type envelope struct {
	AEAD []byte `json:"aead"`
	PRF  []byte `json:"prf"`
}

// handles are a tenant's keysets, unwrapped.
type handles struct{ encryption, index *keyset.Handle }

func newHandles() (h handles, err error) {
	if h.encryption, err = keyset.NewHandle(aead.AES256GCMKeyTemplate()); err != nil {
		return h, err
	}
	h.index, err = keyset.NewHandle(prf.HMACSHA256PRFKeyTemplate())
	return h, err
}

func (w wrapper) wrap(tenantID int64, h handles) ([]byte, error) {
	var a, p bytes.Buffer
	if err := h.encryption.WriteWithAssociatedData(keyset.NewBinaryWriter(&a), w, wrapData(tenantID, "aead")); err != nil {
		return nil, err
	}
	if err := h.index.WriteWithAssociatedData(keyset.NewBinaryWriter(&p), w, wrapData(tenantID, "prf")); err != nil {
		return nil, err
	}
	return json.Marshal(envelope{AEAD: a.Bytes(), PRF: p.Bytes()})
}

// unwrap opens a stored value. Every failure is ErrWrongKey: the reasons of the
// libraries below say nothing that an operator could use.
func (w wrapper) unwrap(tenantID int64, stored []byte) (handles, error) {
	h, err := w.read(tenantID, stored)
	if err != nil {
		return handles{}, fmt.Errorf("%w (tenant %d)", ErrWrongKey, tenantID)
	}
	return h, nil
}

func (w wrapper) read(tenantID int64, stored []byte) (h handles, err error) {
	var e envelope
	if err := json.Unmarshal(stored, &e); err != nil {
		return h, err
	}
	if h.encryption, err = keyset.ReadWithAssociatedData(keyset.NewBinaryReader(bytes.NewReader(e.AEAD)), w, wrapData(tenantID, "aead")); err != nil {
		return h, err
	}
	h.index, err = keyset.ReadWithAssociatedData(keyset.NewBinaryReader(bytes.NewReader(e.PRF)), w, wrapData(tenantID, "prf"))
	return h, err
}

// wrapData binds a wrapped keyset to its tenant and purpose: a keyset copied to
// another tenant's row does not open there.
func wrapData(tenantID int64, purpose string) []byte {
	return fmt.Appendf(nil, "upline keyset %s tenant %d", purpose, tenantID)
}
