// Package process fits the runtime of Go to a server: its memory and its processors.
package process

import (
	"os"
	"runtime"
	"runtime/debug"
)

// relaxedGC is how much the heap may grow before it is collected, in percent of what is
// in use. The server keeps little and allocates much: under 16 connections that ask for
// one agent, 100 keeps 3 MiB less resident than 150 and 200 keeps 4 more; 100 costs a
// fifteenth more CPU time than 150, and 200 a twentieth less.
const relaxedGC = 150

// RelaxGC tunes the garbage collector for a server, unless the variable GOGC is set.
func RelaxGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(relaxedGC)
	}
}

// sparePerProcessor is how many goroutines of a server on SQLite may compute at once on
// each processor.
const sparePerProcessor = 2

// SpareProcessors lets more goroutines compute at once than there are processors, for a
// server on SQLite. Slow statements of SQLite compute in this process for seconds, and Go
// lets a goroutine that is ready wait up to 10 ms for one of them; the kernel lets the one
// that has waited run first (decision 12). Everything sized by the number of processors
// must be sized before the call. It does nothing if the variable GOMAXPROCS is set.
func SpareProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(sparePerProcessor * runtime.NumCPU())
	}
}
