package oauth

import (
	"cmp"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/golang-jwt/jwt/v5"
)

// metadata is the document of RFC 8414 §2.
type metadata struct {
	Issuer        string   `json:"issuer"`
	TokenEndpoint string   `json:"token_endpoint"`
	JWKSURI       string   `json:"jwks_uri"`
	Scopes        []string `json:"scopes_supported"`
	// ResponseTypes is empty where nobody can sign in. §2 requires the member while
	// §3.2 omits empty lists; readers look for the member.
	ResponseTypes []string `json:"response_types_supported"`
	GrantTypes    []string `json:"grant_types_supported"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	authorizeMetadata
}

func (i *Issuer) metadata(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=3600")
	answer := metadata{
		Issuer:        i.config.Issuer,
		TokenEndpoint: i.config.Issuer + TokenPath,
		JWKSURI:       i.config.Issuer + KeySetPath,
		Scopes:        scopeNames(),
		ResponseTypes: []string{},
		GrantTypes:    []string{grantClientCredentials},
		AuthMethods:   []string{"client_secret_basic", "client_secret_post"},
	}
	i.describePeople(&answer)
	writeJSON(w, http.StatusOK, "application/json", answer)
}

// jwk is a public Ed25519 key (RFC 8037 §2). It has no field for a private one.
type jwk struct {
	KeyType   string `json:"kty"`
	Curve     string `json:"crv"`
	X         string `json:"x"`
	ID        string `json:"kid"`
	Use       string `json:"use"`
	Algorithm string `json:"alg"`
}

// keySet answers with the keys of all tokens that may still be valid (RFC 7517 §5),
// the newest first.
func (i *Issuer) keySet(w http.ResponseWriter, r *http.Request) {
	set, err := i.keys.keys(r.Context(), lookAgainAfter)
	if set == nil {
		i.log.ErrorContext(r.Context(), "cannot publish the signing keys", "error", err)
		http.Error(w, "the keys are not available", http.StatusServiceUnavailable)
		return
	}
	keys := slices.Collect(maps.Values(set.byID))
	slices.SortFunc(keys, func(a, b publicKey) int {
		return cmp.Or(b.createdAt.Compare(a.createdAt), cmp.Compare(a.id, b.id))
	})
	published := make([]jwk, len(keys))
	for n, k := range keys {
		published[n] = jwk{"OKP", "Ed25519", base64.RawURLEncoding.EncodeToString(k.key), k.id, "sig", jwt.SigningMethodEdDSA.Alg()}
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	writeJSON(w, http.StatusOK, "application/jwk-set+json", map[string]any{"keys": published})
}

// thumbprint names a key by what it is (RFC 7638 §3, RFC 8037 §2): no two keys
// share a name, and no name is used again.
func thumbprint(public ed25519.PublicKey) string {
	x := base64.RawURLEncoding.EncodeToString(public)
	sum := sha256.Sum256(fmt.Appendf(nil, `{"crv":"Ed25519","kty":"OKP","x":"%s"}`, x))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// writeJSON writes a body of our own types, which always encode. A failure to
// write means that the caller is gone.
func writeJSON(w http.ResponseWriter, status int, mediaType string, body any) {
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
