// Package text works with texts that people write: how they are searched, and which
// characters they may not have.
package text

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"golang.org/x/text/unicode/norm"
)

// SearchKey returns the text by which a text is searched and sorted: in lower case, the
// same on every database. Columns store it, so its result for a text must never change.
func SearchKey(s string) string { return strings.ToLower(norm.NFC.String(strings.TrimSpace(s))) }

// Trim returns a text without the blanks around it, and "" for a text without visible
// characters.
func Trim(s string) string {
	s = strings.TrimFunc(s, isPadding)
	if strings.TrimFunc(s, isUnseen) == "" {
		return ""
	}
	return s
}

// isPadding reports whether a character at the edge of a text means nothing: blanks, and
// characters without width that programs add. Other characters without width, such as the
// joiners of emoji, belong to their neighbours.
func isPadding(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200b' || r == '\u2060' || r == '\ufeff'
}

// isUnseen reports whether a character by itself shows nothing.
func isUnseen(r rune) bool {
	return unicode.IsSpace(r) || r == '\u2800' || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// Narrow returns a text with ASCII letters, digits and signs in place of characters that
// only look wider or different, such as the full-width digits of Asian keyboards.
func Narrow(s string) string { return norm.NFKC.String(s) }

// Identifier returns the form in which identifiers (SSN, SIN, EIN) are compared: digits
// and letters only, in upper case. So "123-45-6789", "123 45 6789" and the same in
// full-width digits have the same blind index.
func Identifier(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, Narrow(s))
}

// ErrUnfit is the error for a text that is not Fit. It continues the name of the text.
var ErrUnfit = errors.New("must be UTF-8 without the character U+0000")

// Fit reports whether every database can hold a text: PostgreSQL has neither U+0000 nor
// bytes that are not UTF-8.
func Fit(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// ErrHalfPair is the error for a source in which HalfPair finds half of a pair. Its text
// continues the name of the source.
var ErrHalfPair = errors.New(`holds half of a surrogate pair (\ud800 to \udfff), which is no character`)

// HalfPair reports whether a JSON text, or a GraphQL document, has an escape such as
// \ud800 that is half of a surrogate pair and so no character. Decoders replace it by
// U+FFFD, and what was meant is lost.
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

// IsControl reports whether a character may be in no text. Tabs and line ends may be.
func IsControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }

// Nearest returns the one of some names that another is taken for a misspelling of; "" for
// none.
func Nearest(name string, known []string) string {
	distance := func(n string) int {
		return levenshtein.ComputeDistance(strings.ToLower(n), strings.ToLower(name))
	}
	if len(known) == 0 {
		return ""
	}
	nearest := slices.MinFunc(known, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
	if distance(nearest) > max(1, len(name)/slips) {
		return ""
	}
	return nearest
}

// slips is how many letters a name needs for each wrong one, to be taken for a misspelt
// other name.
const slips = 3
