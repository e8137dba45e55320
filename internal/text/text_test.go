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

// Text that only looks blank is blank; what belongs to a text stays.
func TestTrim(t *testing.T) {
	for s, want := range map[string]string{
		" Ana\t": "Ana", "": "", "\u200b": "", " \u200b\u00a0\u3000\ufeff ": "", "\u3164": "", "\u2800\u2800": "", "\u200e\u200f": "", "\u00ad": "",
		"\u200bAna\ufeff": "Ana", "A\u200bB": "A\u200bB", "👩\u200d🚀": "👩\u200d🚀", "\u2067עברית\u2069": "\u2067עברית\u2069",
		"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "\u0600": "\u0600", "❤\ufe0f": "❤\ufe0f",
	} {
		if got := text.Trim(s); got != want {
			t.Errorf("%q: %q; want %q", s, got, want)
		}
	}
}

func TestNarrow(t *testing.T) {
	if got := text.Narrow("１２３－４５－６７８９Ａ"); got != "123-45-6789A" {
		t.Errorf("%q", got)
	}
}

// Half of a surrogate pair is found whatever stands around it.
func TestHalfPair(t *testing.T) {
	for source, want := range map[string]bool{
		`"\ud800"`: true, `"\uDC00"`: true, `"\ud83d\ud83d\ude00"`: true, `"\ud800x\udc00"`: true, `"a\\\ud800"`: true, `"\uDbFf`: true,
		`"\ud83d\ude00"`: false, `"\\ud800"`: false, `"\u00e9\n\ufffd"`: false, ``: false, `\`: false, `"\uD7FF\uE000"`: false, `"😀"`: false,
	} {
		if text.HalfPair([]byte(source)) != want {
			t.Errorf("%s: %t", source, !want)
		}
	}
}

func TestIdentifier(t *testing.T) {
	for in, want := range map[string]string{
		"":              "",
		"900-12-3456":   "900123456",
		" 900 12 3456 ": "900123456",
		"12-3456789":    "123456789",
		"ab-12c":        "AB12C",
		"---":           "",
		"\xff1é":        "1É",
	} {
		if got := text.Identifier(in); got != want {
			t.Errorf("Identifier(%q) = %q; want %q", in, got, want)
		}
	}
}

// PostgreSQL stores neither a NUL nor text that is not UTF-8.
func TestFit(t *testing.T) {
	for s, want := range map[string]bool{"": true, "Ana Díaz\n": true, "\x01": true, "\x00": false, "a\x00b": false, "\xff": false} {
		if got := text.Fit(s); got != want {
			t.Errorf("%q fits: %v", s, got)
		}
	}
}
