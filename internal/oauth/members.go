package oauth

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
)

var errMembers = errors.New("a member is repeated")

// checkMembers refuses a token whose header or claims name a member twice, at any
// depth: what reads the token next could take the other one. RFC 7515 §4 and RFC
// 7519 §4: names "MUST be unique". Names that differ only in case count as one,
// because encoding/json takes either for a field.
//
// It is called for tokens whose signature is good.
func checkMembers(token string) error {
	for _, part := range strings.SplitN(token, ".", 3)[:2] {
		text, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil {
			return errMembers
		}
		if err := uniqueMembers(json.NewDecoder(bytes.NewReader(text))); err != nil {
			return err
		}
	}
	return nil
}

// uniqueMembers reads one value.
func uniqueMembers(d *json.Decoder) error {
	open, err := d.Token()
	if err != nil {
		return errMembers
	}
	bracket, ok := open.(json.Delim)
	if !ok {
		return nil
	}
	names := map[string]bool{}
	for d.More() {
		if bracket == '{' {
			name, err := d.Token()
			if err != nil {
				return errMembers
			}
			text, _ := name.(string)
			if text = strings.ToLower(text); names[text] {
				return errMembers
			}
			names[text] = true
		}
		if err := uniqueMembers(d); err != nil {
			return err
		}
	}
	_, err = d.Token() // the closing bracket
	return err
}
