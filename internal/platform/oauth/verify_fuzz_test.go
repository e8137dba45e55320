package oauth_test

import (
	"crypto/ed25519"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/uplinehq/upline/internal/problem"
)

func FuzzAuthenticate(f *testing.F) {
	w := newWorld(f)
	token := newToken(f, w.handler)
	_, foreign, _ := ed25519.GenerateKey(nil)
	f.Add("Bearer " + token)
	f.Add("Bearer " + sign(f, jwt.SigningMethodEdDSA, foreign, goodHeader(), goodClaims()))
	f.Add("Bearer eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0.e30.")
	f.Add("Basic YTpi")
	f.Fuzz(func(t *testing.T, header string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header["Authorization"] = []string{header}
		claims, err := w.verifier.Authenticate(r.Context(), r)
		var refused *problem.Error
		switch {
		case err == nil && (!strings.HasSuffix(strings.TrimRight(header, " "), token) || claims.ClientID != "acme"):
			t.Fatalf("%q is accepted", header)
		case err != nil && (!errors.As(err, &refused) || !descriptionText.MatchString(refused.Message)):
			t.Fatalf("%q: %v", header, err)
		}
	})
}

// BenchmarkAuthenticate shows what the cache of verified tokens saves.
func BenchmarkAuthenticate(b *testing.B) {
	w := newWorld(b)
	r := withToken(newToken(b, w.handler))
	b.Run("cached", func(b *testing.B) {
		for b.Loop() {
			if _, err := w.verifier.Authenticate(r.Context(), r); err != nil {
				b.Fatal(err)
			}
		}
	})
	_, private, _ := ed25519.GenerateKey(nil)
	v := newVerifier(b, anyKey{private.Public()}, w.clock)
	b.Run("new", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			claims := goodClaims()
			claims["jti"] = strconv.Itoa(i)
			r := withToken(sign(b, jwt.SigningMethodEdDSA, private, goodHeader(), claims))
			b.StartTimer()
			if _, err := v.Authenticate(r.Context(), r); err != nil {
				b.Fatal(err)
			}
		}
	})
}
