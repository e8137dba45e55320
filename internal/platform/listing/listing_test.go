package listing_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

func TestMain(m *testing.M) { dbtest.MainAsRole(m) }

type row struct {
	id   int64
	name string
}

var keys = map[string]page.Key{
	"NAME": {Name: "name", SQL: "r.name", Kind: page.Text},
	"SIZE": {Name: "size", SQL: "r.size", Kind: page.Int},
}

var byID = page.Key{Name: "id", SQL: "r.id", Kind: page.Int}

// letters is a list of four rows of owner 7 and one of owner 8.
func letters(s *store.Store, orders ...listing.Order) listing.List[row] {
	return listing.List[row]{
		Rows: listing.Rows{
			Store: s, Name: "letters", Owner: "r.owner", Keys: listing.SortKeys(orders, keys, byID),
			From: func(q *store.SQL) {
				q.Write("(SELECT 1 AS id, 7 AS owner, 'b' AS name UNION ALL SELECT 2, 7, 'a' UNION ALL SELECT 3, 8, 'c' UNION ALL SELECT 4, 7, 'b'" +
					" UNION ALL SELECT 5, 7, 'd') r WHERE r.name <= " + q.Arg("c"))
			},
		},
		Columns: "r.id, r.name",
		Scan: func(sc store.Scanner) (r row, err error) {
			err = sc.Scan(&r.id, &r.name)
			return r, err
		},
		Place: func(r row, key string) any {
			if key == "name" {
				return r.name
			}
			return r.id
		},
	}
}

func ids(rows []row) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprint(&b, r.id)
	}
	return b.String()
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A list is read in all, or the same page of it for each of several owners;
// an owner without a row has an empty page.
func TestPagesAndCounts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := tenant.With(t.Context(), &tenant.Tenant{ID: 1, DefaultPageSize: 2, MaxPageSize: 3})
		byName := letters(s, listing.Order{Field: "NAME"})
		first, err := byName.Page(ctx, page.Args{})
		must(t, err)
		equal(t, "a page of the default size", ids(first.Items), "21")
		cursor := first.Cursor(first.Items[1])
		rest, err := byName.Page(ctx, page.Args{After: &cursor})
		must(t, err)
		equal(t, "the page after", ids(rest.Items), "43")
		equal(t, "no more", rest.HasNext, false)
		n, err := byName.Count(ctx)
		must(t, err)
		equal(t, "count", n, 4)

		pages, err := byName.Pages(ctx, []int64{7, 8, 9}, page.Args{})
		must(t, err)
		for owner, want := range map[int64]string{7: "21", 8: "3", 9: ""} {
			equal(t, fmt.Sprintf("page of %d", owner), ids(pages[owner].Items), want)
			equal(t, fmt.Sprintf("more of %d", owner), pages[owner].HasNext, owner == 7)
		}
		counts, err := byName.Counts(ctx, []int64{7, 8, 9})
		must(t, err)
		equal(t, "counts", counts, map[int64]int{7: 3, 8: 1})
	})
}

// A counted page tells how many rows there are in all, whichever page it is and
// however few rows it has; in the same statement, where it has any.
func TestCounted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := tenant.With(t.Context(), &tenant.Tenant{ID: 1, DefaultPageSize: 2, MaxPageSize: 3})
		byName := letters(s, listing.Order{Field: "NAME"})
		whole, err := byName.Page(ctx, page.Args{First: new(3)})
		must(t, err)
		equal(t, "not counted", whole.Total, 0)
		plan, err := byName.Plan(ctx, page.Args{})
		must(t, err)
		var uncounted store.SQL
		byName.WritePage(&uncounted, plan, byName.Columns)
		equal(t, "counts unasked", strings.Contains(uncounted.Text(), "count"), false)
		near, after := whole.Cursor(whole.Items[0]), whole.Cursor(whole.Items[2])
		for name, args := range map[string]page.Args{"behind the first row": {After: &near}, "first": {}, "none": {First: new(0)}, "second": {Offset: new(2)}, "last": {Last: new(1)}, "behind a row": {After: &after}} {
			args.Counted = true
			counting, n := store.CountStatements(ctx)
			p, err := byName.Page(counting, args)
			must(t, err)
			equal(t, name+" page", []any{p.Total, n.Load()}, []any{4, 1})
			counting, _ = store.CountStatements(ctx)
			pages, err := byName.Pages(counting, []int64{7, 8, 9}, args)
			must(t, err)
			equal(t, name+" pages", []any{pages[7].Total, pages[8].Total, pages[9].Total}, []any{3, 1, 0})
		}
		p, err := byName.Page(ctx, page.Args{Offset: new(50), Counted: true})
		must(t, err)
		equal(t, "total behind the end", []any{len(p.Items), p.Total}, []any{0, 4})
		p, err = byName.Page(ctx, page.Args{Counted: true})
		must(t, err)
		equal(t, "total with a row left out", p.Only(func(r row) bool { return r.id != 1 }).Total, 3)
	})
}

