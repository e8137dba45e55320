package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// usage is what a process has used.
type usage struct {
	CPU  time.Duration
	Peak int64 // resident memory, in bytes; 0 where it cannot be read
}

func ownUsage() usage {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return usage{}
	}
	return usage{CPU: time.Duration(r.Utime.Nano() + r.Stime.Nano()), Peak: ownPeak()}
}

// ownPeak reads VmHWM: the peak that getrusage reports begins with that of the
// parent.
func ownPeak() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(after, "kB")
	kib, _ := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	return kib << 10
}

// backends adds up the CPU time of PostgreSQL's processes that work for a
// server; 0 where it cannot be read.
func backends(ctx context.Context, conn *pgx.Conn, which contestant) (time.Duration, error) {
	rows, err := conn.Query(ctx, "SELECT pid FROM pg_stat_activity WHERE application_name = $1", applicationName(which))
	if err != nil {
		return 0, err
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	var total time.Duration
	for _, pid := range pids {
		total += processCPU(pid)
	}
	return total, err
}

// processCPU reads utime and stime, fields 14 and 15 of /proc/PID/stat, in
// hundredths of a second.
func processCPU(pid int32) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(stat), ") ") // the name may hold blanks
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
