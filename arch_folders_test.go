package upline_test

import "testing"

// mostFiles is how many files of a folder a reader takes in at once, those of tests and
// of generators aside.
const mostFiles = 30

// TestNoFolderIsCrowded counts the files of every folder.
func TestNoFolderIsCrowded(t *testing.T) {
	count := map[string]int{}
	for _, f := range handWritten(t) {
		if !f.test {
			count[f.pkg]++
		}
	}
	for folder, n := range count {
		if n > mostFiles {
			t.Errorf("%s has %d files, of which it may have %d: divide it", folder, n, mostFiles)
		}
	}
}
