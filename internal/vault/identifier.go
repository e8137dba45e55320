package vault

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// NormaliseIdentifier returns the form in which identifiers (SSN, SIN, EIN) are
// compared: digits and letters only, in upper case, so that "123-45-6789",
// "123 45 6789" and the same in full-width digits have the same blind index.
func NormaliseIdentifier(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, norm.NFKC.String(s))
}

const (
	maskVisible   = 4 // characters that stay readable at the end
	maskMinLength = 6 // below this, four characters would be most of the value
)

// MaskIdentifier returns an identifier as it may be shown: "***-**-6789" for
// nine digits, otherwise four asterisks and the last four characters, whatever
// the length. Of an identifier shorter than six characters nothing is shown.
// The mask of an empty identifier is empty.
func MaskIdentifier(s string) string {
	n := NormaliseIdentifier(s)
	switch length := utf8.RuneCountInString(n); {
	case n == "":
		return ""
	case length < maskMinLength:
		return "****"
	case length == 9 && allDigits(n):
		return "***-**-" + n[len(n)-maskVisible:]
	default:
		return "****" + string([]rune(n)[length-maskVisible:])
	}
}

func allDigits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}
