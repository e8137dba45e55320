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
	for _, q := range insights.Queries() {
		if q.MaxPageSize != insights.Queries()[0].MaxPageSize {
			t.Errorf("%s has pages of %d rows; say so in its description", q.Slug, q.MaxPageSize)
		}
	}
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

// described has each query with its parameters and columns. What several queries take is
// said once, at the end.
func described() string {
	times := map[string]int{}
	for _, q := range insights.Queries() {
		for _, p := range q.AllParameters() {
			times[parameterLine(p)]++
		}
	}
	var b, shared strings.Builder
	fmt.Fprintf(&b, "\nA page has at most %d rows. A column with a star can be sorted by.\n", insights.Queries()[0].MaxPageSize)
	for _, q := range insights.Queries() {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", q.Slug, q.Description)
		var also []string
		for _, p := range q.AllParameters() {
			line := parameterLine(p)
			if times[line] == 1 {
				b.WriteString(line)
				continue
			}
			also = append(also, p.Name)
			if !strings.Contains(shared.String(), line) {
				shared.WriteString(line)
			}
		}
		if also != nil {
			fmt.Fprintf(&b, "- [also](#parameters-of-several-queries) %s\n", strings.Join(also, ", "))
		}
		var columns []string
		for _, c := range q.Columns {
			columns = append(columns, columnText(c))
		}
		fmt.Fprintf(&b, "\nColumns: %s.\n", strings.Join(columns, ", "))
	}
	return b.String() + "\n### Parameters of several queries\n\n" + shared.String() + "\n"
}

// parameterLine describes a parameter in one line.
func parameterLine(p insights.Parameter) string {
	usual, values := "", ""
	if text := p.DefaultOf(); text != nil {
		usual = "; default: " + *text
	}
	if p.Required {
		usual = "; required"
	}
	if p.Allowed != nil {
		values = " One of " + strings.Join(p.Allowed, ", ") + "."
	}
	return fmt.Sprintf("- `%s` (%s%s): %s%s\n", p.Name, p.Type, usual, p.Description, values)
}

// columnText names a column, with a star if it can be sorted by, and what its key does
// not say.
func columnText(c insights.Column) string {
	text := "`" + c.Key + "`"
	if c.CanSort() {
		text += "\\*"
	}
	notes := string(c.Type)
	if !strings.EqualFold(strings.ReplaceAll(c.Label, " ", ""), c.Key) {
		notes += ": " + c.Label
	}
	return text + " (" + notes + ")"
}
