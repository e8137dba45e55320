package page_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type row struct {
	name string
	id   int64
}

func place(r row) []any { return []any{r.name, r.id} }

func list(nameDesc, idDesc bool) page.List {
	return page.List{Name: "rows", TenantID: 7, Default: 5, Max: 10, Keys: []page.Key{
		{Name: "name", SQL: "t.name", Kind: page.Text, Desc: nameDesc},
		{Name: "id", SQL: "t.id", Kind: page.Int, Desc: idDesc},
	}}
}

func read(t failer, s *store.Store, l page.List, a page.Args) page.Page[row] {
	t.Helper()
	q, err := l.Plan(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	var sql store.SQL
	sql.Write("SELECT t.name, t.id FROM (SELECT substr(identifier, 1, 2) AS name, id FROM tenant) t WHERE ")
	sql.Write(fmt.Sprintf("%s ORDER BY %s LIMIT %d OFFSET %d", q.Where(&sql), q.OrderBy(), q.Limit(), q.Offset()))
	rows, err := store.Collect(context.Background(), s, func(r store.Scanner) (v row, err error) {
		err = r.Scan(&v.name, &v.id)
		return v, err
	}, sql.Text(), sql.Args()...)
	if err != nil {
		t.Fatal(err)
	}
	return page.Cut(q, rows, place)
}

// Walking a list by cursor, forwards or backwards, sees every row once and in
// order, whatever the directions of its keys.
func TestWalkSeesEveryRowOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		const rows = 23
		for i := range rows {
			insertTenant(t, s, fmt.Sprintf("n%02d", i*7%rows))
		}
		rapid.Check(t, func(t *rapid.T) {
			l := list(rapid.Bool().Draw(t, "nameDesc"), rapid.Bool().Draw(t, "idDesc"))
			size := rapid.IntRange(1, 10).Draw(t, "size")
			ten := 10
			want := append(read(t, s, l, page.Args{First: &ten}).Items, read(t, s, l, page.Args{First: &ten, Offset: &ten}).Items...)
			twenty := 20
			want = append(want, read(t, s, l, page.Args{First: &ten, Offset: &twenty}).Items...)
			if got := walkForward(t, s, l, size); !slices.Equal(got, want) {
				t.Fatalf("forward: %v, want %v", got, want)
			}
			if got := walkBackward(t, s, l, size); !slices.Equal(got, want) {
				t.Fatalf("backward: %v, want %v", got, want)
			}
		})
	})
}

func walkForward(t failer, s *store.Store, l page.List, size int) (all []row) {
	args := page.Args{First: &size}
	for {
		p := read(t, s, l, args)
		all = append(all, p.Items...)
		if !p.HasNext {
			return all
		}
		cursor := p.Cursor(p.Items[len(p.Items)-1])
		args.After = &cursor
	}
}

func walkBackward(t failer, s *store.Store, l page.List, size int) (all []row) {
	args := page.Args{Last: &size}
	for {
		p := read(t, s, l, args)
		all = append(slices.Clone(p.Items), all...)
		if !p.HasPrev {
			return all
		}
		cursor := p.Cursor(p.Items[0])
		args.Before = &cursor
	}
}

