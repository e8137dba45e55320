package main

import (
	"context"
	"flag"
	"io"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

var exportAgents = flag.Int("export-agents", 50_000, "agents of BenchmarkExport, each a row")

// exportQueries ask for kinds of rows; the last is the whole of an agent, as REST has it,
// with sensitive values masked.
var exportQueries = []struct{ name, path, document string }{
	{"agents", "agents", `{ agents { nodes { agentCode displayName email startDate createdAt isActive payStatus { name } homeAddress { city postalCode } } } }`},
	{"certifications", "certifications", `{ certifications { nodes { agent { agentCode } identifier type { name } jurisdiction { code } isVerified createdAt } } }`},
	{"certificationPeriods", "certificationPeriods", `{ certificationPeriods { nodes { effectiveFrom effectiveThrough status certification { identifier agent { agentCode } } } } }`},
	{"payStatusPeriods", "payStatusPeriods", `{ payStatusPeriods { nodes { effectiveFrom effectiveThrough status { name } agent { agentCode } } } }`},
	{"levelPeriods", "levelPeriods", `{ levelPeriods { nodes { effectiveFrom effectiveThrough level { name } agent { agentCode } } } }`},
	{"uplinePeriods", "uplinePeriods", `{ uplinePeriods { nodes { effectiveFrom effectiveThrough agent { agentCode } upline { agentCode } } } }`},
	{"whole agents", "agents", wholeAgents()},
}

func wholeAgents() string {
	return strings.NewReplacer(", $first: Int, $offset: Int, $after: String", "", ", first: $first, offset: $offset, after: $after", "", "(reveal: true)", "").Replace(stored("agents"))
}

// BenchmarkExport writes all rows of a kind to a file: "exports ≥ 100,000 rows/s". The most
// that is in use is that of the heap, with what is not collected yet.
func BenchmarkExport(b *testing.B) {
	for name, open := range map[string]func(testing.TB) *store.Store{"sqlite": dbtest.SQLite, "postgres": dbtest.PostgresOwner} {
		b.Run(name, func(b *testing.B) {
			w := apptest.New(b, open(b), apptest.Options{Now: clock.System{}.Now()})
			w.LoadDemo(b, apptest.Acme, *exportAgents)
			ctx := w.Context(b, apptest.Acme, "read:agents")
			for _, q := range exportQueries {
				b.Run(q.name+"/CSV", func(b *testing.B) {
					exportAll(ctx, b, w, export.Input{Query: q.document, Path: q.path, Format: "CSV"})
				})
			}
			first := export.Input{Query: exportQueries[0].document, Path: exportQueries[0].path}
			for _, format := range []string{"XLSX", "JSONL"} {
				first.Format = format
				b.Run("agents/"+format, func(b *testing.B) { exportAll(ctx, b, w, first) })
			}
		})
	}
}

func exportAll(ctx context.Context, b *testing.B, w *apptest.World, in export.Input) {
	var speed, own, database, more []float64
	rows := 0
	for b.Loop() {
		runtime.GC()
		before, peak, db := heap(), uint64(0), below(os.Getpid())
		begun, used := time.Now(), ownUsage().CPU // last: it costs something to ask what is below
		done, err := w.Exports.Write(ctx, in, io.Discard, func(export.Progress) { peak = max(peak, heap()) })
		if rows = done.Rows; err != nil || rows < *exportAgents {
			b.Fatalf("%d rows, %v", rows, err)
		}
		perRow := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 / float64(rows) }
		speed, own = append(speed, float64(rows)/time.Since(begun).Seconds()), append(own, perRow(ownUsage().CPU-used))
		database = append(database, perRow(below(os.Getpid())-db))
		more = append(more, float64(peak-min(peak, before))/(1<<20))
	}
	b.ReportMetric(float64(rows), "rows")
	b.ReportMetric(median(speed), "rows/s")
	b.ReportMetric(median(own), "own-µs/row")
	b.ReportMetric(median(database), "db-µs/row")
	b.ReportMetric(median(more), "MiB-more")
	b.ReportMetric(0, "ns/op")
}

// heap is what is in use, and what was and is not collected yet, in bytes.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
