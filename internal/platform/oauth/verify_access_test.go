package oauth_test

import (
	"crypto/ed25519"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
	"github.com/uplinehq/upline/internal/problem"
)

func TestCachedTokenExpires(t *testing.T) {
	w := newWorld(t)
	token := newToken(t, w.handler)
	for _, step := range []struct {
		move time.Duration
		ok   bool
	}{{0, true}, {keyring.TokenLifetime + keyring.Leeway - time.Microsecond, true}, {time.Microsecond, false}, {0, false}} {
		w.clock.Move(step.move)
		_, err := w.verifier.Authenticate(t.Context(), withToken(token))
		if (err == nil) != step.ok {
			t.Fatalf("at %v: %v", w.clock.Now().Sub(start), err)
		}
		if err != nil {
			checkInvalid(t, err, "the token has expired")
		}
	}
}

// A change to any one character of a cached token must not find the cached one.
func TestCachedTokenChanged(t *testing.T) {
	w := newWorld(t)
	token := newToken(t, w.handler)
	if _, err := w.verifier.Authenticate(t.Context(), withToken(token)); err != nil {
		t.Fatal(err)
	}
	for i := range token {
		other := byte('A')
		if token[i] == other {
			other = 'B'
		}
		if _, err := w.verifier.Authenticate(t.Context(), withToken(token[:i]+string(other)+token[i+1:])); err == nil {
			t.Fatalf("a token changed at %d of %d is accepted", i, len(token))
		}
	}
}

func TestMayActIn(t *testing.T) {
	tests := []struct {
		tenant string
		scopes []string
		in     string
		want   bool
	}{
		{"acme", nil, "acme", true},
		{"acme", nil, "demo", false},
		{"acme", nil, "ACME", false},
		{"acme", nil, "", false},
		{"acme", []string{bearer.PlatformTenants}, "demo", false},
		{"", []string{bearer.PlatformTenants}, "acme", true},
		{"", []string{"read:agents"}, "acme", false},
		{"", []string{bearer.PlatformTenants}, "", false},
		{"", nil, "", false},
	}
	for _, tt := range tests {
		c := bearer.Claims{Tenant: tt.tenant, Scopes: tt.scopes}
		if got := c.MayActIn(tt.in); got != tt.want {
			t.Errorf("a token of tenant %q with scopes %v, in %q: %v", tt.tenant, tt.scopes, tt.in, got)
		}
	}
}

func TestForbidden(t *testing.T) {
	scope := bearer.InsufficientScope("write:agents")
	const want = `Bearer realm="upline", error="insufficient_scope", ` +
		`error_description="the token does not hold the scope write:agents", scope="write:agents"`
	if scope.Status != http.StatusForbidden || scope.Code != problem.ForbiddenCode || scope.Challenge != want {
		t.Errorf("RFC 6750 §3.1: got %+v", scope)
	}
	if tenant := bearer.TenantNotGranted(); tenant.Status != http.StatusForbidden || tenant.Challenge != "" {
		t.Errorf("got %+v", tenant)
	}
}

// TestAnotherIssuerFits verifies our tokens as a foreign service would: with the
// published key set and another library.
func TestAnotherIssuerFits(t *testing.T) {
	w := newWorld(t)
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, oauth.KeySetPath, nil))
	keys, err := keyfunc.NewJWKSetJSON(rec.Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	v := newVerifier(t, keys, w.clock)
	if _, err := v.Authenticate(t.Context(), withToken(newToken(t, w.handler))); err != nil {
		t.Fatal(err)
	}
	_, foreign, _ := ed25519.GenerateKey(nil)
	header := map[string]any{"typ": "at+jwt", "kid": published(t, w.handler)[0]}
	_, err = v.Authenticate(t.Context(), withToken(sign(t, jwt.SigningMethodEdDSA, foreign, header, goodClaims())))
	checkInvalid(t, err, "the token is not valid")
}
