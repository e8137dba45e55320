package oauth

import (
	"strings"
	"testing"
)

func TestExternalNames(t *testing.T) {
	for text, want := range map[string]bool{"": false, "a": true, "a\x00": false, strings.Repeat("a", maxExternalName): true, strings.Repeat("a", maxExternalName+1): false} {
		if isName(text) != want {
			t.Errorf("%.10q of %d bytes: %t", text, len(text), !want)
		}
	}
}
