package bulkimport_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/bulk"
	"github.com/uplinehq/upline/internal/bulkimport"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/store"
)

// "constant memory": at the end of a file five times as long there is no more on the
// heap.
func TestMemory(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		imports := bulkimport.New(w.store, clock.At(time.Unix(0, 0)), w.vault, map[string]bulkimport.Entity{"NONE": none{}})
		heap := func(rows int) (most uint64) {
			path := filepath.Join(t.TempDir(), "rows.csv")
			if err := os.WriteFile(path, []byte(file(rows)), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			_, err = imports.Run(w.ctx, bulkimport.Import{Entity: "NONE", File: f, Policy: bulkimport.RejectFailedRows, Initiator: "test",
				Progress: func(p bulkimport.Progress) {
					if p.Rows > p.Total-2*bulkimport.ChunkRows {
						var m runtime.MemStats
						runtime.GC()
						runtime.ReadMemStats(&m)
						most = max(most, m.HeapAlloc)
					}
				}})
			if err != nil {
				t.Fatal(err)
			}
			return most
		}
		heap(2000)
		if small, large := heap(10_000), heap(50_000); large > small+1<<20 {
			t.Errorf("%d bytes at the end of 10,000 rows, %d at that of 50,000", small, large)
		}
	})
}

// none is an entity whose rows change nothing; some of them are rejected.
type none struct{}

func (none) Columns() []bulk.Column { return (&things{}).Columns() }

func (none) Apply(_ context.Context, _ *store.Tx, rows []bulk.Row, _ string) ([]bulk.Result, error) {
	results := make([]bulk.Result, len(rows))
	for i, row := range rows {
		results[i] = bulk.Result{Number: row.Number, Key: row.Values[0], Outcome: bulk.Unchanged}
		if row.Values[1] == "bad" {
			results[i].Outcome, results[i].Problems = bulk.Rejected, []*problem.Error{problem.Invalid(problem.OutOfRange, "must not be bad", "value")}
		}
	}
	return results, nil
}
