// Package text is the vocabulary of the texts that people write: what areas
// search them by, and what has no place in them.
package text

import (
	"bytes"
	"errors"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// SearchKey is a text as it is searched and sorted by: in lower case, the same
// on every database. Columns hold it, so that what it returns for a text stays as
// it is.
func SearchKey(s string) string { return strings.ToLower(norm.NFC.String(strings.TrimSpace(s))) }

// Trim returns a text without the blanks around it, and "" for one in which nothing can
// be seen.
func Trim(s string) string {
	s = strings.TrimFunc(s, isPadding)
	if strings.TrimFunc(s, isUnseen) == "" {
		return ""
	}
	return s
}

// isPadding reports whether a character around a text says nothing: blanks, and those of
// no width that programs put beside them. Others without width belong to what they
// stand beside, as the joiners of emoji do.
func isPadding(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200b' || r == '\u2060' || r == '\ufeff'
}

// isUnseen reports whether a character shows nothing by itself.
func isUnseen(r rune) bool {
	return unicode.IsSpace(r) || r == '\u2800' || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// Narrow returns a text with the letters, digits and signs of ASCII in place of those
// that only look wider or different, such as the full-width digits of Asian keyboards.
func Narrow(s string) string { return norm.NFKC.String(s) }

// Identifier returns the form in which identifiers (SSN, SIN, EIN) are
// compared: digits and letters only, in upper case, so that "123-45-6789",
// "123 45 6789" and the same in full-width digits have the same blind index.
func Identifier(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, Narrow(s))
}

// ErrHalfPair says what is wrong with a source that HalfPair finds. Its text goes on from
// the name of the source.
var ErrHalfPair = errors.New(`holds half of a surrogate pair (\ud800 to \udfff), which is no character`)

// HalfPair reports whether a JSON text, or a document of GraphQL, has an escape such as
// \ud800 that is half of a surrogate pair: no character. Decoders put U+FFFD in its
// place, and what was meant is lost.
func HalfPair(source []byte) bool {
	for {
		at := bytes.IndexByte(source, '\\')
		if at < 0 || at+1 == len(source) {
			return false
		}
		unit := source[at:]
		switch {
		case !isSurrogate(unit, '8', 'F'):
			source = unit[2:]
		case isSurrogate(unit, '8', 'B') && isSurrogate(unit[escape:], 'C', 'F'):
			source = unit[2*escape:]
		default:
			return true
		}
	}
}

// escape is the length of \ud800.
const escape = len(`\ud800`)

// isSurrogate reports whether a text begins with the escape of a surrogate whose second
// digit is from low to high: 8 to B for the first half of a pair, C to F for the second.
func isSurrogate(s []byte, low, high byte) bool {
	if len(s) < escape || s[0] != '\\' || s[1] != 'u' {
		return false
	}
	second := upper(s[3])
	return upper(s[2]) == 'D' && second >= low && second <= high
}

func upper(b byte) byte {
	if b >= 'a' && b <= 'f' {
		return b - 'a' + 'A'
	}
	return b
}

// IsControl reports whether no text may have a character. Tab and line ends are
// part of texts.
func IsControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }
