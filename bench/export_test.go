package main

import (
	"context"
	"flag"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

var exportAgents = flag.Int("export-agents", 50_000, "agents of BenchmarkExport, each a row")

const exportQuery = `{ agents { nodes { agentCode displayName email startDate createdAt isActive payStatus { name } homeAddress { city postalCode } } } }`

// BenchmarkExport writes all agents to a file in every format, as a job does:
// "Export of 50,000 rows in constant memory". The most that is in use is that of
// the heap, with what is not collected yet.
func BenchmarkExport(b *testing.B) {
	for name, open := range map[string]func(testing.TB) *store.Store{"sqlite": dbtest.SQLite, "postgres": dbtest.PostgresOwner} {
		b.Run(name, func(b *testing.B) {
			w := apptest.New(b, open(b), apptest.Options{Now: clock.System{}.Now()})
			w.LoadDemo(b, apptest.Acme, *exportAgents)
			ctx := w.Context(b, apptest.Acme, "read:agents")
			for _, format := range []string{"CSV", "XLSX", "JSONL"} {
				b.Run(format, func(b *testing.B) { exportAll(ctx, b, w, format) })
			}
		})
	}
}

func exportAll(ctx context.Context, b *testing.B, w *apptest.World, format string) {
	var size counting
	for b.Loop() {
		runtime.GC()
		before, peak, begun := heap(), uint64(0), time.Now()
		size = 0
		done, err := w.Exports.Write(ctx, export.Input{Query: exportQuery, Path: "agents", Format: format}, &size, func(export.Progress) { peak = max(peak, heap()) })
		if err != nil || done.Rows != *exportAgents {
			b.Fatalf("%d rows, %v", done.Rows, err)
		}
		b.ReportMetric(float64(done.Rows)/time.Since(begun).Seconds(), "rows/s")
		b.ReportMetric(float64(peak-min(peak, before))/(1<<20), "MiB-more")
	}
	b.ReportMetric(float64(size)/(1<<20), "MiB-file")
	b.ReportMetric(0, "ns/op")
}

// counting counts what is written to it.
type counting int64

// Write implements io.Writer.
func (c *counting) Write(p []byte) (int, error) { *c += counting(len(p)); return len(p), nil }

// heap is what is in use, and what was and is not collected yet, in bytes.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
