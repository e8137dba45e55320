package asset

import (
	"strings"
	"testing"
)

func TestAcceptsGzip(t *testing.T) {
	for header, want := range map[string]bool{
		"":                     false,
		"gzip":                 true,
		"GZIP":                 true,
		"br, gzip;q=0.5":       true,
		"br;q=1.0,gzip; q=0":   false,
		"gzip;q=0.000, br":     false,
		"identity":             false,
		"x-gzip":               false,
		"gzip;q=nothing":       true,
		"deflate, br;q=0,gzip": true,
	} {
		if got := acceptsGzip([]string{header}); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}

func FuzzAcceptsGzip(f *testing.F) {
	f.Add("br;q=1.0, gzip;q=0.8, *;q=0.1")
	f.Add("gzip;q=;,,;gzip")
	f.Fuzz(func(t *testing.T, header string) {
		if acceptsGzip([]string{header}) && !strings.Contains(strings.ToLower(header), "gzip") {
			t.Errorf("%q does not name gzip", header)
		}
	})
}
