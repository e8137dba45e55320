package vault

import (
	"strings"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/text"
)

const (
	maskVisible   = 4 // characters that stay readable at the end
	maskMinLength = 6 // below this, four characters would be most of the value
)

// MaskIdentifier returns an identifier as it may be shown: "***-**-6789" for
// nine digits, otherwise four asterisks and the last four characters, whatever
// the length. Of an identifier shorter than six characters nothing is shown.
// The mask of an empty identifier is empty.
func MaskIdentifier(s string) string {
	n := text.Identifier(s)
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
