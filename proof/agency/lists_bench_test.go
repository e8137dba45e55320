package agency_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// BenchmarkLists reads lists of certifications and of periods of an agency of 10,000, by
// every filter, in every order, on several days: the first page, one behind a cursor in the
// middle, one by its number in the middle, and the first ones of fifty agents. It tells how long each takes, in
// milliseconds; the longest first.
//
//	UPLINE_BENCH_LISTS=/tmp/before.txt go test ./proof/agency -run '^$' -bench Lists -benchtime 1x
func BenchmarkLists(b *testing.B) {
	for _, database := range []struct {
		name string
		open func(testing.TB) *store.Store
	}{{"sqlite", dbtest.SQLite}, {"postgres", dbtest.PostgresOwner}} {
		b.Run(database.name, func(b *testing.B) {
			w := newListed(b, database.open(b), 10_000)
			for _, analysed := range []bool{false, true} {
				name := "unknown"
				if analysed {
					name = "analysed"
					w.exec(b, "ANALYZE")
				}
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						w.readAll(b, database.name+" "+name)
					}
				})
			}
		})
	}
}

type listed struct {
	*agency.Service
	store *store.Store
	ctx   context.Context
	team  int64
	today date.Date
	// some are the ids of fifty agents.
	some []int64
}

func newListed(b *testing.B, s *store.Store, agents int) *listed {
	b.Helper()
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	c := clock.At(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	v, err := vault.New(bytes.Repeat([]byte{7}, vault.KeySize), directory.NewKeysets(s))
	must(err)
	t, err := directory.Create(b.Context(), s, v, c, directory.NewTenant{Identifier: "listed", Name: "Listed", TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
	must(err)
	w := &listed{store: s, ctx: tenant.With(b.Context(), t), today: clock.Today(c, t.Zone)}
	must(demo.Load(w.ctx, s, v, c, t, demo.Options{Agents: agents, Seed: 1, Today: w.today}, func(int, int) {}))
	w.Service = agency.New(s, c, v)
	w.team, err = w.Team(w.ctx, record.DefaultTeam)
	must(err)
	w.some, err = store.Collect(w.ctx, s, store.ScanOne[int64], "SELECT a.id FROM agency_agent a WHERE a.tenant_id = $1 ORDER BY a.last_name LIMIT 50", t.ID)
	must(err)
	return w
}

func (w *listed) exec(b *testing.B, statement string) {
	b.Helper()
	if err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, statement)
		return err
	}); err != nil {
		b.Fatal(err)
	}
}

