// Package text is the vocabulary of the texts that people write: what areas
// search them by, and what has no place in them.
package text

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// SearchKey is a text as it is searched and sorted by: in lower case, the same
// on every database. Columns hold it, so that what it returns for a text stays as
// it is.
func SearchKey(s string) string { return strings.ToLower(norm.NFC.String(strings.TrimSpace(s))) }

// IsControl reports whether no text may have a character. Tab and line ends are
// part of texts.
func IsControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' }
