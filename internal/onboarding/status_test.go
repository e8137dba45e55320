package onboarding

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The table of the documentation is the one that the code runs on.
func TestTheDocumentedTransitionsAreThoseOfTheCode(t *testing.T) {
	page, err := os.ReadFile("../../docs/onboarding.md")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| From | To | By | Condition |\n| --- | --- | --- | --- |\n")
	for _, t := range transitions {
		var from []string
		for _, s := range t.from {
			from = append(from, s.spelling())
		}
		to := t.to.spelling()
		if t.to == beforeHold {
			to = "the status before the hold"
		}
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s |\n", strings.Join(from, ", "), to, t.action, t.condition)
	}
	if !strings.Contains(string(page), b.String()) {
		t.Errorf("docs/onboarding.md does not have this table:\n%s", b.String())
	}
}
