package oauth_test

import (
	"net/http"
	"syscall"
	"testing"

	"github.com/uplinehq/upline/internal/platform/oauth/keyring"
)

// BenchmarkVerify is the cost of a token in each request; it should stay below 100
// microseconds of one processor, also for a token that was not seen before.
//
//	go test ./internal/platform/oauth -bench BenchmarkVerify -run '^$'
func BenchmarkVerify(b *testing.B) {
	w := newWorld(b)
	for name, handler := range map[string]http.Handler{keyring.EdDSA: w.handler, keyring.RS256: w.rs256(b)} {
		r := withToken(newToken(b, handler))
		verify := func(b *testing.B, before func()) {
			began := cpu(b)
			for b.Loop() {
				before()
				if _, err := w.verifier.Authenticate(r.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cpu(b)-began)/float64(b.N)/1e3, "cpu-µs/op")
		}
		b.Run(name+"/new", func(b *testing.B) { verify(b, w.verifier.ForgetTokens) })
		b.Run(name+"/seen", func(b *testing.B) { verify(b, func() {}) })
	}
}

// cpu is the time that this process has computed, in nanoseconds.
func cpu(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// BenchmarkIssue is the cost of a token to the token endpoint.
func BenchmarkIssue(b *testing.B) {
	w := newWorld(b)
	for name, handler := range map[string]http.Handler{keyring.EdDSA: w.handler, keyring.RS256: w.rs256(b)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				newToken(b, handler)
			}
		})
	}
}
