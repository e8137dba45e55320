package oauth_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

func TestRFC8414_Metadata(t *testing.T) {
	w := newWorld(t)
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, oauth.MetadataPath, nil))
	if rec.Code != http.StatusOK || rec.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("§3.2: got %d %q", rec.Code, rec.Header().Get("Content-Type"))
	}
	var m struct {
		Issuer        string   `json:"issuer"`
		TokenEndpoint string   `json:"token_endpoint"`
		JWKSURI       string   `json:"jwks_uri"`
		Scopes        []string `json:"scopes_supported"`
		ResponseTypes []string `json:"response_types_supported"`
		GrantTypes    []string `json:"grant_types_supported"`
		AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	if m.Issuer != config.Issuer {
		t.Errorf("§3.3: the issuer must be identical, got %q", m.Issuer)
	}
	if m.TokenEndpoint != "https://id.example/oauth2/token" || m.JWKSURI != "https://id.example/.well-known/jwks.json" {
		t.Errorf("§2: got %q and %q", m.TokenEndpoint, m.JWKSURI)
	}
	if m.ResponseTypes == nil || len(m.ResponseTypes) > 0 {
		t.Errorf("§2: response_types_supported is required, got %v", m.ResponseTypes)
	}
	// The default of grant_types_supported would name grants that are not here.
	if !slices.Equal(m.GrantTypes, []string{"client_credentials"}) || !slices.Equal(m.AuthMethods, []string{"client_secret_basic", "client_secret_post", "private_key_jwt"}) {
		t.Errorf("§2: got %v and %v", m.GrantTypes, m.AuthMethods)
	}
	if len(m.Scopes) != len(bearer.Scopes) {
		t.Errorf("§2: got %d scopes", len(m.Scopes))
	}
}

func TestRFC7638_ThumbprintIsTheKeyID(t *testing.T) {
	w := newWorld(t)
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, oauth.KeySetPath, nil))
	var set struct {
		Keys []struct{ Kty, Crv, X, Kid string }
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &set); err != nil {
		t.Fatal(err)
	}
	k := set.Keys[0]
	// RFC 7638 §3: the required members in lexicographic order, without spaces.
	// A struct is encoded in the order of its fields.
	canonical, _ := json.Marshal(struct {
		Crv string `json:"crv"`
		Kty string `json:"kty"`
		X   string `json:"x"`
	}{"Ed25519", "OKP", k.X})
	sum := sha256.Sum256(canonical)
	if want := base64.RawURLEncoding.EncodeToString(sum[:]); k.Kid != want || k.Kty != "OKP" || k.Crv != "Ed25519" {
		t.Errorf("got %+v, want kid %s", k, want)
	}
	if x, err := base64.RawURLEncoding.DecodeString(k.X); err != nil || len(x) != ed25519.PublicKeySize {
		t.Errorf("RFC 8037 §2: x is %q", k.X)
	}
}

// Specification, Authentication: the scopes of the five APIs. The others are ours.
func TestScopes(t *testing.T) {
	specified := []string{
		"read:agents", "write:agents", "delete:agents",
		"agent-onboarding:app-configuration:read", "agent-onboarding:applications:read", "agent-onboarding:applications:write",
		"read:roles", "read:users", "write:users",
		"read:webhook-subscriptions", "write:webhook-subscriptions",
		"business-insights:queries:execute", "business-insights:report-recipes:read", "business-insights:report-recipes:write",
	}
	added := []string{"agent-onboarding:app-configuration:write", "read:agents:sensitive", "write:roles", "write:settings", "read:clients", "write:clients", "write:recipes", "write:production", "mcp:write", "provision:users", bearer.ReadTokens, bearer.PlatformTenants}
	var names []string
	for _, s := range bearer.Scopes {
		names = append(names, s.Name)
		if s.Description == "" {
			t.Errorf("%s has no description", s.Name)
		}
	}
	if want := slices.Concat(specified, added); !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}
