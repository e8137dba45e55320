package insights_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/insights"
)

var update = flag.Bool("update", false, "write the queries into docs/insights.md")

const (
	docs      = "../../docs/insights.md"
	docsBegin = "<!-- The queries, written by go test ./internal/insights -run TestDocs -update -->\n"
	docsEnd   = "<!-- End of the queries. -->"
)

// docs/insights.md has every query with its parameters and columns, as the
// registry says.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), docsBegin)
	have, after, ended := strings.Cut(rest, docsEnd)
	if !found || !ended {
		t.Fatal("docs/insights.md does not say where the queries are")
	}
	want := described()
	if *update {
		if err := os.WriteFile(docs, []byte(before+docsBegin+want+docsEnd+after), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if have != want {
		t.Errorf("docs/insights.md is out of date: go test ./internal/insights -run TestDocs -update")
	}
}

func described() string {
	var b strings.Builder
	for _, q := range insights.Queries() {
		fmt.Fprintf(&b, "\n### %s\n\n%s A page has at most %d rows.\n\n| Parameter | Type | Default | |\n| --- | --- | --- | --- |\n", q.Slug, q.Description, q.MaxPageSize)
		for _, p := range q.AllParameters() {
			usual := ""
			if text := p.DefaultOf(); text != nil {
				usual = *text
			}
			if p.Required {
				usual = "required"
			}
			values := ""
			if p.Allowed != nil {
				values = " One of " + strings.Join(p.Allowed, ", ") + "."
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s%s |\n", p.Name, p.Type, usual, p.Description, values)
		}
		b.WriteString("\n| Column | Type | |\n| --- | --- | --- |\n")
		for _, c := range q.Columns {
			sorted := ""
			if c.CanSort() {
				sorted = "; can be sorted by"
			}
			fmt.Fprintf(&b, "| %s | %s | %s%s |\n", c.Key, c.Type, c.Label, sorted)
		}
	}
	return b.String() + "\n"
}
