package oauth

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

var errMembers = errors.New("a member is repeated")

// checkMembers refuses a token whose header or claims name a member twice, at any
// depth: what reads the token next could take the other one. RFC 7515 §4 and RFC
// 7519 §4: names "MUST be unique". Names that differ only in case count as one,
// because encoding/json takes either for a field.
//
// It is called for tokens whose signature is good, and which were read as JSON. A
// json.Decoder would take a quarter of the time of checking the signature.
func checkMembers(token string) error {
	for _, part := range strings.SplitN(token, ".", 3)[:2] {
		text, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil || !uniqueMembers(text) {
			return errMembers
		}
	}
	return nil
}

// uniqueMembers reports whether no object of a JSON text has a name twice.
func uniqueMembers(text []byte) bool {
	var open [][]string // the names of each object, and for each array none
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			open = append(open, nil)
		case '}', ']':
			open = open[:max(0, len(open)-1)]
		case '"':
			end := endOfString(text, i)
			after := bytes.TrimLeft(text[end:], " \t\r\n")
			if len(open) > 0 && len(after) > 0 && after[0] == ':' {
				name, err := memberName(text[i:end])
				if err != nil {
					return false
				}
				names := &open[len(open)-1]
				if slices.ContainsFunc(*names, func(other string) bool { return strings.EqualFold(other, name) }) {
					return false
				}
				*names = append(*names, name)
			}
			i = end - 1
		}
	}
	return true
}

// memberName returns the name that a string in quotes means.
func memberName(quoted []byte) (name string, err error) {
	if !bytes.ContainsRune(quoted, '\\') {
		return string(quoted[1 : len(quoted)-1]), nil
	}
	err = json.Unmarshal(quoted, &name)
	return name, err
}

// endOfString returns where the text goes on after a string.
func endOfString(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
