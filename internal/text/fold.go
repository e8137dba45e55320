package text

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns a text as it is found by: in lower case, without accents, and with plain
// letters for those that only look different. Columns store it, so its result for a text
// must never change.
func Fold(s string) string {
	bare := strings.Map(func(r rune) rune {
		if r >= '\u0300' && r <= '\u036f' { // what accents are, once they stand alone
			return -1
		}
		return r
	}, norm.NFKD.String(strings.ToLower(s)))
	return norm.NFC.String(spelt.Replace(bare))
}

// spelt are letters with a stroke or joined, which Unicode does not take apart.
var spelt = strings.NewReplacer("ß", "ss", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "æ", "ae", "œ", "oe", "ı", "i", "ħ", "h")

// Pieces returns the parts of a text between blanks and signs.
func Pieces(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r) || unicode.IsControl(r) || isUnseen(r) || r < unicode.MaxASCII && unicode.IsSymbol(r)
	})
}

// IsWord reports whether a character is, by itself, what others write with several
// letters: as in Chinese, Japanese and Korean.
func IsWord(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