func insertTenant(t *testing.T, s *store.Store, identifier string) {
	t.Helper()
	err := s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO tenant (identifier, name, time_zone, default_page_size, max_page_size, created_at)
			VALUES ($1, $1, 'UTC', 50, 100, '2026-01-01')`, identifier)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRefusals(t *testing.T) {
	l := list(false, false)
	ptr := func(n int) *int { return &n }
	foreign := list(false, false)
	foreign.TenantID = 8
	other := cursorOf(t, foreign)
	garbage := "%%%"
	truncated := base64.RawURLEncoding.EncodeToString([]byte(`[1,"7/rows,name,id","a"]`))
	good := cursorOf(t, l)
	for name, c := range map[string]struct {
		args  page.Args
		code  problem.Code
		field string
	}{
		"size above the maximum":       {page.Args{First: ptr(11)}, problem.PageSizeExceeded, "first"},
		"last above the maximum":       {page.Args{Last: ptr(11)}, problem.PageSizeExceeded, "last"},
		"negative size":                {page.Args{First: ptr(-1)}, problem.OutOfRange, "first"},
		"negative offset":              {page.Args{Offset: ptr(-1)}, problem.OutOfRange, "offset"},
		"first and last":               {page.Args{First: ptr(1), Last: ptr(1)}, problem.OutOfRange, "last"},
		"offset with a cursor":         {page.Args{Offset: ptr(1), After: &good}, problem.OutOfRange, "offset"},
		"not a cursor":                 {page.Args{After: &garbage}, problem.InvalidCursor, "after"},
		"too few values":               {page.Args{Before: &truncated}, problem.InvalidCursor, "before"},
		"cursor of another tenant":     {page.Args{After: &other}, problem.InvalidCursor, "after"},
		"cursor of another sort order": {page.Args{After: ptrTo(cursorOf(t, list(true, false)))}, problem.InvalidCursor, "after"},
	} {
		_, err := l.Plan(t.Context(), c.args)
		problems := problem.From(err)
		if len(problems) != 1 || problems[0].Code != c.code || strings.Join(problems[0].Field, ".") != c.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := l.Plan(t.Context(), page.Args{First: ptr(11)})
	if got := problem.From(err)[0].Message; got != "Page Size cannot exceed 10" {
		t.Errorf("Errors 2: message %q", got)
	}
}

// An empty cursor is none: clients send one for the first page.
func TestEmptyCursor(t *testing.T) {
	l := list(false, false)
	for _, args := range []page.Args{{After: ptrTo("")}, {Before: ptrTo(""), Last: new(2)}, {After: ptrTo(""), Before: ptrTo(""), Offset: new(1)}} {
		q, err := l.Plan(t.Context(), args)
		if err != nil || q.After() != nil {
			t.Errorf("%+v: %v", args, err)
		}
	}
}

func cursorOf(t *testing.T, l page.List) string {
	t.Helper()
	q, err := l.Plan(t.Context(), page.Args{})
	if err != nil {
		t.Fatal(err)
	}
	r := row{"a", 1}
	return page.Cut(q, []row{r}, place).Cursor(r)
}

func ptrTo(s string) *string { return &s }

// No index has keys of several tables, so what is behind a cursor is found by the first
// key: else each page would be looked for from the beginning of the list.
func TestCursorsOfSeveralTablesBeginAtTheFirstKey(t *testing.T) {
	for columns, want := range map[string]string{
		"a.code p.id": "a.code >= $1 AND (a.code, p.id) > ($1, $2)", "a.code +p.id": "a.code >= $1 AND (a.code, +p.id) > ($1, $2)",
		"p.code p.id": "(p.code, p.id) > ($1, $2)", "code id": "(code, id) > ($1, $2)",
	} {
		first, second, _ := strings.Cut(columns, " ")
		l := page.List{Name: "rows", TenantID: 7, Default: 10, Max: 10, Keys: []page.Key{{Name: "code", SQL: first}, {Name: "id", SQL: second, Kind: page.Int}}}
		q, err := l.Plan(t.Context(), page.Args{After: ptrTo(cursorOf(t, l))})
		if err != nil {
			t.Fatal(err)
		}
		var s store.SQL
		if got := q.Where(&s); got != want {
			t.Errorf("%s: behind a cursor is %s, want %s", columns, got, want)
		}
	}
}

// A forged cursor whose values the database would not take is refused like any
// other text that is no cursor of the list.
func TestForgedCursors(t *testing.T) {
	l := page.List{Name: "rows", TenantID: 7, Default: 10, Max: 10, Keys: []page.Key{
		{Name: "name", SQL: "name", Kind: page.Text}, {Name: "id", SQL: "id", Kind: page.UUID},
	}}
	const uid = "019a9f0c-6f80-7d3e-9c55-0a4b7c1d2e3f"
	for place, accepted := range map[string]bool{
		`"a","` + uid + `"`:             true,
		`"a","x"`:                       false,
		`"a","urn:uuid:` + uid + `"`:    false,
		`"a","{` + uid + `}"`:           false,
		`"a","` + uid[:35] + `g"`:       false,
		`"a\u0000b","` + uid + `"`:      false,
		`"a",1`:                         false,
		`1,"` + uid + `"`:               false,
		`null,"` + uid + `"`:            false,
		`["a"],{"` + uid + `":"` + `"}`: false,
	} {
		cursor := base64.RawURLEncoding.EncodeToString([]byte(`[1,"7/rows,name,id",` + place + `]`))
		if _, err := l.Plan(t.Context(), page.Args{After: &cursor}); problem.Has(err, problem.InvalidCursor) == accepted {
			t.Errorf("%s: %v", place, err)
		}
	}
}

func FuzzCursor(f *testing.F) {
	l := list(false, true)
	f.Add("bm90IGEgY3Vyc29y")
	f.Add(base64.RawURLEncoding.EncodeToString([]byte(`[1,"7/rows,name,id-","a",1]`)))
	f.Fuzz(func(t *testing.T, cursor string) {
		if _, err := l.Plan(t.Context(), page.Args{After: &cursor}); err != nil && !problem.Has(err, problem.InvalidCursor) {
			t.Fatalf("%q: %v", cursor, err)
		}
	})
}

// failer is what a test and a rapid check have in common here.
type failer interface {
	Context() context.Context
	Helper()
	Fatal(args ...any)
}
