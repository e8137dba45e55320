// Package keyring holds the keys with which the embedded issuer signs tokens: stored
// sealed, published before they sign and until their last token has expired, rotated.
// What a token says package oauth decides.
package keyring

import (
	"context"
	"time"
)

const (
	// TokenLifetime is how long an access token is valid.
	TokenLifetime = 60 * time.Minute
	// Leeway is how much the clocks of two machines may differ.
	Leeway = 30 * time.Second
)

// StoredKey is a signing key as it is stored, with the private half encrypted.
type StoredKey struct {
	// ID is the kid of tokens and of the key set, unique for all time.
	ID string
	// Algorithm is the alg of the tokens signed with the key (RFC 7518 §3.1). It
	// says what the bytes below are: for EdDSA the 32 bytes of RFC 8032 §5.1.5, for
	// RS256 the DER of RFC 8017 appendix A.1.
	Algorithm     string
	PublicKey     []byte
	SealedPrivate []byte
	CreatedAt     time.Time
}

// Store stores signing keys.
type Store interface {
	// Keys returns every stored key, in any order.
	Keys(ctx context.Context) ([]StoredKey, error)
	// AddKey stores a key with a new id, and deletes those created before an
	// instant.
	AddKey(ctx context.Context, key StoredKey, deleteBefore time.Time) error
}

// Sealer encrypts with authentication. A sealed value opens only with the same associated
// data.
type Sealer interface {
	Seal(ctx context.Context, plaintext, associatedData []byte) ([]byte, error)
	Open(ctx context.Context, sealed, associatedData []byte) ([]byte, error)
}