// A list is of one tenant: without one nothing is read.
func TestNoTenant(t *testing.T) {
	l := letters(dbtest.SQLite(t))
	_, err := l.Page(context.Background(), page.Args{})
	_, ofOwners := l.Pages(context.Background(), []int64{7}, page.Args{})
	if !errors.Is(err, tenant.ErrNone) || !errors.Is(ofOwners, tenant.ErrNone) {
		t.Errorf("without a tenant: %v, %v", err, ofOwners)
	}
}

// The last key gives every row one place; it runs downwards with the others,
// so that one index serves the whole order.
func TestSortKeys(t *testing.T) {
	for _, test := range []struct{ orders, want string }{
		{"", "id"}, {"NAME", "name id"}, {"-NAME", "-name -id"}, {"-NAME SIZE", "-name size id"}, {"-SIZE -NAME", "-size -name -id"},
		{"NAME -NAME", "name id"},
	} {
		var orders []listing.Order
		for _, o := range strings.Fields(test.orders) {
			field, desc := strings.CutPrefix(o, "-")
			orders = append(orders, listing.Order{Field: field, Desc: desc})
		}
		var got []string
		for _, k := range listing.SortKeys(orders, keys, byID) {
			name := k.Name
			if k.Desc {
				name = "-" + name
			}
			got = append(got, name)
		}
		if !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%q: keys are %v, want %s", test.orders, got, test.want)
		}
	}
}

// A page far behind the first is the same rows as those that are reached page by page, in
// whatever order, and one behind the last has none.
func TestFarPages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := tenant.With(t.Context(), &tenant.Tenant{ID: 1, DefaultPageSize: 50, MaxPageSize: 100})
		for _, orders := range [][]listing.Order{nil, {{Field: "NAME"}}, {{Field: "NAME", Desc: true}}, {{Field: "NAME", Desc: true}, {Field: "SIZE"}}} {
			list := letters(s, orders...)
			list.From = func(q *store.SQL) {
				q.Write("(WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 1300) SELECT id, 7 AS owner, id % 3 AS size, substr('abcde', id % 5 + 1, 1) AS name FROM n) r WHERE r.name <= " + q.Arg("d"))
			}
			list.Place = func(r row, key string) any {
				return map[string]any{"name": r.name, "size": r.id % 3, "id": r.id}[key]
			}
			var walked []int64
			for after := (*string)(nil); ; {
				p, err := list.Page(ctx, page.Args{First: new(100), After: after})
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range p.Items {
					walked = append(walked, r.id)
				}
				if !p.HasNext {
					break
				}
				after = new(p.Cursor(p.Items[len(p.Items)-1]))
			}
			for _, offset := range []int{0, 499, 500, 1000, len(walked) - 1, len(walked), 5000} {
				p, err := list.Page(ctx, page.Args{First: new(7), Offset: &offset, Counted: true})
				if err != nil {
					t.Fatal(err)
				}
				var got []int64
				for _, r := range p.Items {
					got = append(got, r.id)
				}
				want := walked[min(offset, len(walked)):min(offset+7, len(walked))]
				if !slices.Equal(got, want) || p.Total != len(walked) || p.HasNext != (offset+7 < len(walked)) {
					t.Errorf("%v from %d on: %v of %d, want %v of %d", orders, offset, got, p.Total, want, len(walked))
				}
			}
		}
	})
}
