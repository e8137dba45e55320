package listing_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/clock"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// tags is the list of the tags of a tenant, whose size may be kept.
func tags(ctx context.Context, s *store.Store, kept *listing.Total, from, and string) listing.List[row] {
	l := letters(s)
	l.Name, l.Columns, l.Owner, l.Keys, l.Kept = "tags", "r.id, r.name", "", []page.Key{byID}, kept
	l.From = func(q *store.SQL) {
		q.Write("agency_tag r WHERE r.tenant_id = ? AND r.name >= ?"+and, tenant.From(ctx).ID, from)
	}
	return l
}

// The size of a list is counted once for each query, and anew when the tenant has
// changed: here rows also come behind everybody's back, to show which.
func TestTotalsAreKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		at := clock.At(time.Date(2026, time.March, 2, 15, 0, 0, 0, time.UTC))
		v, err := vault.New(bytes.Repeat([]byte{7}, 32), directory.NewKeysets(s))
		if err != nil {
			t.Fatal(err)
		}
		acme, err := directory.Create(t.Context(), s, v, at, directory.NewTenant{Identifier: "acme", Name: "acme", TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
		if err != nil {
			t.Fatal(err)
		}
		behind := ""
		ctx, totals, writer := tenant.With(t.Context(), acme), listing.NewTotals(), change.New(s, at, v)
		add := func(name string, noted bool) {
			t.Helper()
			err := writer.Write(tenant.WithCaller(ctx, tenant.Caller{Subject: "crm"}), "ana", func(ctx context.Context, w *change.Writing) error {
				if noted {
					w.Changed("Tag", name, "name")
				}
				return w.Tag.Create().SetName(name).SetCreatedAt(w.Now).SetCreatedBy("ana").SetLastModified(w.Now).SetLastModifiedBy("ana").Exec(ctx)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		want := func(ctx context.Context, what, from string, args page.Args, total int) {
			t.Helper()
			l := tags(ctx, s, totals.Of(ctx), from, behind)
			p, err := l.Page(ctx, args)
			counted, err2 := l.Count(ctx)
			if errors.Join(err, err2) != nil || p.Total != total || counted != total {
				t.Errorf("%s: %d, and %d, %v; want %d", what, p.Total, counted, errors.Join(err, err2), total)
			}
		}
		one := page.Args{First: new(1), Counted: true}
		before, err := tags(ctx, s, nil, "T", "").Count(ctx)
		if err != nil {
			t.Fatal(err)
		}
		add("T1", true)
		want(ctx, "counted", "T", one, before+1)
		add("T2", false)
		want(ctx, "kept: nobody was told", "T", one, before+1)
		want(ctx, "kept, behind the last row", "T", page.Args{First: new(1), Offset: new(100), Counted: true}, before+1)
		want(ctx, "another query is counted itself", "T2", one, 1)
		add("T3", true)
		want(ctx, "the tenant has changed", "T", one, before+3)
		want(ctx, "so has the other query", "T2", one, 2)
		add("T4", false)
		want(ctx, "kept again", "T", one, before+3)
		behind = " AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.tenant_id = r.tenant_id)"
		want(ctx, "of a table that changes without the mark nothing is kept", "T", one, before+4)
		add("T5", false)
		want(ctx, "so it is counted again", "T", one, before+5)
		behind = ""
		want(tenant.WithCaller(ctx, tenant.Caller{Within: new(tenant.Nobody), Clock: at}), "of a limited caller nothing is kept", "T", one, before+5)
	})
}
