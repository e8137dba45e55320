package process

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// residentFile returns how much memory of the process are pages of files, in KiB.
func residentFile(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`RssFile:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Skip("this kernel does not say how many pages are of files")
	}
	size, _ := strconv.Atoi(string(found[1]))
	return size
}

// After the start much of the program is no longer in the memory of the process, and what
// is used comes back: a program that could not would end here.
func TestStartupIsLeft(t *testing.T) {
	before := residentFile(t)
	LeaveStartup()
	if after := residentFile(t); after >= before {
		t.Errorf("%d KiB of files are resident after the start, %d before", after, before)
	}
}
