package upline_test

import "testing"

// mostFiles is how many files of a folder a reader takes in at once, those of tests and
// of generators aside.
const mostFiles = 30

// crowded are the folders that have more, how many, and why they are not divided. A row
// can only shrink: divide the folder, lower its number, and take it away at 30.
var crowded = map[string]struct {
	files int
	why   string
}{
	"internal/platform/store": {38, "transactions, statements, jobs, migrations and the replica are methods of one Store on one pool: what could go without a circle (backup, indexes, integrity, the demo; the builder of statements, cells) leaves more than thirty"},
}

// TestNoFolderIsCrowded counts the files of every folder.
func TestNoFolderIsCrowded(t *testing.T) {
	count := map[string]int{}
	for _, f := range handWritten(t) {
		if !f.test {
			count[f.pkg]++
		}
	}
	for folder, n := range count {
		switch row, known := crowded[folder]; {
		case n <= mostFiles && known:
			t.Errorf("%s has %d files: take it off the list", folder, n)
		case n > mostFiles && !known:
			t.Errorf("%s has %d files, of which it may have %d: divide it", folder, n, mostFiles)
		case known && n > row.files:
			t.Errorf("%s has %d files, and had %d: divide it", folder, n, row.files)
		case known && n < row.files:
			t.Errorf("%s has %d files: lower its number", folder, n)
		}
	}
}
