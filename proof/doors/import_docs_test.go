package doors_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

var update = flag.Bool("update", false, "write what the tests keep in docs: the columns of imports, the costs of writes")

const (
	importDocs      = "../../docs/import.md"
	importDocsBegin = "<!-- The columns, written by go test ./proof/doors -run TestImportDocs -update -->\n"
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
	if have, replace := between(t, importDocs, importDocsBegin, importDocsEnd); *update {
		replace(want)
	} else if have != want {
		t.Error("docs/import.md is out of date: go test ./proof/doors -run TestImportDocs -update")
	}
}

// between returns what a document says between two lines, and a function that replaces it.
func between(t *testing.T, path, begin, end string) (have string, replace func(string)) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	have, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s does not say %q and %q", path, begin, end)
	}
	return have, func(text string) {
		if err := os.WriteFile(path, []byte(before+begin+text+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
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

// The columns of each entity can be asked for, whatever kind they are.
func TestColumnsOfEachEntity(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, "read:agents", "write:agents", "write:production")
		for _, entity := range bulkimport.EntityNames.Texts() {
			r := c.Query(t, fmt.Sprintf("{ bulkColumns(entity: %s) { name kind } }", entity), nil)
			if columns, _ := apptest.At(r, "bulkColumns").([]any); len(columns) == 0 {
				t.Errorf("%s has %v", entity, r)
			}
		}
	})
}
