package dbtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// memory is a file system in memory, on Linux. Making a database writes and deletes
// some 750 files, which takes a disk ten times as long.
const memory = "/dev/shm"

// enough is how many bytes have to be free in memory before databases go there:
// several packages are tested at once, each with databases of up to 300 MB.
const enough = 4 << 30

// parent is the folder in which databases of tests are made.
var parent = sync.OnceValue(func() string {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(memory, &fs); err == nil && uint64(fs.Bavail)*uint64(fs.Bsize) >= enough {
		return memory
	}
	return os.TempDir()
})

const prefix = "upline-test-"

// makeFolder makes a folder for a database of this process. Whoever makes it removes
// it.
func makeFolder() (string, error) {
	return os.MkdirTemp(parent(), fmt.Sprintf("%s%d-", prefix, os.Getpid()))
}

// removeLeftovers stops the servers and removes the folders of processes that were
// killed before they could.
func removeLeftovers() {
	left, _ := filepath.Glob(filepath.Join(parent(), prefix+"*"))
	for _, dir := range left {
		owner, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), prefix), "-")
		pid, err := strconv.Atoi(owner)
		if err != nil || syscall.Kill(pid, 0) != syscall.ESRCH {
			continue
		}
		if server := postmaster(filepath.Join(dir, "data")); server > 0 {
			_ = syscall.Kill(server, syscall.SIGQUIT)
		}
		_ = os.RemoveAll(dir)
	}
}

// postmaster returns the process id of the server that has a data folder open, 0 if
// none has.
func postmaster(data string) int {
	content, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return 0
	}
	return pid
}
