package identity

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Wherever a private member stands in a set, it is found, and is not in what is left; a set
// without any stays as it is, to the letter.
func TestPublicPartHasNothingPrivate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"kty", "kid", "n", "e", "crv", "x", "y", "d", "D", "p", "q", "dp", "dq", "qi", "oth", "k"}), 1, 8).Draw(t, "members")
		var members []string
		private := false
		for _, name := range names {
			value := `"public"`
			if slices.Contains([]string{"d", "D", "p", "q", "dp", "dq", "qi", "oth", "k"}, name) {
				private, value = true, rapid.SampledFrom([]string{`"c2VjcmV0"`, `["c2VjcmV0"]`, `{"r": "c2VjcmV0"}`}).Draw(t, "value")
			}
			members = append(members, `"`+name+`": `+value)
		}
		text := `{"keys": [{"kid": "first"}, {` + strings.Join(members, ", ") + `}], "also": {` + strings.Join(members, ", ") + `}}`
		got := publicPart(text)
		if strings.Contains(got, "c2VjcmV0") || private == (got == text) || !strings.Contains(got, `"first"`) {
			t.Fatalf("%s\nbecomes\n%s", text, got)
		}
	})
}
