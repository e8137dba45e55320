package keyring

import (
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/golang-jwt/jwt/v5"
)

// The algorithms that tokens can be signed with (RFC 7518 §3.1, RFC 8037 §3.1).
// RFC 9068 §2.1: servers "MUST include RS256 (as defined in [RFC7518]) among
// their supported signature algorithms".
const (
	EdDSA = "EdDSA"
	RS256 = "RS256"
)

// RSABits is the size of an RSA key. RFC 7518 §3.3: "A key of size 2048 bits or larger
// MUST be used". Keys sign for 90 days only; larger ones would make every token longer
// and every signature several times as expensive.
const RSABits = 2048

// algorithm is a way to sign, and how its keys are kept.
type algorithm struct {
	method   jwt.SigningMethod
	generate func() (crypto.Signer, error)
	// marshal returns the stored form of a key, and parse reads it.
	marshal      func(crypto.Signer) (public, private []byte)
	parsePublic  func([]byte) (crypto.PublicKey, error)
	parsePrivate func([]byte) (crypto.Signer, error)
	// jwk returns the members that RFC 7638 §3.2 requires of a public key.
	jwk func(crypto.PublicKey) JWK
}

// ringAlgorithms are the algorithms for which a Ring has keys, by name.
var ringAlgorithms = map[string]algorithm{
	EdDSA: {jwt.SigningMethodEdDSA, generateEd25519, marshalEd25519, parseEd25519, parseEd25519Seed, ed25519JWK},
	RS256: {jwt.SigningMethodRS256, generateRSA, marshalRSA, parseRSA, parseRSAPrivate, rsaJWK},
}

// CanSign reports whether a Ring has keys of an algorithm.
func CanSign(algorithm string) bool {
	_, ok := ringAlgorithms[algorithm]
	return ok
}

// JWK is a public key (RFC 7517 §4, RFC 7518 §6.3.1, RFC 8037 §2). It has no
// field for a private one. The members of RFC 7638 §3.2 come first, in
// lexicographic order and with nothing between them, for the thumbprint.
type JWK struct {
	Curve    string `json:"crv,omitempty"`
	Exponent string `json:"e,omitempty"`
	KeyType  string `json:"kty"`
	Modulus  string `json:"n,omitempty"`
	X        string `json:"x,omitempty"`

	ID        string `json:"kid,omitempty"`
	Use       string `json:"use,omitempty"`
	Algorithm string `json:"alg,omitempty"`
}

// thumbprint returns an id of a key that depends on its public half alone (RFC 7638 §3,
// RFC 8037 §2): no two keys share an id, and no id is used again.
func thumbprint(required JWK) string {
	canonical, _ := json.Marshal(required) // strings always encode
	sum := sha256.Sum256(canonical)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func generateEd25519() (crypto.Signer, error) {
	_, private, err := ed25519.GenerateKey(nil)
	return private, err
}

// marshalEd25519 returns the 32 bytes of each half (RFC 8032 §5.1.5).
func marshalEd25519(key crypto.Signer) (public, private []byte) {
	k := key.(ed25519.PrivateKey)
	return k.Public().(ed25519.PublicKey), k.Seed()
}

func parseEd25519(public []byte) (crypto.PublicKey, error) {
	if len(public) != ed25519.PublicKeySize {
		return nil, errors.New("wrong size")
	}
	return ed25519.PublicKey(public), nil
}

func parseEd25519Seed(seed []byte) (crypto.Signer, error) {
	if len(seed) != ed25519.SeedSize {
		return nil, errors.New("wrong size")
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

func ed25519JWK(key crypto.PublicKey) JWK {
	return JWK{KeyType: "OKP", Curve: "Ed25519", X: base64.RawURLEncoding.EncodeToString(key.(ed25519.PublicKey))}
}

func generateRSA() (crypto.Signer, error) { return rsa.GenerateKey(rand.Reader, RSABits) }

// marshalRSA returns both halves in the form of RFC 8017 appendix A.1.
func marshalRSA(key crypto.Signer) (public, private []byte) {
	k := key.(*rsa.PrivateKey)
	return x509.MarshalPKCS1PublicKey(&k.PublicKey), x509.MarshalPKCS1PrivateKey(k)
}

func parseRSA(public []byte) (crypto.PublicKey, error) { return x509.ParsePKCS1PublicKey(public) }

func parseRSAPrivate(private []byte) (crypto.Signer, error) {
	return x509.ParsePKCS1PrivateKey(private)
}

func rsaJWK(key crypto.PublicKey) JWK {
	k := key.(*rsa.PublicKey)
	encode := base64.RawURLEncoding.EncodeToString
	return JWK{KeyType: "RSA", Modulus: encode(k.N.Bytes()), Exponent: encode(big.NewInt(int64(k.E)).Bytes())}
}

// openKey decodes the two halves of a stored key, and checks that they belong together.
func openKey(s StoredKey, private []byte) (crypto.Signer, error) {
	key, err := ringAlgorithms[s.Algorithm].parsePrivate(private)
	if err != nil {
		return nil, fmt.Errorf("key %s: %w", s.ID, err)
	}
	if public, _ := ringAlgorithms[s.Algorithm].marshal(key); !slices.Equal(public, s.PublicKey) {
		return nil, fmt.Errorf("the halves of key %s do not belong together", s.ID)
	}
	return key, nil
}
