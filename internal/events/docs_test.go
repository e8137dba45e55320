package events_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/events"
)

// docs/events.md lists the catalogue. The table that is missing or out of date
// is printed.
func TestTypesAreInTheDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	prefix := ""
	for _, e := range events.Catalogue() {
		if p := strings.TrimSuffix(e.Wildcard, "*"); p != prefix {
			prefix = p
			fmt.Fprintf(&table, "\n### %s\n\n| Type | When | Data |\n| --- | --- | --- |\n", e.Wildcard)
		}
		fmt.Fprintf(&table, "| %s | %s | `%s.json` |\n", e.ShortName, e.Description, e.SchemaName)
	}
	if !strings.HasSuffix(string(text), table.String()) {
		t.Errorf("docs/events.md has to end with:\n%s", table.String())
	}
}

// The example of docs/events.md is the sample of the type.
func TestExampleInTheDocsIsTheSample(t *testing.T) {
	text, err := os.ReadFile("../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```json\n")
	example, _, _ := strings.Cut(rest, "```")
	e, _ := events.Lookup(events.AgentUpdated)
	if got, want := strings.Join(strings.Fields(example), ""), strings.Join(strings.Fields(string(e.Sample)), ""); got != want {
		t.Errorf("the example is %s, want %s", got, want)
	}
}
