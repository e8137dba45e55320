package text_test

import (
	"testing"

	"github.com/uplinehq/upline/internal/text"
)

// Stored columns hold these keys.
func TestSearchKeyStaysAsItIs(t *testing.T) {
	for s, want := range map[string]string{" Ana ": "ana", "Zoe\u0308": "zoë", "ZOË": "zoë", "Straße": "straße", "ﬁ": "ﬁ", "": "", "İ": "i"} {
		if got := text.SearchKey(s); got != want {
			t.Errorf("%q: %q; want %q", s, got, want)
		}
	}
}

func TestIsControl(t *testing.T) {
	for r, want := range map[rune]bool{'\x00': true, '\x7f': true, '\u0085': true, '\n': false, '\r': false, '\t': false, 'a': false, '\u200b': false} {
		if text.IsControl(r) != want {
			t.Errorf("%q: %t", r, !want)
		}
	}
}
