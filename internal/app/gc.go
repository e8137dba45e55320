package app

import (
	"os"
	"runtime/debug"
)

// relaxedGC is the growth of the heap, in percent of what is in use, before it
// is collected. The server keeps little and allocates much: measured on point
// reads, 400 instead of Go's 100 takes an eighth of the CPU time away for about
// 25 MiB of memory.
const relaxedGC = 400

// RelaxGC tunes the garbage collector for a server. It leaves a value given in
// the variable GOGC alone.
func RelaxGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(relaxedGC)
	}
}
