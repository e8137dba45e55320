package events_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/events"
)

// docs/events.md lists the catalogue. The table that is missing or out of date
// is printed.
func TestTypesAreInTheDocs(t *testing.T) {
	text, err := os.ReadFile("../../../docs/events.md")
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
	text, err := os.ReadFile("../../../docs/events.md")
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

var update = flag.Bool("update", false, "write the samples into docs/event-samples.md")

// docs/event-samples.md has a sample of the data of every type.
func TestSamplesAreInTheDocs(t *testing.T) {
	const file = "../../../docs/event-samples.md"
	var b bytes.Buffer
	b.WriteString("# Samples of events\n\nA body of each kind of data, as a webhook gets it and the feed shows it; `webhookEventTypes` has one of each type. What the types mean, and their schemas: [events.md](events.md#types).\n\n" +
		"<!-- Written by go test ./internal/platform/events -run TestSamplesAreInTheDocs -update -->\n")
	var schemas []string
	types := map[string][]string{}
	for _, e := range events.Catalogue() {
		types[e.SchemaName] = append(types[e.SchemaName], e.ShortName)
	}
	for _, e := range events.Catalogue() {
		if slices.Contains(schemas, e.SchemaName) {
			continue
		}
		schemas = append(schemas, e.SchemaName)
		fmt.Fprintf(&b, "\n## %s.json\n\n%s. Schema: [%s.json](../internal/platform/events/schema/%s.json).\n\n```json\n", e.SchemaName, strings.Join(types[e.SchemaName], ", "), e.SchemaName, e.SchemaName)
		if err := json.Indent(&b, e.Sample, "", "  "); err != nil {
			t.Fatal(err)
		}
		b.WriteString("\n```\n")
	}
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, b.Bytes()) {
		t.Errorf("%s is out of date: go test ./internal/platform/events -run TestSamplesAreInTheDocs -update", file)
	}
}