// readAll reads the pages of all lists, and writes what each took.
func (w *listed) readAll(b *testing.B, of string) {
	type took struct {
		what string
		ms   float64
	}
	var all []took
	days := []struct {
		name string
		at   history.AsOf
	}{{"today", history.AsOf{Day: w.today}}, {"past", history.AsOf{Day: w.today.AddDays(-1500)}}}
	for _, day := range days {
		for name, list := range w.lists(day.at) {
			fields := list.fields
			for _, field := range append([]string{""}, fields...) {
				for _, desc := range []bool{false, true} {
					if desc && field != "EFFECTIVE_THROUGH" {
						continue
					}
					var orders []listing.Order
					if field != "" {
						orders = []listing.Order{{Field: field, Desc: desc}}
					}
					rows, err := list.read(orders)
					if err != nil {
						b.Fatal(name, err)
					}
					for _, where := range []string{"first", "cursor", "number", "owners"} {
						ms, n := w.read(b, rows, where)
						all = append(all, took{fmt.Sprintf("%s %s %s %s %t %s (%d)", of, name, day.name, cmp.Or(field, "-"), desc, where, n), ms})
					}
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b took) int { return cmp.Compare(b.ms, a.ms) })
	var text strings.Builder
	sum := 0.0
	for _, t := range all {
		fmt.Fprintf(&text, "%8.2f %s\n", t.ms, t.what)
		sum += t.ms
	}
	b.ReportMetric(all[0].ms, "longest-ms")
	b.ReportMetric(sum/float64(len(all)), "mean-ms")
	if file := os.Getenv("UPLINE_BENCH_LISTS"); file != "" {
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text.String()); err != nil {
			b.Fatal(err)
		}
	}
}

type oneList struct {
	fields []string
	read   func(orders []listing.Order) (listing.Rows, error)
}

// lists are the lists with every filter, by name.
func (w *listed) lists(at history.AsOf) map[string]oneList {
	all := map[string]oneList{}
	ofCertifications := []string{"AGENT_CODE", "TYPE", "STATUS", "EFFECTIVE_THROUGH"}
	ofPeriods := []string{"AGENT_CODE", "EFFECTIVE_FROM"}
	for name, f := range map[string]certification.Filter{
		"all": {}, "agent": {AgentCode: new("A2000")}, "type": {Type: new("APPOINTMENT")}, "state": {Jurisdiction: new("US-TX")}, "active": {Status: []string{"ACTIVE"}}, "rare": {Status: []string{"HELD", "REGULATORY_SUSPENSION"}},
		"expiring": {ExpiresThrough: at.Day.AddDays(60).Ptr()}, "lasting": {ExpiresFrom: at.Day.AddDays(300).Ptr()},
		"company": {ProviderCompany: w.aCompany()},
	} {
		all["certifications "+name] = oneList{ofCertifications, func(o []listing.Order) (listing.Rows, error) { return w.CertificationList(w.ctx, f, o, at) }}
	}
	for name, f := range map[string]certification.PeriodFilter{
		"all": {}, "agent": {AgentCode: new("A2000")}, "type": {Type: new("APPOINTMENT")}, "rare": {Status: []string{"HELD", "REGULATORY_SUSPENSION"}}, "identifier": {Identifier: new("NONE-1")},
		"overlap": {From: at.Day.AddDays(-30).Ptr(), Through: at.Day.Ptr()},
	} {
		f.Known = at.Known
		all["certificationPeriods "+name] = oneList{ofPeriods, func(o []listing.Order) (listing.Rows, error) { return w.CertificationPeriodList(w.ctx, f, o) }}
	}
	for name, f := range map[string]record.PeriodFilter{
		"all": {}, "agent": {AgentCode: new("A2000")}, "overlap": {From: at.Day.AddDays(-30).Ptr(), Through: at.Day.Ptr()},
	} {
		f.Known = at.Known
		all["payStatusPeriods "+name] = oneList{ofPeriods, func(o []listing.Order) (listing.Rows, error) {
			return w.PeriodList(w.ctx, history.PayStatuses, 0, f, o)
		}}
		all["uplinePeriods "+name] = oneList{ofPeriods, func(o []listing.Order) (listing.Rows, error) {
			return w.PeriodList(w.ctx, history.Uplines, w.team, f, o)
		}}
		all["levelPeriods "+name] = oneList{ofPeriods, func(o []listing.Order) (listing.Rows, error) {
			return w.PeriodList(w.ctx, history.Levels, w.team, f, o)
		}}
		all["w9Periods "+name] = oneList{ofPeriods, func(o []listing.Order) (listing.Rows, error) { return w.PeriodList(w.ctx, history.W9s, 0, f, o) }}
	}
	return all
}

func (w *listed) aCompany() *string {
	var code string
	if _, err := store.One(w.ctx, w.store, []any{&code}, "SELECT c.provider_company FROM agency_certification c WHERE c.tenant_id = $1 AND c.provider_company IS NOT NULL ORDER BY c.id LIMIT 1", tenant.From(w.ctx).ID); err != nil || code == "" {
		return nil
	}
	return &code
}

// middle is how many rows are before a page in the middle.
const middle = 2000

// read reads a page of a list, and returns how many milliseconds it took at least, and how
// many rows it has.
func (w *listed) read(b *testing.B, rows listing.Rows, where string) (ms float64, n int) {
	b.Helper()
	columns := make([]string, len(rows.Keys))
	for i, k := range rows.Keys {
		columns[i] = strings.TrimPrefix(k.SQL, "+")
	}
	list := listing.List[[]any]{Rows: rows, Columns: strings.Join(columns, ", "), Scan: func(row store.Scanner) ([]any, error) {
		dest := make([]any, len(rows.Keys))
		for i, k := range rows.Keys {
			dest[i] = map[page.Kind]func() any{page.Int: func() any { return new(int64) }, page.Text: func() any { return new(string) },
				page.Time: func() any { return new(time.Time) }, page.Day: func() any { return new(date.Date) }}[k.Kind]()
		}
		return dest, row.Scan(dest...)
	}, Place: func(row []any, key string) any {
		i := slices.IndexFunc(rows.Keys, func(k page.Key) bool { return k.Name == key })
		switch v := row[i].(type) {
		case *int64:
			return *v
		case *string:
			return *v
		case *time.Time:
			return *v
		case *date.Date:
			return *v
		}
		return nil
	}}
	args := page.Args{First: new(50), Counted: where == "counted"}
	switch where {
	case "cursor":
		p, err := list.Page(w.ctx, page.Args{First: new(1), Offset: new(middle)})
		if err != nil {
			b.Fatal(err)
		}
		if len(p.Items) == 0 {
			return 0, 0
		}
		args.After = new(p.Cursor(p.Items[0]))
	case "number":
		args.Offset = new(middle)
	}
	for range 2 {
		began := time.Now()
		var err error
		if where == "owners" {
			n, err = w.ofOwners(list)
		} else {
			var p page.Page[[]any]
			p, err = list.Page(w.ctx, args)
			n = len(p.Items)
		}
		took := time.Since(began).Seconds() * 1000
		if err != nil {
			b.Fatal(err)
		}
		if ms == 0 || took < ms {
			ms = took
		}
	}
	return ms, n
}

// ofOwners reads the pages of fifty agents.
func (w *listed) ofOwners(list listing.List[[]any]) (n int, err error) {
	if !strings.HasSuffix(list.Owner, ".agent_id") {
		return 0, nil
	}
	pages, err := list.Pages(w.ctx, w.some, page.Args{First: new(50), Counted: true})
	for _, p := range pages {
		n += len(p.Items)
	}
	return n, err
}
