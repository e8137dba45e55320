package oauth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"time"
)

// NewSecret returns a new client secret: 32 random bytes as base64url, 43
// characters. It is shown once; only HashSecret of it is kept.
func NewSecret() string {
	secret := make([]byte, 32)
	rand.Read(secret) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(secret)
}

// HashSecret returns what is stored of a client secret: its SHA-256.
//
// A slow password hash, such as argon2id, makes each guess expensive, because
// people choose passwords that can be guessed. A secret of 256 random bits cannot
// be: NIST SP 800-63B-3 §5.1.2.2 asks for salt and stretching only of look-up
// secrets below 112 bits, and RFC 6749 §10.10 for a chance of guessing of at most
// 2^-128. So a slow hash would add nothing but its cost, and a way to keep the
// server busy, to every request for a token. The well-known secrets of the demo
// are weak with any hash; they exist only there.
func HashSecret(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// hasSecret compares, in constant time, with the secret and with the previous one while
// that is valid.
func (c Client) hasSecret(secret string, now time.Time) bool {
	hash := HashSecret(secret)
	current := subtle.ConstantTimeCompare(c.SecretHash, hash)
	previous := subtle.ConstantTimeCompare(c.PreviousSecretHash, hash)
	if c.PreviousUntil == nil || !now.Before(*c.PreviousUntil) {
		previous = 0
	}
	return current|previous == 1
}

// Accepts reports whether the client gets a token with a secret.
func (c Client) Accepts(secret string, now time.Time) bool {
	right := c.hasSecret(secret, now) // first, for the time it takes
	return right && c.PublicKeys == "" && c.MayAct(now)
}

// MayAct reports whether the client counts at a time: it is not disabled, and has not expired.
func (c Client) MayAct(now time.Time) bool {
	return !c.Disabled && (c.Expires == nil || now.Before(*c.Expires))
}
