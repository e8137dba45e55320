package export_test

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// "Export of 50,000 rows in constant memory": what is in use while a file is
// written does not grow with its rows.
func TestConstantMemory(t *testing.T) {
	onEach(t, export.Limits{}, func(t *testing.T, w *world) {
		for format, most := range map[string]int64{sheet.CSV: 4 << 20, sheet.JSONL: 4 << 20, sheet.XLSX: 40 << 20} {
			peak := map[int]int64{}
			for _, rows := range []int{5_000, 50_000} {
				w.rows = rows
				var highest uint64
				w.fail = func(page int) error {
					if page%9 == 8 { // the last of few, and some of many
						runtime.GC()
						var m runtime.MemStats
						runtime.ReadMemStats(&m)
						highest = max(highest, m.HeapAlloc)
					}
					return nil
				}
				e := w.create(t, format)
				w.work(t, w.Service)
				if e = w.state(t, e.ID); e.Status != export.Completed || *e.RowCount != rows {
					t.Fatalf("%s: %s, %v", format, e.Status, textOf(e.Error))
				}
				peak[rows] = int64(highest)
				w.fail = nil
			}
			t.Logf("%s: %d KiB for 5,000 rows, %d KiB for 50,000", format, peak[5_000]>>10, peak[50_000]>>10)
			if peak[50_000]-peak[5_000] > most {
				t.Errorf("%s: %d bytes are in use for 5,000 rows, %d for 50,000", format, peak[5_000], peak[50_000])
			}
		}
	})
}

// What was written chunk by chunk is what is downloaded, and no chunk of it is
// stored in the clear.
func TestChunks(t *testing.T) {
	onEach(t, export.Limits{}, func(t *testing.T, w *world) {
		w.rows = 8_000
		for _, format := range []string{sheet.CSV, sheet.JSONL, sheet.XLSX} {
			e := w.create(t, format)
			if e := w.state(t, e.ID); e.Status != export.Queued || e.RowCount != nil || w.URLOf(w.ctx(t), e) != nil {
				t.Errorf("a new export is %+v", e)
			}
			if _, err := w.Open(w.ctx(t), e.UID); !problem.Has(err, problem.NotFoundCode) {
				t.Errorf("a file that is not there: %v", err)
			}
			w.work(t, w.Service)
			e = w.state(t, e.ID)
			got := w.download(t, e)
			if want := w.expected(t, format); got != want {
				t.Errorf("%s: %d bytes, want %d", format, len(got), len(want))
			}
			if *e.RowCount != 8_000 || *e.RowTotal != 8_000 || *e.Size != len(got) || !e.ExpiresAt.Equal(w.clock.Now().Add(24*time.Hour)) {
				t.Errorf("the export is %+v", e)
			}
		}
		if w.chunks(t) < 6 {
			t.Errorf("%d chunks are no test of chunks", w.chunks(t))
		}
		all, err := store.Collect(w.ctx(t), w.store, store.ScanOne[[]byte], "SELECT data FROM export_chunk WHERE tenant_id = $1", w.tenant.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, chunk := range all {
			if bytes.Contains(chunk, []byte("ÄÄÄÄ")) || len(chunk) > 257<<10 {
				t.Errorf("a chunk of %d bytes is in the clear, or too large", len(chunk))
			}
		}
	})
}

// A file is there for as long as is said, whoever sweeps when; the export is
// forgotten later.
func TestExpiry(t *testing.T) {
	onEach(t, export.Limits{Keep: time.Hour}, func(t *testing.T, w *world) {
		w.rows = 10
		e := w.create(t, sheet.CSV)
		w.work(t, w.Service)
		w.clock.Move(59 * time.Minute)
		if err := w.Sweep(w.ctx(t)); err != nil || !strings.HasPrefix(w.download(t, w.state(t, e.ID)), "\ufeffcode,level") {
			t.Errorf("before its time: %v", err)
		}
		w.clock.Move(time.Minute)
		if _, err := w.Open(w.ctx(t), e.UID); !problem.Has(err, problem.NotFoundCode) || w.URLOf(w.ctx(t), w.state(t, e.ID)) != nil {
			t.Errorf("after its time: %v", err)
		}
		if err := w.Sweep(w.ctx(t)); err != nil || w.chunks(t) != 0 || w.state(t, e.ID).Status != export.Expired {
			t.Errorf("swept it is %s with %d chunks, %v", w.state(t, e.ID).Status, w.chunks(t), err)
		}
		w.clock.Move(30 * 24 * time.Hour)
		if err := w.Sweep(w.ctx(t)); err != nil {
			t.Fatal(err)
		}
		if e, err := w.Export(w.ctx(t), e.ID); e != nil || err != nil {
			t.Errorf("a month later it is %v, %v", e, err)
		}
	})
}

// Only who asked has an export: a user whatever the client, or a client.
func TestOwners(t *testing.T) {
	onEach(t, export.Limits{}, func(t *testing.T, w *world) {
		w.rows = 10
		w.caller = tenant.Caller{Subject: "ana", ClientID: "workbench", UserID: 7, Scopes: []string{"read:agents"}}
		limited, limitedToo := int64(3), int64(3)
		e := w.create(t, sheet.CSV)
		w.work(t, w.Service)
		for name, test := range map[string]struct {
			caller        tenant.Caller
			sees, mayRead bool
		}{
			"the user":                          {w.caller, true, true},
			"with another client":               {tenant.Caller{Subject: "renamed", ClientID: "other", UserID: 7, Scopes: []string{"read:agents"}}, true, true},
			"without the scope":                 {tenant.Caller{Subject: "ana", ClientID: "workbench", UserID: 7}, true, false},
			"limited since":                     {tenant.Caller{Subject: "ana", ClientID: "workbench", UserID: 7, Scopes: []string{"read:agents"}, Within: &limited, Clock: w.clock}, true, false},
			"another user":                      {tenant.Caller{Subject: "ana", ClientID: "workbench", UserID: 8, Scopes: []string{"read:agents"}}, false, false},
			"a client of the name of the user":  {tenant.Caller{Subject: "ana", ClientID: "workbench", Scopes: []string{"read:agents"}}, false, false},
			"limited since, to the same, twice": {tenant.Caller{Subject: "ana", ClientID: "workbench", UserID: 7, Scopes: []string{"read:agents"}, Within: &limitedToo, Clock: w.clock}, true, false},
		} {
			ctx := w.as(t, test.caller)
			seen, err := w.Export(ctx, e.ID)
			if err != nil || (seen != nil) != test.sees {
				t.Errorf("%s sees %v, %v", name, seen, err)
			}
			d, err := w.Open(ctx, e.UID)
			if (err == nil) != test.mayRead {
				t.Errorf("%s opens %v, %v", name, d, err)
			}
			if _, err := w.Follow(ctx, e.ID); (err == nil) != test.sees {
				t.Errorf("%s follows: %v", name, err)
			}
		}
	})
}
