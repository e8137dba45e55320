package process

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// LeaveStartup gives memory back that only the start of the process needed: pages of the
// program's file, some 15 MiB of them. The start runs a little code of each of several
// hundred packages, and for each page that is read Linux maps the 15 around it. A page that
// is needed again comes back from the page cache. What cannot be given back stays.
func LeaveStartup() {
	if program, err := os.Executable(); err == nil && !isDebugged() {
		_ = unmapUnused(program)
	}
}

// isDebugged reports whether a debugger is attached. Its breakpoints are changed pages of
// the program, which would be lost.
func isDebugged() bool {
	status, err := os.ReadFile("/proc/self/status")
	return err != nil || !bytes.Contains(status, []byte("\nTracerPid:\t0\n"))
}

// unmapUnused takes the pages of a file that are only read out of the memory of the
// process.
func unmapUnused(file string) error {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(bytes.NewReader(maps)); lines.Scan(); {
		var start, end uintptr
		var access string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s", &start, &end, &access); err != nil {
			return err
		}
		if access[1] == 'w' || !strings.Contains(lines.Text(), file) {
			continue
		}
		if _, _, failed := syscall.Syscall(syscall.SYS_MADVISE, start, end-start, syscall.MADV_DONTNEED); failed != 0 {
			return failed
		}
	}
	return nil
}
