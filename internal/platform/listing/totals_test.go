package listing_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
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

// agency returns a context of a new tenant, and a function that adds tags, whose change
// the tenant's trail notes if that is wanted.
func agency(t *testing.T, s *store.Store) (context.Context, func(noted bool, names ...string)) {
	t.Helper()
	at := clock.At(time.Date(2026, time.March, 2, 15, 0, 0, 0, time.UTC))
	v, err := vault.New(bytes.Repeat([]byte{7}, 32), directory.NewKeysets(s))
	if err != nil {
		t.Fatal(err)
	}
	acme, err := directory.Create(t.Context(), s, v, at, directory.NewTenant{Identifier: "acme", Name: "acme", TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100})
	if err != nil {
		t.Fatal(err)
	}
	ctx, writer := tenant.With(t.Context(), acme), change.New(s, at, v)
	return ctx, func(noted bool, names ...string) {
		t.Helper()
		err := writer.Write(tenant.WithCaller(ctx, tenant.Caller{Subject: "crm"}), "ana", func(ctx context.Context, w *change.Writing) error {
			for _, name := range names {
				if noted {
					w.Changed("Tag", name, "name")
				}
				if _, err := w.Exec(ctx, "INSERT INTO agency_tag (tenant_id, name, created_at, created_by, last_modified, last_modified_by) VALUES ($1, $2, $3, 'ana', $3, 'ana')", w.Tenant.ID, name, w.Now); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Any page of a list is the one that its rows say, whichever pages were read before, from
// its beginning or its end, and whatever came to the list between them.
func TestPlacesAreKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, add := agency(t, s)
		totals := listing.NewTotals()
		rng := rand.New(rand.NewPCG(1, 2))
		var names []string
		for len(names) < 1500 {
			names = append(names, fmt.Sprintf("T%06d", rng.IntN(1_000_000)))
		}
		slices.Sort(names)
		names = slices.Compact(names)
		add(true, names...)
		// The keys are of one direction or of two; the last of them is the same in many rows.
		read := func(kept *listing.Total, desc, mixed, counted bool, offset int) page.Page[row] {
			l := tags(ctx, s, kept, "T", "")
			l.Keys = listing.SortKeys([]listing.Order{{Field: "NAME", Desc: desc}}, map[string]page.Key{"NAME": {Name: "name", SQL: "r.name"}}, byID,
				page.Key{Name: "length", SQL: "length(r.name)", Kind: page.Int})
			l.Keys[1].Desc = desc != mixed
			place := l.Place
			l.Place = func(r row, key string) any {
				if key == "length" {
					return int64(len(r.name))
				}
				return place(r, key)
			}
			p, err := l.Page(ctx, page.Args{First: new(20), Offset: &offset, Counted: counted})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		for i := range 400 {
			if i%40 == 39 {
				more := []string{fmt.Sprintf("T%06dx%d", rng.IntN(1_000_000), i), fmt.Sprintf("T%06dy%d", rng.IntN(1_000_000), i)}
				add(i%80 == 39, more...)
				names = append(names, more...)
				if i%80 != 39 { // nobody was told: what is known still holds
					totals = listing.NewTotals()
				}
			}
			desc, mixed, counted, offset := rng.IntN(2) == 0, rng.IntN(3) == 0, rng.IntN(4) > 0, 490+rng.IntN(1100)
			slices.Sort(names)
			if desc {
				slices.Reverse(names)
			}
			rest := names[min(offset, len(names)):]
			want := rest[:min(20, len(rest))]
			p := read(totals.Of(ctx), desc, mixed, counted, offset)
			var got []string
			for _, r := range p.Items {
				got = append(got, r.name)
			}
			if !slices.Equal(got, want) || counted && len(want) > 0 && p.Total != len(names) || p.HasNext != (len(rest) > 20) || p.HasPrev != (offset > 0) {
				t.Fatalf("%d: from %d, descending %v, mixed %v: %v of %d, want %v of %d", i, offset, desc, mixed, got, p.Total, want, len(names))
			}
		}
		// What is known is used: after a change that nobody was told, pages are those of
		// before it.
		before := read(totals.Of(ctx), false, false, true, 1000)
		add(false, "T0", "T1")
		if got := read(totals.Of(ctx), false, false, true, 1000); ids(got.Items) != ids(before.Items) {
			t.Error("the page was looked for from the beginning, though it is known where it began")
		}
		add(true, "T2")
		if got, want := read(totals.Of(ctx), false, false, true, 1000), read(nil, false, false, true, 1000); ids(got.Items) != ids(want.Items) {
			t.Error("the tenant has changed, and the page is the one of before")
		}
	})
}

// The size of a list is counted once for each query, and anew when the tenant has
// changed: here rows also come behind everybody's back, to show which.
func TestTotalsAreKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx, tell := agency(t, s)
		behind, totals := "", listing.NewTotals()
		add := func(name string, noted bool) { tell(noted, name) }
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
		want(tenant.WithCaller(ctx, tenant.Caller{Within: new(tenant.Nobody), Clock: clock.At(time.Time{})}), "of a limited caller nothing is kept", "T", one, before+5)
	})
}
