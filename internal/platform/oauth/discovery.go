package oauth

import (
	"encoding/json"
	"net/http"

	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// metadata is the document of RFC 8414 §2 and, where people sign in, of OpenID
// Connect Discovery §3.
type metadata struct {
	Issuer        string   `json:"issuer"`
	TokenEndpoint string   `json:"token_endpoint"`
	JWKSURI       string   `json:"jwks_uri"`
	Scopes        []string `json:"scopes_supported"`
	// ResponseTypes is empty if nobody can sign in. §2 requires the member, although §3.2
	// omits empty lists; programs expect it.
	ResponseTypes []string `json:"response_types_supported"`
	GrantTypes    []string `json:"grant_types_supported"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	// AuthAlgorithms are those of assertions (§2, REQUIRED with private_key_jwt).
	AuthAlgorithms []string `json:"token_endpoint_auth_signing_alg_values_supported"`

	// The members for the endpoints that Issuer.ServeTokens adds are absent without them:
	// RFC 8414 §3.2, "Claims with zero elements MUST be omitted".
	RevocationEndpoint       string   `json:"revocation_endpoint,omitempty"`
	RevocationAuthMethods    []string `json:"revocation_endpoint_auth_methods_supported,omitempty"`
	RevocationAlgorithms     []string `json:"revocation_endpoint_auth_signing_alg_values_supported,omitempty"`
	IntrospectionEndpoint    string   `json:"introspection_endpoint,omitempty"`
	IntrospectionAuthMethods []string `json:"introspection_endpoint_auth_methods_supported,omitempty"`
	IntrospectionAlgorithms  []string `json:"introspection_endpoint_auth_signing_alg_values_supported,omitempty"`

	authorizeMetadata
	openIDMetadata
}

// clientAuthMethods are the ways in which clients can authenticate, at every endpoint.
var clientAuthMethods = []string{"client_secret_basic", "client_secret_post", "private_key_jwt"}

func (i *Issuer) metadata(w http.ResponseWriter, _ *http.Request) {
	m := metadata{
		Issuer:        i.config.Issuer,
		TokenEndpoint: i.config.Issuer + TokenPath,
		JWKSURI:       i.config.Issuer + KeySetPath,
		Scopes:        bearer.AllScopes(),
		ResponseTypes: []string{},
		GrantTypes:    []string{grantClientCredentials},
		AuthMethods:   clientAuthMethods, AuthAlgorithms: algorithms,
	}
	if i.tokens != nil {
		m.RevocationEndpoint, m.RevocationAuthMethods, m.RevocationAlgorithms = i.config.Issuer+RevocationPath, clientAuthMethods, algorithms
		m.IntrospectionEndpoint, m.IntrospectionAuthMethods, m.IntrospectionAlgorithms = i.config.Issuer+IntrospectionPath, clientAuthMethods, algorithms
	}
	i.describePeople(&m)
	w.Header().Set("Cache-Control", "public, max-age=3600")
	writeJSON(w, http.StatusOK, "application/json", m)
}

// keySet answers the keys of all tokens that may still be valid (RFC 7517 §5), the newest
// first.
func (i *Issuer) keySet(w http.ResponseWriter, r *http.Request) {
	published, keep, err := i.keys.Publish(r.Context())
	if published == nil {
		i.log.ErrorContext(r.Context(), "cannot publish the signing keys", "error", err)
		http.Error(w, "the keys are not available", http.StatusServiceUnavailable)
		return
	}
	caching := "no-cache"
	if keep { // for less than publishAhead
		caching = "public, max-age=300"
	}
	w.Header().Set("Cache-Control", caching)
	writeJSON(w, http.StatusOK, "application/jwk-set+json", map[string]any{"keys": published})
}

// writeJSON writes a body of our own types, which always encode. A failure to
// write means that the caller is gone.
func writeJSON(w http.ResponseWriter, status int, mediaType string, body any) {
	w.Header().Set("Content-Type", mediaType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
