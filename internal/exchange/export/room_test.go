package export_test

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// The files of a tenant are bounded, by their number and their size in all, until
// they have expired.
func TestRoomOfTenant(t *testing.T) {
	in := export.Input{Query: "{ agents { nodes { id } } }", Path: "agents", Format: sheet.CSV}
	onEach(t, export.Limits{Bytes: 10_000}, func(t *testing.T, w *world) {
		w.rows = 80
		total := 0
		for range 20 {
			e := w.create(t, sheet.CSV)
			w.work(t, w.Service)
			if e = w.state(t, e.ID); e.Status == export.Failed {
				if !strings.Contains(textOf(e.Error), "in all") || e.Size != nil || total+10_000 < 4*10_000 {
					t.Errorf("with %d bytes it fails: %s", total, textOf(e.Error))
				}
				total = 0
				break
			}
			total += *e.Size
		}
		if total > 0 {
			t.Errorf("the files have %d bytes", total)
		}
		w.clock.Move(25 * time.Hour)
		if err := w.Sweep(w.ctx(t)); err != nil {
			t.Fatal(err)
		}
		e := w.create(t, sheet.CSV)
		w.work(t, w.Service)
		if e = w.state(t, e.ID); e.Status != export.Completed {
			t.Errorf("when they have expired it is %s", e.Status)
		}
	})
	onEach(t, export.Limits{}, func(t *testing.T, w *world) {
		for i := range 49 {
			w.caller.ClientID = "client " + strconv.Itoa(i/5)
			w.create(t, sheet.CSV)
		}
		var (
			wait sync.WaitGroup
			made atomic.Int32
		)
		for i := range 5 { // at one moment
			caller := w.caller
			caller.ClientID = "another " + strconv.Itoa(i)
			wait.Go(func() {
				_, err := w.Create(w.as(t, caller), in)
				if err == nil {
					made.Add(1)
				} else if !problem.Has(err, problem.UnavailableCode) {
					t.Error(err)
				}
			})
		}
		if wait.Wait(); made.Load() != 1 {
			t.Errorf("there are %d files", 49+made.Load())
		}
	})
}

// Files that were asked for while there was room have no more together either: what
// would be beyond it fails, and leaves nothing.
func TestRoomOfWaitingFiles(t *testing.T) {
	for name, test := range map[string]struct{ rows, bytes int }{"of a part of a chunk": {50, 10_000}, "of chunks": {8_000, 1_300_000}} {
		onEach(t, export.Limits{Bytes: int64(test.bytes)}, func(t *testing.T, w *world) {
			w.rows = test.rows
			var all []*export.Export
			for i := range 10 {
				w.caller.ClientID = "client " + strconv.Itoa(i/5)
				all = append(all, w.create(t, sheet.JSONL))
			}
			w.work(t, w.Service)
			total, failed := 0, 0
			for i, e := range all {
				w.caller.ClientID = "client " + strconv.Itoa(i/5)
				switch e = w.state(t, e.ID); {
				case e.Status == export.Completed:
					total += *e.Size
				case e.Status == export.Failed && strings.Contains(textOf(e.Error), "in all") && e.Size == nil:
					failed++
				default:
					t.Errorf("%s: an export is %s, %q", name, e.Status, textOf(e.Error))
				}
			}
			left, err := store.Collect(t.Context(), w.store, store.ScanOne[int], "SELECT count(*) FROM export_chunk c JOIN export e ON e.tenant_id = c.tenant_id AND e.id = c.export_id WHERE e.status = 'FAILED'")
			if failed == 0 || total > 4*test.bytes || err != nil || left[0] != 0 {
				t.Errorf("%s: %d files failed and the others have %d bytes, with %v chunks of the failed ones, %v", name, failed, total, left, err)
			}
		})
	}
}
