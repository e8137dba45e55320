package app

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/uplinehq/upline/internal/platform/store"
)

// relaxedGC is the growth of the heap, in percent of what is in use, before it
// is collected. The server keeps little and allocates much: beside 400, some 30 MiB
// less are resident under 16 connections, for a tenth more CPU time of point reads.
const relaxedGC = 200

// RelaxGC tunes the garbage collector for a server. It leaves a value given in
// the variable GOGC alone.
func RelaxGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(relaxedGC)
	}
}

// sparePerProcessor is how many goroutines of a server on SQLite may compute at once for
// each processor.
const sparePerProcessor = 2

// SpareProcessors lets more goroutines compute at once than there are processors, when
// the database is SQLite. Its slow statements compute in this process for seconds, and
// Go has who can go on wait up to 10 ms for one of them; the kernel lets whoever has
// waited go first (decision 28). What was sized by the processors was so before. It
// leaves a value given in the variable GOMAXPROCS alone.
func SpareProcessors(s *store.Store) {
	if !s.Postgres() && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(sparePerProcessor * runtime.NumCPU())
	}
}
