package app_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

var update = flag.Bool("update", false, "write the columns into docs/import.md")

const (
	importDocs      = "../docs/import.md"
	importDocsBegin = "<!-- The columns, written by go test ./app -run TestImportDocs -update -->\n"
	importDocsEnd   = "<!-- End of the columns. -->"
)

// docs/import.md has every entity with its columns, as the code says, and every entity
// of the schema can be imported.
func TestImportDocs(t *testing.T) {
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	var b strings.Builder
	for _, entity := range w.Graph.Schema().Types["BulkEntity"].EnumValues {
		columns := w.Imports.Columns(entity.Name)
		if columns == nil {
			t.Errorf("%s cannot be imported", entity.Name)
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", entity.Name, entity.Description)
		for _, line := range columnLines(columns) {
			b.WriteString(line)
		}
	}
	want := b.String() + "\n"
	text, err := os.ReadFile(importDocs)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), importDocsBegin)
	have, after, ended := strings.Cut(rest, importDocsEnd)
	if !found || !ended {
		t.Fatal("docs/import.md does not say where the columns are")
	}
	if *update {
		if err := os.WriteFile(importDocs, []byte(before+importDocsBegin+want+importDocsEnd+after), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if have != want {
		t.Error("docs/import.md is out of date: go test ./app -run TestImportDocs -update")
	}
}

// columnLines describes columns. Those that say the same, such as the street of each
// address, share a line.
func columnLines(columns []bulk.Column) []string {
	var lines, names []string
	for _, c := range columns {
		text := ": " + c.Doc + "\n"
		switch {
		case c.Required:
			text = " (required)" + text
		case c.Sensitive:
			text = " (sensitive)" + text
		}
		part := c.Name[strings.LastIndex(c.Name, ".")+1:] + text
		if at := slices.Index(names, part); at >= 0 && strings.Contains(c.Name, ".") {
			lines[at] = strings.Replace(lines[at], "`"+text, "`, `"+c.Name+"`"+text, 1)
			continue
		}
		names, lines = append(names, part), append(lines, "- `"+c.Name+"`"+text)
	}
	return lines
}
