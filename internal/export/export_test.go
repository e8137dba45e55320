package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/export"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/sheet"
	"github.com/uplinehq/upline/internal/store"
	"github.com/uplinehq/upline/internal/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/tenants"
	"github.com/uplinehq/upline/internal/vault"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// source makes up rows.
type source struct {
	rows int
	// fail is asked before each page, of which the number is given.
	fail func(page int) error
}

const pageRows = 500

func (s *source) Plan(context.Context, export.Query) (export.Plan, error) { return s, nil }
func (*source) Scopes() []string                                          { return []string{"read:agents"} }
func (*source) Columns() []sheet.Column {
	return []sheet.Column{{Path: []string{"code"}}, {Path: []string{"level"}, Kind: sheet.Number}, {Path: []string{"name"}}, {Path: []string{"on"}, Kind: sheet.Date}}
}

func (s *source) Page(_ context.Context, after string) (p export.Page, err error) {
	from, _ := strconv.Atoi(after)
	if s.fail != nil {
		if err := s.fail(from / pageRows); err != nil {
			return p, err
		}
	}
	for i := from; i < min(from+pageRows, s.rows); i++ {
		p.Rows = append(p.Rows, json.RawMessage(fmt.Sprintf(`{"code":"A%d","level":%d,"name":"%s","on":"2026-06-15"}`, i, i%70, strings.Repeat("Ä", 20+i%50))))
	}
	if from+pageRows < s.rows {
		p.Next = strconv.Itoa(from + pageRows)
	}
	if after == "" {
		p.Total = &s.rows
	}
	return p, nil
}

// world is a tenant with exports of made-up rows.
type world struct {
	*export.Service
	*source
	clock  *clock.Fixed
	store  *store.Store
	caller tenant.Caller
	mayNot bool
	tenant *tenant.Tenant
}

func onEach(t *testing.T, limits export.Limits, f func(t *testing.T, w *world)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, s *store.Store) { f(t, newWorld(t, s, limits)) })
}

func newWorld(t *testing.T, s *store.Store, limits export.Limits) *world {
	t.Helper()
	w := &world{source: &source{}, clock: clock.At(time.Date(2026, time.June, 15, 12, 0, 0, 0, time.UTC)), store: s,
		caller: tenant.Caller{Subject: "crm", ClientID: "crm", Scopes: []string{"read:agents"}}}
	v, err := vault.New(bytes.Repeat([]byte{7}, 32), tenants.NewKeysets(s))
	if err != nil {
		t.Fatal(err)
	}
	if w.tenant, err = tenants.Create(t.Context(), s, v, w.clock, tenants.NewTenant{Identifier: "acme", Name: "acme", TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100}); err != nil {
		t.Fatal(err)
	}
	w.Service = w.another(v, limits)
	return w
}

// another is a process with the same database.
func (w *world) another(v *vault.Vault, limits export.Limits) *export.Service {
	s := export.New(export.Config{Store: w.store, Clock: w.clock, Vault: v, Log: slog.New(slog.DiscardHandler), Limits: limits, URL: "https://upline.test",
		TraceID: func(context.Context) string { return "trace" },
		Find:    func(context.Context, int64) (*tenant.Tenant, error) { return w.tenant, nil },
		Turn:    func(context.Context) (func(), error) { return func() {}, nil },
		Caller: func(_ context.Context, asked export.Asked) (tenant.Caller, error) {
			if w.mayNot {
				return tenant.Caller{}, &problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode, Message: "Who asked may not act"}
			}
			return tenant.Caller{Subject: asked.Subject, ClientID: asked.ClientID, Scopes: asked.Scopes}, nil
		}})
	s.Read(w.source)
	return s
}

func (w *world) as(t *testing.T, c tenant.Caller) context.Context {
	return tenant.WithCaller(tenant.With(t.Context(), w.tenant), c)
}

func (w *world) ctx(t *testing.T) context.Context { return w.as(t, w.caller) }

