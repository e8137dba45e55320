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
	if program, err := os.Executable(); err == nil {
		_ = unmapUnchanged(program)
	}
}

// unmapUnchanged takes the pages of a file out of the memory of the process, if they hold
// what the file holds. It leaves mappings alone in which a page was changed: by a debugger
// that set a breakpoint, or by the loader that put addresses in.
func unmapUnchanged(file string) error {
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return err
	}
	var start, end uintptr
	for lines := bufio.NewScanner(bytes.NewReader(maps)); lines.Scan(); {
		line := lines.Text()
		var from, to uintptr
		var access string
		if n, _ := fmt.Sscanf(line, "%x-%x %s", &from, &to, &access); n == 3 {
			start, end = 0, 0
			if len(access) > 1 && access[1] == '-' && strings.Contains(line, file) {
				start, end = from, to
			}
			continue
		}
		if fields := strings.Fields(line); start == 0 || fields[0] != "Anonymous:" || fields[1] != "0" {
			continue
		}
		if _, _, failed := syscall.Syscall(syscall.SYS_MADVISE, start, end-start, syscall.MADV_DONTNEED); failed != 0 {
			return failed
		}
	}
	return nil
}
