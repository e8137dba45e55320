package remote

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"

	"github.com/golang-jwt/jwt/v5"
)

// errCritical refuses a token with critical header parameters (RFC 7515 §4.1.11): none is
// understood.
var errCritical = errors.New("the token has critical header parameters")

// VerifySignature returns the claims of a token that the issuer has signed. It implements
// oidc.KeySet of go-oidc, whose own set asks for every unknown kid, and tries a key with
// any algorithm.
func (i *Issuer) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	find := i.Keyfunc(ctx)
	parser := jwt.NewParser(jwt.WithValidMethods(i.Algorithms), jwt.WithoutClaimsValidation(), jwt.WithStrictDecoding())
	if _, err := parser.Parse(token, func(t *jwt.Token) (any, error) {
		if _, ok := t.Header["crit"]; ok {
			return nil, errCritical
		}
		return find(t)
	}); err != nil {
		return nil, err
	}
	return base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
}

// Texts returns the values of a claim that is a list, or a text with spaces (RFC
// 8693 §4.2).
func Texts(claim any) (values []string) {
	switch claim := claim.(type) {
	case string:
		return strings.Fields(claim)
	case []any:
		for _, value := range claim {
			if text, ok := value.(string); ok {
				values = append(values, text)
			}
		}
	}
	return values
}

// Claim returns the claim of a name, or the value at a JSON pointer; nil if there is
// none.
func Claim(all map[string]any, name string) any {
	if !strings.HasPrefix(name, "/") {
		return all[name]
	}
	var value any = all
	for part := range strings.SplitSeq(name[1:], "/") {
		members, _ := value.(map[string]any)
		// RFC 6901 §4: first ~1, then ~0.
		value = members[strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")]
	}
	return value
}