func (w *world) create(t *testing.T, format string) *export.Export {
	t.Helper()
	e, err := w.Create(w.ctx(t), export.Input{Query: "{ agents { nodes { id } } }", Path: "agents", Format: format})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// work writes what waits, with a service.
func (w *world) work(t *testing.T, s *export.Service) {
	t.Helper()
	for found := true; found; {
		var err error
		if found, err = s.WorkNext(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *world) state(t *testing.T, id int64) *export.Export {
	t.Helper()
	e, err := w.Export(w.ctx(t), id)
	if err != nil || e == nil {
		t.Fatalf("the export is %v, %v", e, err)
	}
	return e
}

func (w *world) download(t *testing.T, e *export.Export) string {
	t.Helper()
	d, err := w.Open(w.ctx(t), e.UID)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := d.WriteTo(w.ctx(t), &b, func() {}); err != nil || b.Len() != *d.Size {
		t.Fatalf("%d of %d bytes, %v", b.Len(), *d.Size, err)
	}
	return b.String()
}

func (w *world) chunks(t *testing.T) (n int) {
	t.Helper()
	if _, err := store.One(w.ctx(t), w.store, []any{&n}, "SELECT count(*) FROM export_chunk WHERE tenant_id = $1", w.tenant.ID); err != nil {
		t.Fatal(err)
	}
	return n
}

// expected is what a file has in it.
func (w *world) expected(t *testing.T, format string) string {
	t.Helper()
	var b strings.Builder
	if _, err := w.Write(w.ctx(t), export.Input{Query: "{ agents { nodes { id } } }", Path: "agents", Format: format}, &b, func(export.Progress) {}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

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
					t.Fatalf("%s: %s, %v", format, e.Status, value(e.Error))
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

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
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

// A process that failed, or is gone, leaves an export that the next one begins
// anew, a few times; nothing of a half file is ever served.
func TestInterruptedExports(t *testing.T) {
	onEach(t, export.Limits{}, func(t *testing.T, w *world) {
		w.rows = 20_000
		broken := errors.New("the database is away, Q7secret")
		w.fail = func(page int) error {
			if page == 30 {
				return broken
			}
			return nil
		}
		e := w.create(t, sheet.JSONL)
		w.work(t, w.Service)
		if e := w.state(t, e.ID); e.Status != export.Running || w.chunks(t) != 0 {
			t.Errorf("after a failure it is %s with %d chunks", e.Status, w.chunks(t))
		}
		w.clock.Move(time.Minute)
		w.fail = nil
		w.work(t, w.Service)
		if got, want := w.download(t, w.state(t, e.ID)), w.expected(t, sheet.JSONL); got != want {
			t.Errorf("the second attempt wrote %d bytes, want %d", len(got), len(want))
		}

		w.fail = func(int) error { return broken }
		e = w.create(t, sheet.CSV)
		for range 3 {
			w.work(t, w.Service)
			w.clock.Move(time.Minute)
		}
		if e := w.state(t, e.ID); e.Status != export.Failed || value(e.Error) != "The server could not write the file." || !e.FinishedAt.Equal(w.clock.Now().Add(-time.Minute)) {
			t.Errorf("after three failures it is %s, %q", e.Status, value(e.Error))
		}
		w.mayNot, w.fail = true, nil
		e = w.create(t, sheet.CSV)
		w.work(t, w.Service)
		if e := w.state(t, e.ID); e.Status != export.Failed || value(e.Error) != "Who asked may not act" {
			t.Errorf("of somebody who may not act any more it is %s, %q", e.Status, value(e.Error))
		}
	})
}

// A process that lost its claim writes nothing more, and one that stops gives it
// back at once.
func TestClaims(t *testing.T) {
	onEach(t, export.Limits{}, func(t *testing.T, w *world) {
		w.rows = 20_000
		v, err := vault.New(bytes.Repeat([]byte{7}, 32), tenants.NewKeysets(w.store))
		if err != nil {
			t.Fatal(err)
		}
		other := w.another(v, export.Limits{})
		e := w.create(t, sheet.JSONL)
		w.fail = func(page int) error {
			if page == 30 { // the other process takes it over, and is done first
				w.fail = nil
				w.clock.Move(time.Minute)
				w.work(t, other)
			}
			return nil
		}
		w.work(t, w.Service)
		w.fail = nil
		if got, want := w.download(t, w.state(t, e.ID)), w.expected(t, sheet.JSONL); got != want {
			t.Errorf("two processes wrote %d bytes, want %d", len(got), len(want))
		}

		e = w.create(t, sheet.JSONL)
		w.fail = func(page int) error {
			if page == 30 {
				other.Stop()
				time.Sleep(3 * time.Second) // the next report finds it
			}
			return nil
		}
		if _, err := other.WorkNext(t.Context()); err != nil {
			t.Fatal(err)
		}
		if e := w.state(t, e.ID); e.Status != export.Queued || e.RowCount != nil {
			t.Errorf("given back it is %s", e.Status)
		}
		w.fail = nil
		w.work(t, w.Service)
		if e := w.state(t, e.ID); e.Status != export.Completed {
			t.Errorf("taken again it is %s", e.Status)
		}
	})
}

func TestLimits(t *testing.T) {
	for name, test := range map[string]struct {
		limits  export.Limits
		message string
	}{
		"rows":  {export.Limits{Rows: 999}, "more than 999 rows"},
		"bytes": {export.Limits{Bytes: 10_000}, "more than 10000 bytes"},
		"time":  {export.Limits{Time: time.Nanosecond}, "not done after 1ns"},
	} {
		onEach(t, test.limits, func(t *testing.T, w *world) {
			w.rows = 1000
			e := w.create(t, sheet.CSV)
			w.work(t, w.Service)
			if e := w.state(t, e.ID); e.Status != export.Failed || !strings.Contains(value(e.Error), test.message) || w.chunks(t) != 0 {
				t.Errorf("%s: it is %s, %q, with %d chunks", name, e.Status, value(e.Error), w.chunks(t))
			}
		})
	}
	onEach(t, export.Limits{}, func(t *testing.T, w *world) {
		for range 5 {
			w.create(t, sheet.CSV)
		}
		in := export.Input{Query: "{ agents { nodes { id } } }", Path: "agents", Format: sheet.CSV}
		if _, err := w.Create(w.ctx(t), in); !problem.Has(err, problem.UnavailableCode) {
			t.Errorf("a sixth export: %v", err)
		}
		if _, err := w.Create(w.as(t, tenant.Caller{Subject: "crm", ClientID: "other", Scopes: w.caller.Scopes}), in); err != nil {
			t.Errorf("of somebody else: %v", err)
		}
		if _, err := w.Create(w.as(t, tenant.Caller{Subject: "none", ClientID: "none"}), in); !problem.Has(err, problem.ForbiddenCode) {
			t.Errorf("without the scope: %v", err)
		}
		in.Query = strings.Repeat(" ", 64<<10+1)
		if _, err := w.Create(w.ctx(t), in); !problem.Has(err, problem.TooLong) {
			t.Errorf("a long query: %v", err)
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
