package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/value"
)

func TestMain(m *testing.M) { dbtest.MainAsRole(m) }

// source makes up rows.
type source struct {
	rows int
	// fail is asked before each page, of which the number is given.
	fail func(page int) error
}

const pageRows = 500

func (s *source) Plan(context.Context, export.Query) (export.Plan, error) { return s, nil }

func (*source) Scopes() []string { return []string{"read:agents"} }

func (*source) Columns() []sheet.Column {
	return []sheet.Column{{Path: []string{"code"}}, {Path: []string{"level"}, Kind: value.Integer}, {Path: []string{"name"}}, {Path: []string{"on"}, Kind: value.Date}}
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
	v, err := vault.New(bytes.Repeat([]byte{7}, 32), directory.NewKeysets(s))
	if err != nil {
		t.Fatal(err)
	}
	if w.tenant, err = directory.Create(t.Context(), s, v, w.clock, directory.NewTenant{Identifier: "acme", Name: "acme", TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100}); err != nil {
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

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
