package vault_test

import (
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/text"
)

func TestMaskIdentifier(t *testing.T) {
	for in, want := range map[string]string{
		"":               "",
		"1":              "****",
		"12-345":         "****",
		"123456":         "****3456",
		"900-12-6789":    "***-**-6789",
		"900126789":      "***-**-6789",
		"90012678A":      "****678A",
		"000123456789":   "****6789",
		"DE 12 3456 äöü": "****6ÄÖÜ",
	} {
		if got := vault.MaskIdentifier(in); got != want {
			t.Errorf("MaskIdentifier(%q) = %q; want %q", in, got, want)
		}
	}
}

func FuzzIdentifier(f *testing.F) {
	f.Add("900-12-6789")
	f.Add("ǆ-12")
	f.Fuzz(func(t *testing.T, s string) {
		n := text.Identifier(s)
		if text.Identifier(n) != n {
			t.Errorf("normalising %q twice differs", s)
		}
		m := vault.MaskIdentifier(s)
		if shown := strings.Trim(m, "*-"); len([]rune(shown)) > 4 || !strings.HasSuffix(n, shown) {
			t.Errorf("the mask of %q shows %q", s, shown)
		}
		if len([]rune(n)) < 6 && strings.Trim(m, "*") != "" {
			t.Errorf("the mask of the short %q shows something: %q", s, m)
		}
	})
}
