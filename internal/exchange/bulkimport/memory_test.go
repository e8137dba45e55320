package bulkimport_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// "constant memory": at the end of a file five times as long there is no more on the
// heap; of rows that refer to each other, while the file is read through, no more than
// docs/import.md says: some forty bytes for each.
func TestMemory(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		refers := &referring{}
		imports := bulkimport.New(w.store, clock.At(time.Unix(0, 0)), w.vault, noWords{}, noPast{}, map[string]bulkimport.Entity{"AGENT": none{}, "UPLINE_PERIOD": refers})
		heap := func(entity string, rows int) (most uint64) {
			*refers = referring{last: rows}
			path := filepath.Join(t.TempDir(), "rows.csv")
			if err := os.WriteFile(path, []byte(file(rows)), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			_, err = imports.Run(w.ctx, bulkimport.Import{Entity: entity, File: f, Policy: bulkimport.RejectFailedRows, Initiator: "test",
				Progress: func(p bulkimport.Progress) {
					if p.Rows > p.Total-2*bulkimport.ChunkRows {
						most = max(most, inUse())
					}
				}})
			if err != nil {
				t.Fatal(err)
			}
			return max(most, refers.most)
		}
		for entity, each := range map[string]uint64{"AGENT": 0, "UPLINE_PERIOD": 64} {
			heap(entity, 2000)
			if small, large := heap(entity, 10_000), heap(entity, 50_000); large > small+1<<20+40_000*each {
				t.Errorf("%s: %d bytes at the end of 10,000 rows, %d at that of 50,000", entity, small, large)
			}
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

// referring is none of rows that each refer to another one.
type referring struct {
	none
	last, rows int
	most       uint64
}

func (r *referring) Reference(row bulk.Row) (key, to string) {
	if r.rows++; r.rows == r.last {
		r.most = inUse()
	}
	return row.Values[0], row.Values[0] + " and more"
}
