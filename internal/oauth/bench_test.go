package oauth_test

import (
	"net/http"
	"testing"

	"github.com/uplinehq/upline/internal/oauth"
)

// BenchmarkVerify is the cost of a token in each request; it should stay below 100
// microseconds of one processor, also for a token that was not seen before.
//
//	go test ./internal/oauth -bench BenchmarkVerify -run '^$'
func BenchmarkVerify(b *testing.B) {
	w := newWorld(b)
	for name, handler := range map[string]http.Handler{oauth.EdDSA: w.handler, oauth.RS256: w.rs256(b)} {
		r := withToken(newToken(b, handler))
		b.Run(name+"/new", func(b *testing.B) {
			for b.Loop() {
				w.verifier.ForgetTokens()
				if _, err := w.verifier.Authenticate(r); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/seen", func(b *testing.B) {
			for b.Loop() {
				if _, err := w.verifier.Authenticate(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkIssue is the cost of a token to the token endpoint.
func BenchmarkIssue(b *testing.B) {
	w := newWorld(b)
	for name, handler := range map[string]http.Handler{oauth.EdDSA: w.handler, oauth.RS256: w.rs256(b)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				newToken(b, handler)
			}
		})
	}
}
